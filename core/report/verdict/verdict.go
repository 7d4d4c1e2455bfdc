package verdict

import (
	"bytes"
	"encoding/json"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/grade"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/report"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// The verdicts.
const (
	Clean    = "clean"
	Findings = "findings"
	Stopped  = "stopped"
)

// Proof is the account of an exploration.
type Proof struct {
	Schema   string          `json:"schema"`
	Verdict  string          `json:"verdict"`
	Scenario report.Scenario `json:"scenario"`
	Seed     uint64          `json:"seed"`
	Versions report.Versions `json:"versions"`
	// Findings are always there, and Bounds beside them.
	Findings []judge.Finding `json:"findings"`
	Bounds   explore.Bounds  `json:"bounds"`
	// Stopped are the runs after which the reconciler waits for a person.
	Stopped []judge.Finding `json:"stopped"`
	Matrix  explore.Matrix  `json:"matrix"`
	// Again is the command line that does it again.
	Again string `json:"again"`
	again Again
}

// Prove makes the account of an exploration. again is how to do it again.
func Prove(s *scenario.Scenario, r *explore.Result, again Again) *Proof {
	p := &Proof{
		Schema: report.Schema, Verdict: Clean, Scenario: report.Scenario{Name: s.Name, Title: s.Title, Document: s.Source()}, Seed: s.Seed,
		Versions: report.Versions{Kubernetes: sim.Kubernetes, Semantics: sim.Semantics},
		Findings: r.Findings, Bounds: r.Bounds, Stopped: r.Stopped, Matrix: r.Matrix, Again: again.Command, again: again,
	}
	switch {
	case len(r.Findings) > 0:
		p.Verdict = Findings
	case len(r.Stopped) > 0:
		p.Verdict = Stopped
	}
	return p
}

// Mark is the account of a grade.
type Mark struct {
	Schema   string          `json:"schema"`
	Lesson   string          `json:"lesson"`
	Scenario report.Scenario `json:"scenario"`
	Seed     uint64          `json:"seed"`
	Versions report.Versions `json:"versions"`
	*grade.Grade
	Again string `json:"again"`
	again Again
}

// Graded makes the account of a grade.
func Graded(s *scenario.Scenario, g *grade.Grade, again Again) *Mark {
	return &Mark{
		Schema: report.Schema, Lesson: s.Name, Scenario: report.Scenario{Name: s.Name, Title: s.Title, Document: s.Source()}, Seed: s.Seed,
		Versions: report.Versions{Kubernetes: sim.Kubernetes, Semantics: sim.Semantics}, Grade: g, Again: again.Command, again: again,
	}
}

// JSON returns the account as indented JSON. Fields are always there and in the
// same order.
func (p *Proof) JSON() []byte { return indented(p) }

// JSON returns the account as indented JSON.
func (m *Mark) JSON() []byte { return indented(m) }

func indented(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic(err) // strings, numbers and trees always encode
	}
	return b.Bytes()
}
