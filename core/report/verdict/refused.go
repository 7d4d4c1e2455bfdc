package verdict

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/report"
)

// Refused is the account of what could not be played: a script or a scenario that
// is at fault. Readers of reports find it where they look for one.
type Refused struct {
	Schema string `json:"schema"`
	// Scenario has only the name that was asked for.
	Scenario report.Scenario `json:"scenario"`
	// Error says where and what, as on the standard error.
	Error string `json:"error"`
	// Findings is empty: nothing was played.
	Findings []struct{} `json:"findings"`
}

// NewRefused is the account of an error.
func NewRefused(scenario string, err error) *Refused {
	return &Refused{Schema: report.Schema, Scenario: report.Scenario{Name: scenario}, Error: err.Error(), Findings: []struct{}{}}
}

// JSON returns the account as indented JSON.
func (r *Refused) JSON() []byte { return indented(r) }

// JUnit returns a single case that ended in an error.
func (r *Refused) JUnit() []byte {
	return printed("refused", suite{Name: r.Scenario.Name, Cases: []testcase{{
		Class: "refused." + r.Scenario.Name, Name: "the input can be played", Error: &failure{"refused", firstLine(r.Error), r.Error},
	}}})
}

// Markdown returns a heading and the error as code.
func (r *Refused) Markdown() []byte {
	return []byte("# " + r.Scenario.Name + ": refused\n\nNothing was played.\n\n" + indentedCode(r.Error))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// indentedCode is a block of code whose text cannot end it.
func indentedCode(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ") + "\n"
}
