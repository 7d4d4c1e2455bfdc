package scenario

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/tools/txtar"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Script is a program in bash that has been read, whatever runs it.
type Script interface {
	// Reconciler returns the reconciler of a resource that the program is. It has
	// no state of its own.
	Reconciler(kind, plural, group, version string) reconcile.Reconciler
}

// compile is what UseScripts named.
var compile func(name, text string) (Script, error)

// UseScripts names what reads scripts and what runs the lines of the user's
// terminal, in every scenario that is parsed from now on; without it a scenario
// with a script is refused with ErrNoScripts. It is a part of the program: call
// it once, before there is a scenario.
//
// An error of read that has a method Position() (line, col int) is reported at
// that place of the script.
func UseScripts(read func(name, text string) (Script, error), shell sim.Shell) {
	compile = read
	sim.UseShell(shell)
	if read == nil {
		sim.UsePrograms(nil)
		return
	}
	sim.UsePrograms(func(name, text string) (func(sim.Kind) reconcile.Reconciler, error) {
		script, err := read(name, text)
		if err != nil {
			return nil, err
		}
		return runs(script), nil
	})
}

// ErrNoScripts is the cause of the *Error about a scenario with a script where
// nothing runs scripts.
var ErrNoScripts = errors.New("this build runs no scripts")

// Doubts are what is doubtful in a script that reads: it runs all the same. They
// come from a method Doubts() []error of the Script, each with its Position.
func Doubts(name, text string) []error {
	if compile == nil {
		return nil
	}
	if s, err := compile(name, text); err == nil {
		if d, ok := s.(interface{ Doubts() []error }); ok {
			return d.Doubts()
		}
	}
	return nil
}

// RunsScripts reports whether UseScripts named something.
func RunsScripts() bool { return compile != nil }

// ofScript is the name of the reconciler that a script is.
const ofScript = "script"

// runs makes the reconciler of a kind that a script is.
func runs(script Script) func(sim.Kind) reconcile.Reconciler {
	return func(k sim.Kind) reconcile.Reconciler {
		return script.Reconciler(k.GVK.Kind, k.Resource, k.Group, k.Version)
	}
}

// scriptOf compiles the script of a controller.
func (s *Scenario) scriptOf(n int, k Controller) (Script, error) {
	i := slices.IndexFunc(s.Scripts, func(f File) bool { return f.Name == k.Script })
	switch {
	case i < 0:
		return nil, &Error{File: "scenario.yaml", Field: fmt.Sprintf("controllers[%d].script", n), Message: "there is no member scripts/" + k.Script}
	case compile == nil:
		return nil, &Error{File: "scripts/" + k.Script, Line: s.scriptLines[i], Message: ErrNoScripts.Error(), err: ErrNoScripts}
	}
	p, err := compile(k.Script, s.Scripts[i].Text)
	if err == nil {
		return p, nil
	}
	e := &Error{File: "scripts/" + k.Script, Line: s.scriptLines[i], Message: err.Error(), err: err}
	var at interface{ Position() (line, col int) }
	if errors.As(err, &at) {
		line, col := at.Position()
		e.Line, e.Col = e.Line+line, col
	}
	return nil, e
}

// compileAll compiles the scripts that controllers run.
func (s *Scenario) compileAll() error {
	s.programs = make([]Script, len(s.Controllers))
	for i, k := range s.Controllers {
		if k.Reconciler != ofScript {
			continue
		}
		p, err := s.scriptOf(i, k)
		if err != nil {
			return err
		}
		s.programs[i] = p
	}
	return nil
}

// WithScript returns the scenario with another text for a script: of one that it
// has; or else that script becomes the program of its first controller, with the
// reads that scripts have. The errors are those of Parse. A text with a line that
// looks like a member's, -- NAME --, ends there.
func (s *Scenario) WithScript(name, text string) (*Scenario, error) {
	a := txtar.Parse([]byte(s.source))
	at := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == "scripts/"+name })
	if at < 0 {
		at = len(a.Files)
		program := Cure{Script: name, Setting: object.NewMap(object.Field{Key: "reads"})}
		i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == "scenario.yaml" })
		a.Files[i].Data = changedSettings(a.Files[i].Data, func(root *object.Map) *object.Map { return program.apply(root, 0) })
		a.Files = append(a.Files, txtar.File{Name: "scripts/" + name})
	}
	a.Files[at].Data = []byte(text)
	return Parse(txtar.Format(a))
}
