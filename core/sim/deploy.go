package sim

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/reconcile-playground/reconcile/core/reconcile"
)

// Compiler reads the text of a program that is a reconciler. An error that has
// a method Position() (line, col int) is about that place of the text.
type Compiler func(name, text string) (func(Kind) reconcile.Reconciler, error)

// compiler is what UsePrograms named.
var compiler Compiler

// UsePrograms names what reads the programs that deploy brings, in every world;
// without it deploy is refused with ErrNoPrograms. As UseRules, it is a part of
// the program: call it once, before there is a world.
func UsePrograms(c Compiler) { compiler = c }

// ErrNoPrograms is the cause of the *InputError of a deploy where nothing runs
// programs.
var ErrNoPrograms = errors.New("this build runs no scripts")

// Program is a reconciler's text as it was deployed.
type Program struct{ Name, Text string }

// deploy rolls a new program out: the process ends as in a crash and a new one
// starts with it, in the same cluster. The same text once more is no change. A
// program that does not compile is refused, and the old one goes on.
func (w *World) deploy(args []string) error {
	if len(args) != 3 {
		return &InputError{Err: errors.New("usage: deploy PROCESS NAME TEXT")}
	}
	p, err := w.process(args[0])
	if err != nil {
		return err
	}
	program := Program{args[1], args[2]}
	if p.program == program && p.running {
		return fmt.Errorf("%w: %s runs this very text already", ErrNotEnabled, p.config.Name)
	}
	if compiler == nil {
		return &InputError{Err: ErrNoPrograms}
	}
	made, err := compiler(program.Name, program.Text)
	if err != nil {
		return misplaced(err)
	}
	if p.spec.Name == "" {
		if err := p.resolve(); err != nil {
			return &InputError{Err: err}
		}
	}
	if p.running {
		p.crash()
		w.fact(Fact{Kind: FactProcess, Process: p.config.Name, Verb: "crashed"})
	}
	// What takes the place of a reconciler in Go reads as scripts do.
	p.config.LiveReads = p.config.LiveReads || p.config.New != nil
	p.config.New, p.config.NewFor, p.program = nil, made, program
	p.restart()
	w.input()
	w.fact(Fact{Kind: FactProcess, Process: p.config.Name, Verb: "started", Text: program.Name})
	return nil
}

// workers sets how many keys a process works on at a time, from now on; passes in
// hand go on.
func (w *World) workers(args []string) error {
	if len(args) != 2 {
		return &InputError{Err: errors.New("usage: workers PROCESS N")}
	}
	p, err := w.process(args[0])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n < 1 {
		return &InputError{Err: fmt.Errorf("workers takes a number from 1, not %q", args[1])}
	}
	p.config.Workers, p.spec.MaxConcurrentReconciles = n, n
	if p.running {
		p.ctrl.SetWorkers(n)
	}
	return nil
}

// misplaced is a program's error as an *InputError at its place.
func misplaced(err error) *InputError {
	in := &InputError{Err: err}
	var at interface{ Position() (line, col int) }
	if errors.As(err, &at) {
		in.Line, in.Col = at.Position()
	}
	return in
}
