package tool

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/digest"
)

func init() {
	register(map[string]Program{
		"sha256sum": checksum(func(b []byte) []byte { s := digest.SHA256(b); return s[:] }),
		"sha1sum":   checksum(func(b []byte) []byte { s := digest.SHA1(b); return s[:] }),
		"md5sum":    checksum(func(b []byte) []byte { s := digest.MD5(b); return s[:] }),
		"base64":    base64Program, "od": od,
	})
}

func checksum(sum func([]byte) []byte) Program {
	return func(p *Proc) int {
		g := grammar{short: "bctwz", long: []string{"binary=b", "check=c", "text=t", "warn=w", "zero=z", "quiet", "status", "strict", "ignore-missing", "tag"}}
		opts, names, status, ok := p.options(g)
		if !ok {
			return status
		}
		if strings.Contains(letters(opts), "c") {
			return p.checkSums(opts, names, sum)
		}
		mark := ' '
		if strings.HasSuffix(letters(opts), "b") {
			mark = '*'
		}
		out := p.sink()
		status = p.inputs(names, func(name string, s *source) error {
			text, err := p.readAll(s)
			if err != nil {
				return err
			}
			out.str(fmt.Sprintf("%s %c%s", hex.EncodeToString(sum(text)), mark, name))
			return nil
		})
		return out.done(status)
	}
}

// checkSums holds files against a list of sums.
func (p *Proc) checkSums(opts []option, names []string, sum func([]byte) []byte) int {
	_, silent := flagged(opts, "status")
	_, quiet := flagged(opts, "quiet")
	out, failed, unread := p.sink(), 0, 0
	status := p.eachLine(names, func(line []byte, _ bool) bool {
		want, name, ok := strings.Cut(string(line), " ")
		if !ok || len(name) < 2 {
			return true
		}
		name = name[1:]
		text, err := p.slurp(name)
		verdict := "OK"
		switch {
		case err != nil:
			p.complain("%s: %s", name, reason(err))
			verdict = "FAILED open or read"
			unread++
		case hex.EncodeToString(sum(text)) != strings.ToLower(want):
			verdict = "FAILED"
			failed++
		}
		if !silent && !(quiet && verdict == "OK") {
			out.str(name + ": " + verdict)
		}
		return true
	})
	for _, w := range []struct {
		n    int
		what [2]string
	}{{unread, [2]string{"listed file could not be read", "listed files could not be read"}},
		{failed, [2]string{"computed checksum did NOT match", "computed checksums did NOT match"}}} {
		if w.n > 0 {
			status = 1
			if !silent {
				out.Flush()
				p.complain("WARNING: %d %s", w.n, w.what[min(w.n-1, 1)])
			}
		}
	}
	return out.done(status)
}

func base64Program(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "diw:", long: []string{"decode=d", "ignore-garbage=i", "wrap=w:"}})
	if !ok {
		return status
	}
	wrap := 76
	if text, given := flagged(opts, "w"); given {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return p.complain("invalid wrap size: ‘%s’", text)
		}
		wrap = n
	}
	name := "-"
	if len(names) > 0 {
		name = names[0]
	}
	if len(names) > 1 {
		return p.misuse(grammar{}, fmt.Sprintf("extra operand ‘%s’", names[1]))
	}
	text, err := p.slurp(name)
	if err != nil {
		return p.complain("%s: %s", name, reason(err))
	}
	out := p.sink()
	if f := letters(opts); strings.Contains(f, "d") {
		plain, good := decode64(string(text), strings.Contains(f, "i"))
		out.Write(plain)
		if status := out.done(0); status != 0 || good {
			return status
		}
		return p.complain("invalid input")
	}
	encoded := base64.StdEncoding.EncodeToString(text)
	for wrap > 0 && len(encoded) > wrap {
		out.str(encoded[:wrap])
		encoded = encoded[wrap:]
	}
	out.WriteString(encoded)
	if wrap > 0 && encoded != "" {
		out.end('\n')
	}
	return out.done(0)
}

// decode64 decodes as far as the text is good. Lines may end anywhere, and
// several texts that end in = may follow each other.
func decode64(text string, lenient bool) ([]byte, bool) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	text = strings.ReplaceAll(text, "\n", "")
	if lenient {
		text = keep(text, alphabet+"=")
	}
	var plain []byte
	for len(text) >= 4 {
		b, err := base64.StdEncoding.DecodeString(text[:4])
		plain = append(plain, b...)
		if err != nil {
			break
		}
		text = text[4:]
	}
	if text == "" {
		return plain, true
	}
	n := len(text) - len(strings.TrimLeft(text, alphabet))
	if n > 1 && n < 4 { // what there is of a last group
		b, _ := base64.RawStdEncoding.DecodeString(text[:n])
		plain = append(plain, b...)
	}
	return plain, false
}

