package engine

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// ScriptName is the editor's file that holds a reconciler in bash.
const ScriptName = "reconcile.sh"

// setScript rolls a script out in place of a controller's program, and keeps it
// as a file of the editor. process "" is the only controller, or the first.
func (e *Engine) setScript(text, name, process string) (any, error) {
	if name == "" {
		name = ScriptName
	}
	if process == "" {
		process = e.line.World().ProcessesHead(0)[0].Name
	}
	ev, err := e.choose(sim.Act("deploy", process, name, text))
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(e.files, func(f File) bool { return f.Name == name })
	if at < 0 {
		at = len(e.files)
		e.files = append(e.files, File{Name: name})
	}
	changed := e.files[at].Text != text || e.files[at].Applied != text
	e.files[at].Text, e.files[at].Applied = text, text
	if len(e.scenario.Controllers) == 1 {
		// What ran before does so no longer.
		for i := range e.files {
			if f := &e.files[i]; i != at && strings.HasSuffix(f.Name, ".sh") && f.Applied != "" {
				f.Applied, changed = "", true
			}
		}
	}
	if changed {
		e.told.files = false
		e.lost(e.commitFiles())
	}
	return doubted{ev, doubts(name, text)}, nil
}

// withDeployed are files with the scripts that choices rolled out, each with its
// last text. A file of that name that is there already stays as the person left
// it, unless over.
func withDeployed(files []File, choices []string, over bool) []File {
	known := len(files)
	for _, c := range choices {
		a, err := sim.ParseAction(c)
		if err != nil || a.Verb != "deploy" || len(a.Args) != 3 {
			continue
		}
		f := File{Name: a.Args[1], Text: a.Args[2], Applied: a.Args[2]}
		switch at := slices.IndexFunc(files, func(g File) bool { return g.Name == f.Name }); {
		case at < 0:
			files = append(files, f)
		case over || at >= known:
			files[at] = f
		}
	}
	return files
}

// doubted is the result of a text that was taken although parts of it are
// doubtful.
type doubted struct {
	event sim.Event
	marks []Mark
}

// Output is what a line of the terminal printed.
type Output struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	// Order is a sim.Fact's.
	Order string `json:"order,omitempty"`
	// Code is the exit status.
	Code int `json:"code"`
	// Stopped says why a line was stopped that did not end by itself: by the
	// "reader", or because the world went no further ("quiet", "time-up",
	// "spinning").
	Stopped string `json:"stopped,omitempty"`
}

// kubectl runs one kubectl command, with or without the word, as a user.
func (e *Engine) kubectl(id int64, line string) (any, error) {
	if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word != "kubectl" {
		line = "kubectl " + line
	}
	return e.shell(id, line, "")
}

// shell runs one line of the user's terminal. Where it waits for time to pass
// (sleep, wait, get -w) the world goes on as in a run, until the line ends. One
// that is interrupted, or watches a world that has come to rest, ends as by Ctrl-C.
func (e *Engine) shell(id int64, line, stdin string) (any, error) {
	args := []string{line}
	if stdin != "" {
		args = append(args, stdin)
	}
	ev, err := e.choose(sim.Act("shell", args...))
	if err != nil {
		return nil, err
	}
	stopped := ""
	for steps := 1; ; steps++ {
		if out, ok := output(ev); ok {
			out.Stopped = stopped
			return out, nil
		}
		a, rest := e.line.World().NextInRun()
		if rest != sim.Going {
			stopped = string(rest)
		} else if e.port.Interrupted() {
			stopped = "reader"
		}
		if stopped != "" {
			a = sim.Act("interrupt")
		}
		if ev, err = e.choose(a); err != nil {
			return nil, err
		}
		e.progress(id, steps)
	}
}

// output finds what a line of the terminal printed in this event, if it ended.
func output(ev sim.Event) (Output, bool) {
	for _, f := range ev.Facts {
		if f.Kind == sim.FactOutput {
			return Output{Stdout: f.Text, Stderr: f.Stderr, Order: f.Order, Code: f.Code}, true
		}
	}
	return Output{}, false
}

// playable is an error where choices hold what needs scripts, and this engine
// runs none: they would replay to something else.
func playable(choices []string) error {
	needs := func(choice string) bool {
		return strings.HasPrefix(choice, "deploy ") || strings.HasPrefix(choice, "shell ")
	}
	if !scenario.RunsScripts() && slices.ContainsFunc(choices, needs) {
		return scenario.ErrNoScripts
	}
	return nil
}
