package script

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/script/shell"
)

// reconciler runs a script for each pass.
type reconciler struct {
	program *Program
	env     []string
}

// twin is what a pass of a script goes by, beside its key and its answers.
type twin struct {
	program *Program
	env     string
	memory  any
}

// Twin implements reconcile.Repeatable. Files of the same names and contents are the
// same where nothing looks at their times.
func (r *reconciler) Twin(m any) any {
	if files, ok := m.(*memory); ok && !r.program.ages {
		m = files.sum
	}
	return twin{r.program, strings.Join(r.env, "\n"), m}
}

// Reconcile implements reconcile.Reconciler. A script that exits with another
// status than 0 is an error, which carries the last line of its standard error.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	w := reconcile.WireFrom(ctx)
	s := newSession(w, r.program.start, r.program.ages)
	log := &lines{log: w.Log, e: s}
	var out limited
	key := req.Name
	if req.Namespace != "" {
		key = req.Namespace + "/" + req.Name
	}
	c := s.config(folder + "/" + scriptName)
	c.Args, c.Env, c.Stdout, c.Stderr = []string{key}, r.env, &out, log
	c.At = func(file string, line, from int, words []string) {
		if file == folder+"/"+scriptName {
			file = r.program.name
		}
		at := fmt.Sprintf("%s:%d %s", file, line, firstWords(words))
		if from > 0 {
			at += fmt.Sprintf(", from line %d", from)
		}
		w.At(at)
	}
	ended, said := "", ""
	c.Left = func(file string, line, from int) {
		if file != folder+"/"+scriptName {
			return
		}
		if ended = fmt.Sprintf("%s:%d", r.program.name, line); from > 0 {
			ended += fmt.Sprintf(", from line %d", from)
		}
		log.flush()
		said = log.last
	}
	for _, p := range r.program.warnings {
		w.Log(fmt.Sprintf("warning: %s:%d:%d: %s", r.program.name, p.Line, p.Col, p.Reason))
	}
	code, err := shell.Run(r.program.unit, c)
	log.flush()
	if err != nil {
		return reconcile.Result{}, stopped(r.program.name, err)
	}
	s.remember()
	if code != 0 {
		return reconcile.Result{}, &ExitError{Code: code, Last: cmp.Or(said, log.last), At: ended}
	}
	result, warnings, err := decide(out.String())
	for _, warning := range warnings {
		w.Log("warning: " + warning)
	}
	if err != nil {
		err = reconcile.Undecided(err)
	}
	return result, err
}

// scriptName is the file of a script in its folder.
const scriptName = "reconcile.sh"

// stopped is the error of a run that was ended from outside.
func stopped(name string, err error) error {
	var s *shell.Stop
	if errors.As(err, &s) {
		return fmt.Errorf("%s: %s", name, s.Message)
	}
	return err
}

// ExitError is a script that ended with another exit status than 0.
type ExitError struct {
	Code int
	// Last is the last line that it wrote to standard error before it ended, or else
	// in its EXIT trap; of several that were written at once, as kubectl does, the one
	// that names the error. Empty where the last is kubectl's word of a success.
	Last string
	// At is where the script ended: reconcile.sh:41.
	At string
}

// Line is where the script ended.
func (e *ExitError) Line() string { return e.At }

// Error reads "Error from server (NotFound): ... (exit status 1)"; of a script that
// said nothing it tells where it ended.
func (e *ExitError) Error() string {
	switch {
	case e.Last == "" && e.At != "":
		return fmt.Sprintf("exit status %d at %s", e.Code, e.At)
	case e.Last == "":
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return fmt.Sprintf("%s (exit status %d)", strings.TrimSpace(e.Last), e.Code)
}

// lines hands a stream on line by line.
type lines struct {
	log  func(string)
	e    *session
	buf  []byte
	last string
	all  int
	// telling is the line that names an error, of what is being written at once.
	telling string
}

// maxLog is how much a script may write to standard error in one pass.
const maxLog = 1 << 20

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	if l.all += len(p); l.all > maxLog {
		shell.Halt("budget", "stopped: more than 1 MiB on standard error")
	}
	l.buf, l.telling = append(l.buf, p...), ""
	for {
		i := bytes.IndexByte(l.buf, '\n')
		if i < 0 {
			return len(p), nil
		}
		l.line(string(l.buf[:i]))
		l.buf = l.buf[i+1:]
	}
}

func (l *lines) line(text string) {
	switch {
	case strings.TrimSpace(text) == "":
	case strings.HasSuffix(l.telling, ":"):
		l.telling += " " + strings.TrimLeft(text, " -*")
	case l.telling == "" && tells(text):
		l.telling = text
	}
	if l.telling != "" {
		l.last = l.telling
	} else if succeeds.MatchString(text) {
		l.last = ""
	} else if strings.TrimSpace(text) != "" {
		l.last = text
	}
	l.log(text)
}

// succeeds is what kubectl says of what it did, which is often sent to standard
// error: the reason of no error.
var succeeds = regexp.MustCompile(`^[a-z0-9.-]+/\S+ (created|configured|unchanged|serverside-applied|replaced|patched|labeled|unlabeled|not labeled|annotated|not annotated|scaled|edited|condition met)\b|^[a-z0-9.-]+ "\S+" (force )?deleted`)

// tells reports whether a line begins what kubectl or jq says of an error: there may
// be more lines to it, of advice.
func tells(line string) bool {
	for _, begin := range []string{"error:", "Error from server", "Apply failed", "jq: "} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return strings.HasPrefix(line, "The ") && strings.Contains(line, " is invalid:")
}

func (l *lines) flush() {
	if len(l.buf) > 0 {
		l.line(string(l.buf))
		l.buf = nil
	}
}

// limited is standard output.
type limited struct{ bytes.Buffer }

// maxOut is how much a script may write to standard output in one pass.
const maxOut = 16 << 20

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxOut {
		shell.Halt("budget", "stopped: more than 16 MiB on standard output")
	}
	return l.Buffer.Write(p)
}

// epoch is the time of the files that a process begins with.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
