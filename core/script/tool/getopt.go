package tool

import (
	"fmt"
	"strconv"
	"strings"
)

// option is one option as it was given: its short name, or its long one where it
// has no short one, and its argument.
type option struct{ name, arg string }

// grammar is what a program takes. short is getopt(3)'s string: "n:" takes an
// argument, "n::" may have one glued to it; a "+" in front ends options at the
// first operand. long lists names: "lines=n:" stands for -n and takes an
// argument, "color?" may have one, "null" has none.
type grammar struct {
	short string
	long  []string
	// usage is the line after the complaint; "" is coreutils' "Try ...".
	usage string
	// status is the exit status of bad usage; 0 means 1.
	status int
}

// usageError is a complaint about the options, without the program's name.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// parse splits arguments into options and operands, as getopt_long(3) does.
func (g grammar) parse(args []string) (opts []option, rest []string, err error) {
	short, stops := strings.CutPrefix(g.short, "+")
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return opts, append(rest, args[i+1:]...), nil
		case strings.HasPrefix(a, "--"):
			o, takes, err := g.longOption(a[2:])
			if err != nil {
				return nil, nil, err
			}
			if takes {
				if i++; i == len(args) {
					return nil, nil, &usageError{fmt.Sprintf("option '%s' requires an argument", a)}
				}
				o.arg = args[i]
			}
			opts = append(opts, o)
		case len(a) > 1 && a[0] == '-':
			more, takes, err := cluster(short, a[1:])
			if err != nil {
				return nil, nil, err
			}
			opts = append(opts, more...)
			if takes {
				if i++; i == len(args) {
					return nil, nil, &usageError{fmt.Sprintf("option requires an argument -- '%s'", opts[len(opts)-1].name)}
				}
				opts[len(opts)-1].arg = args[i]
			}
		case stops:
			return opts, args[i:], nil
		default:
			rest = append(rest, a)
		}
	}
	return opts, rest, nil
}

// cluster reads -abc; takes says that the last one's argument is the next word.
func cluster(short, letters string) (opts []option, takes bool, err error) {
	for j := 0; j < len(letters); j++ {
		c := letters[j : j+1]
		at := strings.Index(short, c)
		if at < 0 || c == ":" {
			return nil, false, &usageError{fmt.Sprintf("invalid option -- '%s'", c)}
		}
		rest := letters[j+1:]
		switch tail := short[at+1:]; {
		case strings.HasPrefix(tail, "::"):
			return append(opts, option{c, rest}), false, nil
		case strings.HasPrefix(tail, ":"):
			return append(opts, option{c, rest}), rest == "", nil
		}
		opts = append(opts, option{name: c})
	}
	return opts, false, nil
}

func (g grammar) longOption(word string) (o option, takes bool, err error) {
	name, arg, given := strings.Cut(word, "=")
	var found, exact string
	for _, l := range g.long {
		full := strings.TrimRight(strings.SplitN(l, "=", 2)[0], ":?")
		if full == name {
			exact = l
		} else if strings.HasPrefix(full, name) {
			if found != "" {
				found = "ambiguous"
				continue
			}
			found = l
		}
	}
	if exact != "" {
		found = exact
	}
	switch found {
	case "":
		return option{}, false, &usageError{fmt.Sprintf("unrecognized option '--%s'", word)}
	case "ambiguous":
		return option{}, false, &usageError{fmt.Sprintf("option '--%s' is ambiguous", name)}
	}
	kind := found[len(found)-1]
	found = strings.TrimRight(found, ":?")
	full, alias, _ := strings.Cut(found, "=")
	if alias == "" {
		alias = full
	}
	if given && kind != ':' && kind != '?' {
		return option{}, false, &usageError{fmt.Sprintf("option '--%s' doesn't allow an argument", full)}
	}
	return option{alias, arg}, kind == ':' && !given, nil
}

// options parses p's arguments. ok false means that the complaint is made and
// status is to be returned.
func (p *Proc) options(g grammar) (opts []option, rest []string, status int, ok bool) {
	opts, rest, err := g.parse(p.Args[1:])
	if err != nil {
		return nil, nil, p.misuse(g, err.Error()), false
	}
	return opts, rest, 0, true
}

// misuse complains about the usage.
func (p *Proc) misuse(g grammar, text string) int {
	p.complain("%s", text)
	if g.usage == "" {
		fmt.Fprintf(p.Stderr, "Try '%s --help' for more information.\n", p.name())
	} else {
		fmt.Fprintln(p.Stderr, g.usage)
	}
	return max(g.status, 1)
}

// missing complains that there is no operand.
func (p *Proc) missing(g grammar) int { return p.misuse(g, "missing operand") }

// number reads a count with coreutils' suffixes (k, K, M, G, b).
func number(s string) (int64, bool) {
	digits := strings.TrimRight(s, "bkKMGB")
	n, err := strconv.ParseInt(strings.TrimPrefix(digits, "+"), 10, 64)
	if err != nil {
		return 0, false
	}
	unit, known := map[string]int64{"": 1, "b": 512, "k": 1 << 10, "K": 1 << 10, "kB": 1000, "KB": 1000, "M": 1 << 20, "MB": 1e6, "G": 1 << 30, "GB": 1e9}[s[len(digits):]]
	return n * unit, known
}
