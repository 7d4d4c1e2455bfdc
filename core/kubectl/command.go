package kubectl

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/kubectl/flag"
)

// command is one word of kubectl: a command, or a group of them.
type command struct {
	name    string
	aliases []string
	// suggests are words for which this one is proposed.
	suggests []string
	// use is how it is used, after its path; short says what it does.
	use, short string
	// long is what its help begins with, where that is not short.
	long   string
	parent *command
	subs   []*command
	// own are the flags of the command alone; flags those that it takes.
	own, flags flag.Set
	required   []string
	// errorCode is the exit code of an error; 0 is 1.
	errorCode int
	// refused: the command is not part of this kubectl.
	refused bool
	// run does the work; nil prints the help.
	run func(*call) error
}

// path is the command with those above it: "kubectl create configmap".
func (c *command) path() string {
	if c.parent == nil {
		return c.name
	}
	return c.parent.path() + " " + c.name
}

func (c *command) sub(word string) *command {
	for _, s := range c.subs {
		if s.name == word {
			return s
		}
		for _, a := range s.aliases {
			if a == word {
				return s
			}
		}
	}
	return nil
}

// flagError is a complaint about a flag.
func (c *command) flagError(err error) error {
	if c.name == "options" {
		return errorf("%s\nRun '%s' without flags.", err, c.path())
	}
	if c.errorCode != 0 {
		return errorf("%s\nSee '%s -h' for help and examples", err, c.path())
	}
	return errorf("%s\nSee '%s --help' for usage.", err, c.path())
}

// missing lists the required flags that are not given.
func (c *command) missing(v *flag.Values) []string {
	var out []string
	for _, name := range c.required {
		if !v.Given(name) {
			out = append(out, name)
		}
	}
	return out
}

// find returns the command that a command line names and the words left. Models
// cobra's Command.Find.
func find(from *command, words []string) (*command, []string, error) {
	plain := flag.Words(from.flags, words)
	if len(plain) == 0 {
		return from, words, nil
	}
	if next := from.sub(plain[0]); next != nil {
		return find(next, without1(from.flags, words, plain[0]))
	}
	if from.parent == nil {
		if strings.HasPrefix(words[0], "-") {
			// It could be a plugin, and is looked for as one first.
			return nil, nil, &exit{1, "Error: flags cannot be placed before plugin name: " + words[0]}
		}
		return nil, nil, unknownCommand(from, plain[0])
	}
	return from, words, nil
}

// without1 takes a command's name out of the words, not a flag's value that is
// the same word.
func without1(known flag.Set, words []string, name string) []string {
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--":
			return words
		case w == name:
			out := append([]string{}, words[:i]...)
			return append(out, words[i+1:]...)
		case strings.HasPrefix(w, "-") && len(flag.Words(known, []string{w, "x", "x"})) == 1:
			i++
		}
	}
	return words
}

func unknownCommand(from *command, word string) error {
	text := errorf("unknown command %q for %q", word, from.path()).Error()
	if near := suggestions(from, word); len(near) > 0 {
		text += "\n\nDid you mean this?\n"
		for _, s := range near {
			text += "\t" + s + "\n"
		}
	}
	return errorf("%s", text)
}

// suggestions are the commands that a word may have meant.
func suggestions(from *command, word string) []string {
	var out []string
	for _, s := range from.subs {
		near := distance(strings.ToLower(word), strings.ToLower(s.name)) <= 2 ||
			strings.HasPrefix(strings.ToLower(s.name), strings.ToLower(word))
		for _, other := range s.suggests {
			near = near || strings.EqualFold(other, word)
		}
		if near {
			out = append(out, s.name)
		}
	}
	return out
}

// distance is Levenshtein's.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, cost)
		}
	}
	return row[len(b)]
}
