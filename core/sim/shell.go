package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/reconcile"
)

// Shell runs one line of the user's terminal over a wire, as a pass runs: it
// keeps nothing but what it has the wire remember. order is a Fact's Order.
type Shell func(w reconcile.Wire, line, stdin string) (stdout, stderr, order string, code int)

// shell is what UseShell named.
var shell Shell

// UseShell names what runs the user's terminal in every world; without it the
// action shell is refused. As UseRules, it is a part of the program: call it
// once, before there is a world.
func UseShell(s Shell) { shell = s }

// ErrNoShell is the cause of the *InputError of a line where nothing runs it.
var ErrNoShell = errors.New("this build has no shell")

// terminal is the user's shell: what it remembers, and the line that it is busy
// with. The calls of a line are served in the step that runs it; a line that
// sleeps goes on with wake.
type terminal struct {
	memory any
	run    *controller.Pass
	line   shellLine
	// seen is the revision up to which the line has looked when it began to sleep.
	seen int64
}

// shellLine runs one line as a pass. What it prints is the last thing that the
// pass remembers.
type shellLine struct{ line, stdin string }

// said is the memory of a terminal whose line has ended.
type said struct {
	memory                any
	stdout, stderr, order string
	code                  int
}

// Reconcile implements reconcile.Reconciler.
func (l shellLine) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	w := reconcile.WireFrom(ctx)
	stdout, stderr, order, code := shell(w, l.line, l.stdin)
	w.Remember(func(memory any) any { return said{memory, stdout, stderr, order, code} })
	return reconcile.Result{}, nil
}

func (t terminal) clone() terminal {
	if t.run != nil {
		t.run = t.run.Clone(t.line)
	}
	return t
}

func (t terminal) release() {
	if t.run != nil {
		t.run.Release()
	}
}

// wakes is when the line goes on that the terminal is busy with.
func (t terminal) wakes() (time.Time, bool) {
	if t.run == nil {
		return time.Time{}, false
	}
	c, _ := t.run.Parked()
	return c.Wakes()
}

// Busy returns the line that the user's terminal is busy with.
func (w *World) Busy() (line string, busy bool) { return w.terminal.line.line, w.terminal.run != nil }

// userShell begins a line of the terminal.
func (w *World) userShell(args []string) error {
	switch {
	case shell == nil:
		return &InputError{Err: ErrNoShell}
	case len(args) == 0 || len(args) > 2:
		return &InputError{Err: errors.New("usage: shell LINE [STDIN]")}
	case w.terminal.run != nil:
		return &InputError{Err: fmt.Errorf("the terminal is busy with %q: interrupt it first", w.terminal.line.line)}
	}
	w.terminal.line = shellLine{line: args[0]}
	if len(args) == 2 {
		w.terminal.line.stdin = args[1]
	}
	w.looked()
	w.passID++
	w.terminal.run = controller.Start(w.terminal.line, reconcile.Request{Name: "terminal"}, w.userEnv())
	w.typed()
	return nil
}

// interrupt ends the line that the terminal is busy with, as Ctrl-C does. What it
// has printed so far is told.
func (w *World) interrupt() error {
	t := &w.terminal
	if t.run == nil {
		return fmt.Errorf("%w: the terminal is not busy", ErrNotEnabled)
	}
	w.looked()
	t.run.Resume(w.userEnv(), controller.Reply{Interrupted: true})
	if _, goesOn := t.run.Parked(); !goesOn {
		w.printed()
		return nil
	}
	// It does not heed it.
	t.run.Kill()
	t.run = nil
	w.fact(Fact{Kind: FactOutput, By: "user", Code: 130})
	return nil
}

// watches reports whether the terminal's line waits for a change without an end
// of its own, and has seen all changes so far.
func (w *World) watches() bool {
	c, parked := w.terminal.run.Parked()
	return parked && c.Await && w.terminal.seen == w.server.Revision()
}

// wakeTerminal goes on with a line that has slept long enough.
func (w *World) wakeTerminal() error {
	if at, sleeps := w.terminal.wakes(); !sleeps || at.After(w.now) {
		return fmt.Errorf("%w: the terminal waits for no time that has come", ErrNotEnabled)
	}
	w.terminal.run.Resume(w.userEnv(), controller.Reply{})
	w.typed()
	return nil
}

func (w *World) userEnv() controller.Env {
	return controller.Env{
		Now: w.now, Memory: w.terminal.memory, Seed: seed(w.config.Seed, w.passID),
		Discover: func(req api.Request) api.Response { return w.server.Do(w.now, req) },
	}
}

// typed serves the calls of the terminal's line until it sleeps or ends.
func (w *World) typed() {
	t := &w.terminal
	for {
		c, ok := t.run.Parked()
		switch {
		case !ok:
			w.printed()
			return
		case c.Sleep > 0:
			t.seen = w.server.Revision()
			return
		}
		t.run.Resume(w.userEnv(), w.serveUser(c))
	}
}

// printed tells what a line of the terminal printed.
func (w *World) printed() {
	t := &w.terminal
	_, err, _ := t.run.Ended()
	w.clocked = w.clocked || t.run.Clocked()
	out, ok := t.run.Remembered(t.memory).(said)
	if !ok {
		out = said{memory: t.memory, code: 1}
		if err != nil {
			out.stderr = err.Error() + "\n"
		}
	}
	t.run, t.memory = nil, out.memory
	w.fact(Fact{Kind: FactOutput, By: "user", Text: out.stdout, Stderr: out.stderr, Order: out.order, Code: out.code})
}

// serveUser carries out one call of the user's and tells of it if it is a write.
func (w *World) serveUser(c controller.Call) (reply controller.Reply) {
	switch {
	case c.Cloud != nil:
		if c.Writes() {
			w.input()
		}
		before := w.cloud.Changes()
		reply.Cloud = w.cloud.Do(w.now, *c.Cloud)
		w.outside(before, "user")
		return reply
	case c.Events:
		return w.watched(*c.API, c.After)
	}
	req := *c.API
	if req.UserAgent == "" {
		req.UserAgent = kubectlAgent
	}
	before := w.stored(req)
	reply.API = w.server.Do(w.now, req)
	if !req.Verb.Writes() {
		return reply
	}
	w.input()
	rec := recorder{world: w}
	f := Fact{Kind: FactCall, Verb: string(req.Verb), Ref: rec.ref(req), Resource: req.Subresource, By: "user", Code: reply.API.Code}
	f.Outcome = writeOutcome(req, reply.API, before, w.stored(req))
	if err := reply.API.Err(); err != nil {
		f.Text = err.Error()
	} else if o := reply.API.Object; o.Kind() != "" && o.Kind() != "Status" {
		f.Ref = w.name(o.Ref())
	}
	w.fact(f)
	return reply
}
