package tool

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/jq"
)

// jqOptions are jq's options as they were given.
type jqOptions struct {
	program                       string
	hasProgram                    bool
	files                         []string
	raw, join, zero, seq          bool
	slurp, null, rawInput, stream bool
	exitStatus                    bool
	style                         jq.Style
	fromFile                      bool
	names                         []string
	values                        []any
	positional                    []any
	status                        int // with text: what to print and how to end
	text                          string
	help, version                 bool
}

// jqHelp ends what is said of a wrong command line.
const jqHelp = "\nUse jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://jqlang.github.io/jq"

// jqFlags are the long options without an argument and their letters.
var jqFlags = map[string]string{"raw-output": "r", "join-output": "j", "ascii-output": "a", "compact-output": "c", "color-output": "C",
	"monochrome-output": "M", "sort-keys": "S", "slurp": "s", "null-input": "n", "raw-input": "R", "exit-status": "e", "from-file": "f",
	"help": "h", "version": "V"}

func (o *jqOptions) fail(format string, args ...any) bool {
	o.status, o.text = 2, fmt.Sprintf("jq: "+format, args...)
	return false
}

// parse reads the arguments; false means that text and status end the program.
func (p *Proc) jqOptions(args []string) (*jqOptions, bool) {
	o := &jqOptions{style: jq.Style{Indent: "  "}}
	rest, options := "file", true // what operands are once there is a program
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case options && a == "--":
			options = false
		case options && a == "--args" || options && a == "--jsonargs":
			rest = a[2:]
		case options && strings.HasPrefix(a, "--"):
			n, ok := p.jqLong(o, a[2:], args[i+1:])
			if !ok {
				return o, false
			}
			i += n
		case options && len(a) > 1 && a[0] == '-' && a[1]|0x20 >= 'a' && a[1]|0x20 <= 'z':
			for _, letter := range a[1:] {
				if letter == 'L' {
					return o, o.fail("-L is not supported here: there are no modules")
				}
				if !o.flag(string(letter)) {
					return o, o.fail("Unknown option %s"+jqHelp, a)
				}
			}
		case !o.hasProgram:
			o.program, o.hasProgram = a, true
		case rest == "file":
			o.files = append(o.files, a)
		case rest == "args":
			o.positional = append(o.positional, a)
		default:
			v, err := jq.DecodeOne(a)
			if err != nil {
				return o, o.fail("invalid JSON text passed to --jsonargs" + jqHelp)
			}
			o.positional = append(o.positional, v)
		}
	}
	return o, true
}

func (o *jqOptions) flag(letter string) bool {
	switch letter {
	case "r":
		o.raw = true
	case "j":
		o.raw, o.join = true, true
	case "a":
		o.style.ASCII = true
	case "c":
		o.style.Indent = ""
	case "C", "M":
	case "S":
		o.style.Sorted = true
	case "s":
		o.slurp = true
	case "n":
		o.null = true
	case "R":
		o.rawInput = true
	case "e":
		o.exitStatus = true
	case "f":
		o.fromFile = true
	case "h":
		o.help = true
	case "V":
		o.version = true
	default:
		return false
	}
	return true
}

// jqLong reads a long option and returns how many arguments it took.
func (p *Proc) jqLong(o *jqOptions, name string, args []string) (int, bool) {
	if letter := jqFlags[name]; letter != "" {
		return 0, o.flag(letter)
	}
	switch name {
	case "tab":
		o.style.Indent = "\t"
	case "seq":
		o.seq = true
	case "stream":
		o.stream = true
	case "raw-output0":
		o.raw, o.zero = true, true
	case "unbuffered", "stream-errors":
	case "indent":
		if len(args) == 0 {
			return 0, o.fail("--indent takes one parameter" + jqHelp)
		}
		n, err := strconv.Atoi(args[0])
		switch {
		case err != nil || n < -1 || n > 7:
			return 0, o.fail("--indent takes a number between -1 and 7" + jqHelp)
		}
		o.style.Indent = strings.Repeat(" ", max(n, 0))
		return 1, true
	case "arg", "argjson", "slurpfile", "rawfile":
		if len(args) < 2 {
			what := map[string]string{"arg": "varname value", "argjson": "varname text", "slurpfile": "varname filename", "rawfile": "varname filename"}[name]
			return 0, o.fail("--%s takes two parameters (e.g. --%s %s)"+jqHelp, name, name, what)
		}
		return 2, p.jqNamed(o, name, args[0], args[1])
	default:
		return 0, o.fail("Unknown option --%s"+jqHelp, name)
	}
	return 0, true
}

// jqNamed reads a variable; the first of a name counts.
func (p *Proc) jqNamed(o *jqOptions, how, name, arg string) bool {
	var v any = arg
	switch how {
	case "argjson":
		var err error
		if v, err = jq.DecodeOne(arg); err != nil {
			return o.fail("invalid JSON text passed to --argjson" + jqHelp)
		}
	case "slurpfile", "rawfile":
		text, err := p.slurp(arg)
		if err != nil {
			return o.fail("Bad JSON in --%s %s %s: Could not open %s: %s", how, name, arg, arg, reason(err))
		}
		if v = string(text); how == "slurpfile" {
			list := []any{}
			for d := jq.NewDecoder(string(text)); ; {
				item, ok, err := d.Next()
				if err != nil {
					return o.fail("Bad JSON in --%s %s %s: %s", how, name, arg, err)
				}
				if !ok {
					break
				}
				list = append(list, item)
			}
			v = list
		}
	}
	if !among(o.names, "$"+name) {
		o.names, o.values = append(o.names, "$"+name), append(o.values, v)
	}
	return true
}

// named is $ARGS.
func (o *jqOptions) named() any {
	pairs := []any{}
	for i, name := range o.names {
		pairs = append(pairs, name[1:], o.values[i])
	}
	return jq.NewObject("positional", append([]any{}, o.positional...), "named", jq.NewObject(pairs...))
}
