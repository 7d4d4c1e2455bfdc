package script

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/script/shell"
)

// terminalFiles are those of a terminal that was just opened.
var terminalFiles = fresh("")

// Shell runs one line of the user's terminal: kubectl, pipes, jq, cloud, or a
// whole script in a line. Files stay for the next line; variables do not. One that is interrupted ends with
// 130, and with what it has printed. order has the lengths of what was written in turn to the one and the other,
// beginning with standard output; it is empty where all of that came first.
func Shell(w reconcile.Wire, line, stdin string) (stdout, stderr, order string, code int) {
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
		return "", stderr, "", 2
	}
	s := newSession(w, terminalFiles, true)
	var said pieces
	out, errs := &piece{to: &said}, &piece{to: &said, errs: true}
	c := s.config("bash")
	c.Dir, c.Env = home, []string{"HOME=" + home}
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), out, errs
	c.At = func(_ string, _, _ int, words []string) { w.At(firstWords(words)) }
	code, err := shell.Run(unit, c)
	if s.over() {
		// What was printed and written until then stays.
		err, code = nil, 130
	}
	if err != nil {
		fmt.Fprintln(errs, err)
	} else {
		s.remember()
	}
	stdout, stderr, order = said.texts()
	return stdout, stderr, order, code
}

// pieces are what was written in turn to standard output and to standard error, beginning with the former.
type pieces []*limited

// piece writes to standard output or standard error.
type piece struct {
	to   *pieces
	errs bool
	all  limited
}

// Write implements io.Writer.
func (p *piece) Write(text []byte) (int, error) {
	if n, err := p.all.Write(text); err != nil || n == 0 {
		return n, err
	}
	// The pieces of standard error have the odd places.
	for len(*p.to) == 0 || (len(*p.to)%2 == 0) != p.errs {
		*p.to = append(*p.to, new(limited))
	}
	return (*p.to)[len(*p.to)-1].Write(text)
}

// texts puts the pieces together.
func (p pieces) texts() (stdout, stderr, order string) {
	var out, errs strings.Builder
	lengths := make([]string, len(p))
	for i, piece := range p {
		to, text := &out, piece.String()
		if i%2 == 1 {
			to, text = &errs, tidy(piece.Bytes())
		}
		to.WriteString(text)
		lengths[i] = strconv.Itoa(len(text))
	}
	if len(p) > 2 {
		order = strings.Join(lengths, ",")
	}
	return out.String(), errs.String(), order
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
