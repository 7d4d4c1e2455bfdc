package judge

import (
	"errors"
	"fmt"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// When a check is made.
const (
	AtRestTime = "rest"
	Always     = "always"
)

// Check is something that a scenario wants, as an expression over the state.
type Check struct {
	// Name is a word; Finding the name of the finding where it fails, wrong-state
	// where empty.
	Name, Finding string
	// For is a kind: the check is made for each of its objects, which is $o.
	For string
	// At is rest or always; rest where empty.
	At string
	// About is what the failure turns on: a kind, with /status for its status, and
	// create before it for the call that made it.
	About string
	// Expr holds where its last value is neither false nor null.
	Expr string
	// Wants words what holds where all is well; empty for the name's words.
	Wants string
	// Says words the failure; {name}, {namespace}, {kind}, {object} and JSONPaths
	// such as {.spec.message} stand for those of the object at hand, "not set" for what
	// it has not.
	Says string
}

// Expects says in words that the check holds.
func (c Check) Expects() string {
	if c.Wants != "" {
		return c.Wants
	}
	text := strings.ReplaceAll(c.Name, "-", " ") + " is as desired"
	if c.For != "" {
		text += " for each " + c.For
	}
	if c.At == Always {
		return text + ", at any time"
	}
	return text + ", at each rest"
}

// Expression evaluates a compiled text over the state and the object at hand,
// nil where there is none. All values are trees.
type Expression = func(state, o *object.Map) (any, error)

// compile is what UseExpressions named.
var compile func(text string) (Expression, error)

// UseExpressions names what evaluates the expressions of checks; without it
// checks are not made, which Checks.Skipped says. It is a part of the program:
// call it once, before there is a Monitor.
func UseExpressions(f func(text string) (Expression, error)) { compile = f }

// Checks are a scenario's checks, ready to be made. A nil one has none.
type Checks struct {
	list      []compiled
	skipped   bool
	occasions occasions
}

type compiled struct {
	Check
	holds, guards Expression
	says          []part
}

// part is a piece of a sentence: text, or what stands for a word.
type part struct {
	text string
	path *object.JSONPath
	name bool
}

// CheckError is a check that does not compile.
type CheckError struct {
	Check string
	Err   error
}

// Error names the check and says what is wrong, with the place in its expression
// where that is known.
func (e *CheckError) Error() string {
	what := e.Err.Error()
	var reason interface{ Reason() string }
	if errors.As(e.Err, &reason) {
		what = reason.Reason()
	}
	if line, col := e.Position(); line > 0 {
		what = fmt.Sprintf("line %d, column %d: %s", line, col, what)
	}
	return fmt.Sprintf("check %q: %s", e.Check, what)
}

// Position is where in the check's expression, from 1; 0 where that is not known.
func (e *CheckError) Position() (line, col int) {
	var at interface{ Position() (line, col int) }
	if errors.As(e.Err, &at) {
		return at.Position()
	}
	return 0, 0
}

// Unwrap returns the cause.
func (e *CheckError) Unwrap() error { return e.Err }

// Compile makes checks ready. An error is a *CheckError.
func Compile(checks []Check) (*Checks, error) {
	if compile == nil {
		return &Checks{skipped: len(checks) > 0}, nil
	}
	out := &Checks{}
	for _, c := range checks {
		if c.Finding == "" {
			c.Finding = WrongState
		}
		if c.At == "" {
			c.At = AtRestTime
		}
		holds, err := compile(c.Expr)
		if err != nil {
			return nil, &CheckError{c.Name, err}
		}
		says, err := sentence(c.Says)
		if err != nil {
			return nil, &CheckError{c.Name, err}
		}
		all := compiled{Check: c, holds: holds, says: says}
		if guards != nil {
			if all.guards, err = guards(c.Expr); err != nil {
				return nil, &CheckError{c.Name, err}
			}
		}
		out.list = append(out.list, all)
	}
	return out, nil
}

// Skipped reports that there are checks which nothing can evaluate.
func (c *Checks) Skipped() bool { return c != nil && c.skipped }

// List returns the checks.
func (c *Checks) List() []Check {
	var out []Check
	if c != nil {
		for _, x := range c.list {
			out = append(out, x.Check)
		}
	}
	return out
}

// sentence takes a text with placeholders apart.
func sentence(s string) ([]part, error) {
	var out []part
	for s != "" {
		open := strings.IndexByte(s, '{')
		end := strings.IndexByte(s, '}')
		if open < 0 || end < open {
			return append(out, part{text: s}), nil
		}
		out = append(out, part{text: s[:open]})
		word := strings.TrimPrefix(s[open+1:end], "$o")
		s = s[end+1:]
		switch word {
		case "name", "namespace":
			word = ".metadata." + word
		case "kind":
			word = ".kind"
		case "object", "ref", "":
			out = append(out, part{name: true})
			continue
		}
		if word[0] != '.' {
			word = "." + word
		}
		path, err := object.ParseJSONPath("{" + word + "}")
		if err != nil {
			return nil, fmt.Errorf("{%s}: %w", word, err)
		}
		out = append(out, part{path: path})
	}
	return out, nil
}

// say words a failure.
func (c compiled) say(name string, o *object.Map) string {
	if len(c.says) == 0 {
		return strings.TrimSpace(name + " is not as desired: " + c.Name)
	}
	var b strings.Builder
	for _, p := range c.says {
		switch {
		case p.path != nil && o != nil:
			text, err := p.path.Print(o, true)
			switch {
			case err != nil:
				text = "?"
			case text == "":
				text = "not set"
			}
			b.WriteString(text)
		case p.name:
			b.WriteString(name)
		default:
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// evaluate makes the checks of a moment and returns a finding for each that
// fails.
func (c *Checks) evaluate(w *sim.World, at string) []Finding {
	if c == nil || len(c.list) == 0 {
		return nil
	}
	var out []Finding
	var state *object.Map
	for _, check := range c.list {
		if check.At != at {
			continue
		}
		if state == nil {
			state = State(w)
		}
		if check.For == "" {
			c.noteCheck(check, state, nil)
			out = append(out, check.on(w, state, "", nil)...)
			continue
		}
		for o := range w.Server().All() {
			if o.Object.Kind() == check.For {
				bare := o.Object.Unset("metadata", "managedFields").Root()
				c.noteCheck(check, state, bare)
				out = append(out, check.on(w, state, w.Name(o.Object.Ref()), bare)...)
			}
		}
	}
	return out
}

// on makes one check for one object.
func (c compiled) on(w *sim.World, state *object.Map, name string, o *object.Map) []Finding {
	v, err := c.holds(state, o)
	if err == nil && v != nil && v != false {
		return nil
	}
	text := c.say(name, o)
	if err != nil {
		text += fmt.Sprintf(" (the check cannot be made: %v)", err)
	}
	f := finding(w, c.Finding, name, text)
	f.Decides = c.About // until AtRest has found the call
	if f.Check = c.Name; name == "" {
		f.Object = "the state"
	}
	return []Finding{f}
}

// State is the state that expressions see: objects, cloud, cache, clock.
func State(w *sim.World) *object.Map {
	var objects, cache, items []any
	for o := range w.Server().All() {
		objects = append(objects, o.Object.Unset("metadata", "managedFields").Root())
	}
	for _, o := range w.AllCached() {
		cache = append(cache, o.Unset("metadata", "managedFields").Root())
	}
	for _, i := range w.Cloud().Items() {
		items = append(items, i.Object().Root())
	}
	return object.NewMap(
		object.Field{Key: "objects", Value: object.NewList(objects...)},
		object.Field{Key: "cache", Value: object.NewList(cache...)},
		object.Field{Key: "cloud", Value: object.NewList(items...)},
		object.Field{Key: "clock", Value: w.Now().UTC().Format("2006-01-02T15:04:05.999999999Z07:00")},
		object.Field{Key: "revision", Value: w.Server().Revision()},
	)
}
