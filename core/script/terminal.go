package script

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/script/shell"
)

// terminalFiles are those of a terminal that was just opened.
var terminalFiles = fresh("")

// Shell runs one line of the user's terminal: kubectl, pipes, jq, cloud, or a
// whole script in a line. Files stay for the next line; variables do not. One that is interrupted ends with
// 130, and with what it has printed.
func Shell(w reconcile.Wire, line, stdin string) (stdout, stderr string, code int) {
	unit, problems := shell.Parse(line)
	if unit == nil {
		for _, p := range problems {
			if p.Warning {
				continue
			}
			stderr += "bash: " + p.Reason
			if p.Suggestion != "" {
				stderr += "; instead: " + p.Suggestion
			}
			stderr += "\n"
		}
		return "", stderr, 2
	}
	s := newSession(w, terminalFiles, true)
	var out, errs limited
	c := s.config("bash")
	c.Dir, c.Env = home, []string{"HOME=" + home}
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &out, &errs
	c.At = func(_ string, _, _ int, words []string) { w.At(firstWords(words)) }
	code, err := shell.Run(unit, c)
	if s.over() {
		// What was printed and written until then stays.
		err, code = nil, 130
	}
	if err != nil {
		fmt.Fprintln(&errs, err)
	} else {
		s.remember()
	}
	return out.String(), tidy(errs.Bytes()), code
}

// tidy takes the line number out of the shell's own messages: a terminal has one
// line.
func tidy(errs []byte) string {
	var b strings.Builder
	for line := range bytes.Lines(errs) {
		b.WriteString(strings.Replace(string(line), "bash: line 1: ", "bash: ", 1))
	}
	return b.String()
}
