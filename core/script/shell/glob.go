package shell

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// clean is path.Clean, which keeps / as it is.
func clean(name string) string { return path.Clean(name) }

// glob lists the files that a pattern names, sorted; what was quoted is escaped
// in it.
func (s *sh) glob(pat string) []string {
	at := ""
	if strings.HasPrefix(pat, "/") {
		at = "/"
		pat = strings.TrimLeft(pat, "/")
	}
	found := s.globIn(at, strings.Split(pat, "/"))
	slices.Sort(found)
	return found
}

func (s *sh) globIn(at string, parts []string) []string {
	s.e.labour(10)
	part, rest := parts[0], parts[1:]
	if part == "" && len(rest) == 0 {
		if s.isDir(at) {
			return []string{at}
		}
		return nil
	}
	if !isPattern(part, s.shopts["extglob"]) {
		next := at + unquotePattern(part)
		if len(rest) > 0 {
			if !s.isDir(next) {
				return nil
			}
			return s.globIn(next+"/", rest)
		}
		if _, err := s.e.Files.Stat(s.path(next)); err != nil {
			return nil
		}
		return []string{next}
	}
	if part == "**" && s.shopts["globstar"] {
		return s.globDeep(at, rest)
	}
	infos, err := s.e.Files.ReadDir(s.path(at))
	if err != nil {
		return nil
	}
	pattern := newPattern(s.e, part, s.shopts["extglob"], s.shopts["nocaseglob"])
	var found []string
	for _, info := range infos {
		name := info.Name()
		if strings.HasPrefix(name, ".") && !strings.HasPrefix(part, ".") && !s.shopts["dotglob"] || !pattern.match(name) {
			continue
		}
		switch {
		case len(rest) == 0:
			found = append(found, at+name)
		case info.IsDir():
			found = append(found, s.globIn(at+name+"/", rest)...)
		}
	}
	return found
}

// globDeep is **: any number of directories.
func (s *sh) globDeep(at string, rest []string) []string {
	var found []string
	if len(rest) > 0 {
		found = s.globIn(at, rest)
	} else if at != "" {
		found = []string{at}
	}
	infos, err := s.e.Files.ReadDir(s.path(at))
	if err != nil {
		return found
	}
	for _, info := range infos {
		if strings.HasPrefix(info.Name(), ".") && !s.shopts["dotglob"] {
			continue
		}
		if info.IsDir() {
			sub := s.globDeep(at+info.Name()+"/", rest)
			if len(rest) == 0 && len(sub) > 0 {
				sub[0] = strings.TrimSuffix(sub[0], "/")
			}
			found = append(found, sub...)
		} else if len(rest) == 0 {
			found = append(found, at+info.Name())
		}
	}
	return found
}

func (s *sh) isDir(name string) bool {
	info, err := s.e.Files.Stat(s.path(name))
	return err == nil && info.IsDir()
}

func unquotePattern(t string) string {
	if strings.IndexByte(t, '\\') < 0 {
		return t
	}
	var b strings.Builder
	for i := 0; i < len(t); i++ {
		if t[i] == '\\' && i+1 < len(t) {
			i++
		}
		b.WriteByte(t[i])
	}
	return b.String()
}

// maxBraces is how many words one brace expansion may give.
const maxBraces = 100_000

func hasBraces(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if _, ok := part.(*syntax.BraceExp); ok {
			return true
		}
	}
	return false
}

// braceExpand makes a word with braces several words. Models braces.c.
func (s *sh) braceExpand(word *syntax.Word) []*syntax.Word {
	for i, part := range word.Parts {
		br, ok := part.(*syntax.BraceExp)
		if !ok {
			continue
		}
		elems := br.Elems
		if br.Sequence {
			elems = s.sequence(br)
		}
		tails := s.braceExpand(&syntax.Word{Parts: word.Parts[i+1:]})
		var out []*syntax.Word
		for _, elem := range elems {
			for _, head := range s.braceExpand(elem) {
				for _, tail := range tails {
					if len(out) >= maxBraces {
						s.e.stop("budget", "stopped: braces that make more than %s words", thousands(maxBraces))
					}
					parts := slices.Concat(word.Parts[:i], head.Parts, tail.Parts)
					out = append(out, &syntax.Word{Parts: parts})
				}
			}
		}
		s.e.labour(len(out))
		return out
	}
	return []*syntax.Word{word}
}

// sequence is the words of {x..y} and {x..y..step}.
func (s *sh) sequence(br *syntax.BraceExp) []*syntax.Word {
	first, last := br.Elems[0].Lit(), br.Elems[1].Lit()
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	letters := err1 != nil || err2 != nil
	if letters {
		from, to = int(first[0]), int(last[0])
	}
	step := 1
	if len(br.Elems) > 2 {
		step, _ = strconv.Atoi(br.Elems[2].Lit())
		step = max(step, -step, 1)
	}
	width := 0
	if !letters && (padded(first) || padded(last)) {
		width = max(len(first), len(last))
	}
	if n := max(to-from, from-to) / step; n >= maxBraces {
		s.e.stop("budget", "stopped: braces that make more than %s words", thousands(maxBraces))
	}
	if from > to {
		step = -step
	}
	var out []*syntax.Word
	for n := from; step > 0 && n <= to || step < 0 && n >= to; n += step {
		t := string(rune(n))
		if !letters {
			t = pad(n, width)
		}
		if letters && strings.IndexByte("\\*?[~`\"'$", t[0]) >= 0 {
			out = append(out, &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: t}}})
			continue
		}
		out = append(out, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: t}}})
	}
	return out
}

func padded(t string) bool {
	t = strings.TrimPrefix(t, "-")
	return len(t) > 1 && t[0] == '0'
}

func pad(n, width int) string {
	t := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, t = "-", t[1:]
	}
	if fill := width - len(sign) - len(t); fill > 0 {
		t = strings.Repeat("0", fill) + t
	}
	return sign + t
}
