// Package flag reads command lines in the dialect of pflag, which kubectl uses:
// --name value, --name=value, -n value, -nvalue, several short flags in one
// word, flags between arguments, and "--" for the end of flags.
//
// Models github.com/spf13/pflag, error texts included.
package flag

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Kind is what a flag's value is.
type Kind uint8

// The kinds of flags. Strings is a list, its values separated by commas; Array
// is a list of whole values.
const (
	String Kind = iota
	Bool
	Int
	Duration
	Strings
	Array
)

// Flag is one flag that a command knows.
type Flag struct {
	// Name is the long name; Short the letter of the short one, or empty.
	Name, Short string
	Kind        Kind
	// Default is the value where the flag is not given.
	Default string
	// Bare is the value of a flag that is given without one; where it is empty a
	// value must follow. A Bool needs none.
	Bare string
	// Usage is one sentence for people.
	Usage string
	// Hidden keeps the flag out of help texts.
	Hidden bool
}

// Set is the flags that a command knows.
type Set []*Flag

// Lookup finds a flag by its long name; nil where there is none.
func (s Set) Lookup(name string) *Flag {
	for _, f := range s {
		if f.Name == name {
			return f
		}
	}
	return nil
}

func (s Set) short(letter string) *Flag {
	for _, f := range s {
		if f.Short == letter {
			return f
		}
	}
	return nil
}

// takesNoValue reports whether the next word is no value of the flag.
func (f *Flag) takesNoValue() bool { return f.Kind == Bool || f.Bare != "" }

// given is one use of a flag on the command line.
type given struct {
	flag *Flag
	text string
}

// Values is a command line that was read. Its zero value has nothing given.
type Values struct {
	known Set
	given []given
	// Args are the words that are no flags.
	Args []string
	// Dash is how many of Args stand before "--"; -1 where there was none.
	Dash int
}

// Normal is a flag's name as it is looked up: with dashes for underscores.
func Normal(name string) string { return strings.ReplaceAll(name, "_", "-") }

// Parse reads the words of a command line. An error says what is wrong in
// pflag's words.
func Parse(known Set, words []string) (*Values, error) {
	v := &Values{known: known, Dash: -1}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		var err error
		switch {
		case len(word) < 2 || word[0] != '-':
			v.Args = append(v.Args, word)
		case word == "--":
			v.Dash = len(v.Args)
			v.Args = append(v.Args, words...)
			return v, nil
		case word[1] == '-':
			words, err = v.long(word[2:], words)
		default:
			words, err = v.shorts(word, words)
		}
		if err != nil {
			return v, err
		}
	}
	return v, nil
}

func (v *Values) long(word string, rest []string) ([]string, error) {
	if word[0] == '-' || word[0] == '=' {
		return nil, fmt.Errorf("bad flag syntax: --%s", word)
	}
	name, text, has := strings.Cut(word, "=")
	f := v.known.Lookup(Normal(name))
	switch {
	case f == nil:
		return nil, fmt.Errorf("unknown flag: --%s", name)
	case has:
	case f.Kind == Bool:
		text = "true"
	case f.Bare != "":
		text = f.Bare
	case len(rest) == 0:
		return nil, fmt.Errorf("flag needs an argument: --%s", name)
	default:
		text, rest = rest[0], rest[1:]
	}
	return rest, v.set(f, text)
}

// shorts reads a word of short flags.
func (v *Values) shorts(word string, rest []string) ([]string, error) {
	letters := word[1:]
	for letters != "" {
		letter := letters[:1]
		f := v.known.short(letter)
		after := letters[1:]
		switch {
		case f == nil:
			return nil, fmt.Errorf("unknown shorthand flag: %q in -%s", letter[0], letters)
		case len(after) > 1 && after[0] == '=':
			return rest, v.set(f, after[1:])
		case f.Kind == Bool:
			if err := v.set(f, "true"); err != nil {
				return nil, err
			}
		case f.Bare != "":
			if err := v.set(f, f.Bare); err != nil {
				return nil, err
			}
		case after != "":
			return rest, v.set(f, after)
		case len(rest) == 0:
			return nil, fmt.Errorf("flag needs an argument: %q in -%s", letter[0], letters)
		default:
			return rest[1:], v.set(f, rest[0])
		}
		letters = after
	}
	return rest, nil
}

func (v *Values) set(f *Flag, text string) error {
	if err := check(f.Kind, text); err != nil {
		name := "--" + f.Name
		if f.Short != "" {
			name = "-" + f.Short + ", --" + f.Name
		}
		return fmt.Errorf("invalid argument %q for %q flag: %w", text, name, err)
	}
	v.given = append(v.given, given{f, text})
	return nil
}

func check(kind Kind, text string) error {
	var err error
	switch kind {
	case Bool:
		_, err = strconv.ParseBool(text)
	case Int:
		_, err = strconv.ParseInt(text, 0, 64)
	case Duration:
		_, err = time.ParseDuration(text)
	case Strings:
		_, err = split(text)
	}
	return err
}

func split(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	if !strings.ContainsAny(text, "\"\n\r") {
		return strings.Split(text, ","), nil
	}
	return csv.NewReader(strings.NewReader(text)).Read()
}

// Given reports whether a flag is on the command line.
func (v *Values) Given(name string) bool {
	for i := range v.given {
		if v.given[i].flag.Name == name {
			return true
		}
	}
	return false
}

// Text returns a flag's value, the last one given; empty for a flag that the
// command does not know.
func (v *Values) Text(name string) string {
	for i := len(v.given) - 1; i >= 0; i-- {
		if v.given[i].flag.Name == name {
			return v.given[i].text
		}
	}
	if f := v.known.Lookup(name); f != nil {
		return f.Default
	}
	return ""
}

// Bool returns the value of a Bool.
func (v *Values) Bool(name string) bool {
	b, _ := strconv.ParseBool(v.Text(name))
	return b
}

// Int returns the value of an Int.
func (v *Values) Int(name string) int64 {
	n, _ := strconv.ParseInt(v.Text(name), 0, 64)
	return n
}

// Duration returns the value of a Duration.
func (v *Values) Duration(name string) time.Duration {
	d, _ := time.ParseDuration(v.Text(name))
	return d
}

// List returns all values of Strings or of an Array, in their order.
func (v *Values) List(name string) []string {
	var out []string
	for _, g := range v.given {
		if g.flag.Name != name {
			continue
		}
		if g.flag.Kind == Array {
			out = append(out, g.text)
			continue
		}
		more, _ := split(g.text)
		out = append(out, more...)
	}
	return out
}

// Words returns the words of a command line that are neither flags nor values
// of flags, as far as "--"; a flag that is not known takes a value. It is how a
// command's name is found. Models cobra's stripFlags.
func Words(known Set, words []string) []string {
	var out []string
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "--":
			return out
		case strings.HasPrefix(word, "--"):
			f := known.Lookup(Normal(word[2:]))
			if !strings.Contains(word, "=") && (f == nil || f != nil && !f.takesNoValue()) {
				if len(words) <= 1 {
					return out
				}
				words = words[1:]
			}
		case strings.HasPrefix(word, "-") && len(word) == 2:
			f := known.short(word[1:])
			if f == nil || f != nil && !f.takesNoValue() {
				if len(words) <= 1 {
					return out
				}
				words = words[1:]
			}
		case word != "" && word[0] != '-':
			out = append(out, word)
		}
	}
	return out
}
