package script

import (
	"path"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/script/shell"
)

// Error is a script that is refused before it is run. Line and Col are where the
// first of its problems stands.
type Error struct {
	File       string
	Line, Col  int
	Reason     string
	Suggestion string
	// All lists every problem, this one included.
	All []Problem
}

// Problem is one reason for which a script is refused or, with Warning, a doubt.
type Problem = shell.Problem

// Error says why, and what to write instead; Position says where.
func (e *Error) Error() string {
	s := e.Reason
	if e.Suggestion != "" {
		s += "; instead: " + e.Suggestion
	}
	return s
}

// Position is where the first problem stands.
func (e *Error) Position() (line, col int) { return e.Line, e.Col }

// Program is a script that has been read. It is never changed: any number of
// passes may run it.
type Program struct {
	name     string
	text     string
	unit     *shell.Unit
	warnings []Problem
	// start are the files of a process that just started; ages says that the
	// times of files may matter.
	start any
	ages  bool
}

// Compile reads a script. name is what calls and messages name it by, such as
// reconcile.sh. The error is an *Error.
func Compile(name, text string) (*Program, error) {
	unit, problems := shell.Parse(text)
	if unit != nil {
		return &Program{
			name: path.Base(name), text: text, unit: unit, warnings: problems, start: fresh(text), ages: agesMatter.MatchString(text),
		}, nil
	}
	e := &Error{File: path.Base(name)}
	for _, p := range problems {
		if !p.Warning {
			e.All = append(e.All, p)
		}
	}
	p := e.All[0]
	e.Line, e.Col, e.Reason, e.Suggestion = p.Line, p.Col, p.Reason, p.Suggestion
	return nil, e
}

// Warnings are what is doubtful in the script: it runs all the same.
func (p *Program) Warnings() []Problem { return p.warnings }

// Doubts are the Warnings as errors, each an *Error with its place.
func (p *Program) Doubts() []error {
	var out []error
	for _, w := range p.warnings {
		out = append(out, &Error{File: p.name, Line: w.Line, Col: w.Col, Reason: w.Reason, Suggestion: w.Suggestion})
	}
	return out
}

// Reconciler is the script as the reconciler of a resource. Its script sees the
// resource as $KIND, $PLURAL, $GROUP and $VERSION.
func (p *Program) Reconciler(kind, plural, group, version string) reconcile.Reconciler {
	return &reconciler{program: p, env: []string{
		"GROUP=" + group, "HOME=" + home, "KIND=" + kind, "PLURAL=" + plural, "VERSION=" + version,
	}}
}

const (
	home   = "/root"
	folder = "/root/op/reconcile"
)

// valued are kubectl's flags before a command that take a value.
var valued = []string{"-n", "--namespace", "-s", "--server", "--context", "--cluster", "--user", "--kubeconfig", "--as", "--request-timeout", "-v"}

// firstWords is how a call is named: the program, and what it is asked to do.
func firstWords(words []string) string {
	out := []string{path.Base(words[0])}
	want := 2
	if out[0] == "cloud" {
		want = 3
	}
	for i := 1; i < len(words) && len(out) < want; i++ {
		switch w := words[i]; {
		case slices.Contains(valued, w):
			i++
		case !strings.HasPrefix(w, "-"):
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}