// dump is one column of od.
type dump struct {
	size int
	show func(b []byte) string
}

func od(p *Proc) int {
	g := grammar{short: "A:bcdj:N:ot:vw::xsi", long: []string{"address-radix=A:", "skip-bytes=j:", "read-bytes=N:", "format=t:", "output-duplicates=v", "width=w?"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	address, skip, count, width, all := "o", int64(0), int64(-1), 16, false
	var dumps []dump
	for _, o := range opts {
		text := o.arg
		good := true
		switch o.name {
		case "A":
			address = text
		case "j":
			skip, good = number(text)
		case "N":
			count, good = number(text)
		case "v":
			all = true
		case "w":
			width = 32
			if text != "" {
				width, _ = strconv.Atoi(text)
				good = width > 0
			}
		default:
			if o.name != "t" {
				text = map[string]string{"b": "o1", "c": "c", "d": "u2", "o": "o2", "x": "x2", "s": "d2", "i": "d4"}[o.name]
			}
			var d dump
			d, good = newDump(text)
			dumps = append(dumps, d)
		}
		if !good {
			return p.complain("invalid type string ‘%s’", text)
		}
	}
	if dumps == nil {
		d, _ := newDump("o2")
		dumps = []dump{d}
	}
	var data []byte
	status = p.inputs(names, func(_ string, s *source) error {
		text, err := p.readAll(s)
		data = append(data, text...)
		return err
	})
	skip = min(skip, int64(len(data)))
	data = data[skip:]
	if count >= 0 {
		data = data[:min(count, int64(len(data)))]
	}
	out := p.sink()
	printDumps(out, data, int(skip), width, address, dumps, all)
	return out.done(status)
}

func printDumps(out *sink, data []byte, at, width int, address string, dumps []dump, all bool) {
	verb := map[string]string{"o": "%07o", "d": "%07d", "x": "%06x", "n": ""}[address]
	last, same := "", false
	for ; len(data) > 0; data, at = data[min(width, len(data)):], at+width {
		row := data[:min(width, len(data))]
		if string(row) == last && !all && len(row) == width {
			if !same {
				out.str("*")
			}
			same = true
			continue
		}
		last, same = string(row), false
		for i, d := range dumps {
			if i == 0 {
				out.WriteString(addressText(verb, at))
			} else {
				out.WriteString(strings.Repeat(" ", len(addressText(verb, 0))))
			}
			for from := 0; from < len(row); from += d.size {
				b := make([]byte, d.size)
				copy(b, row[from:])
				out.WriteString(d.show(b))
			}
			if !out.end('\n') {
				return
			}
		}
		if len(row) < width {
			at -= width - len(row)
		}
	}
	if verb != "" {
		out.str(addressText(verb, at))
	}
}

func addressText(verb string, at int) string {
	if verb == "" {
		return ""
	}
	return fmt.Sprintf(verb, at)
}

func newDump(text string) (dump, bool) {
	if text == "" {
		return dump{}, false
	}
	size := 4
	if n, err := strconv.Atoi(text[1:]); err == nil {
		size = n
	} else if text[1:] != "" {
		size = map[string]int{"C": 1, "S": 2, "I": 4, "L": 8}[text[1:]]
	}
	if text[0] == 'c' || text[0] == 'a' {
		return dump{1, func(b []byte) string { return fmt.Sprintf("%4s", charName(b[0])) }}, true
	}
	widths, known := map[byte][9]int{'o': {1: 4, 2: 7, 4: 12, 8: 23}, 'x': {1: 3, 2: 5, 4: 9, 8: 17}, 'u': {1: 4, 2: 6, 4: 11, 8: 21}, 'd': {1: 5, 2: 7, 4: 12, 8: 21}}[text[0]]
	if !known || size < 1 || size > 8 || widths[size] == 0 {
		return dump{}, false
	}
	verb, width := text[0], widths[size]
	return dump{size, func(b []byte) string {
		v := uint64(0)
		for i := len(b) - 1; i >= 0; i-- {
			v = v<<8 | uint64(b[i])
		}
		switch verb {
		case 'd':
			shift := 64 - 8*len(b)
			return fmt.Sprintf("%*d", width, int64(v<<shift)>>shift)
		case 'u':
			return fmt.Sprintf("%*d", width, v)
		}
		return fmt.Sprintf("%*s", width, fmt.Sprintf("%0*"+string(verb), width-1, v))
	}}, true
}

func charName(c byte) string {
	if at := strings.IndexByte("\x00\a\b\f\n\r\t\v", c); at >= 0 {
		return `\` + "0abfnrtv"[at:at+1]
	}
	if c < ' ' || c > '~' {
		return fmt.Sprintf("%03o", c)
	}
	return string(rune(c))
}
