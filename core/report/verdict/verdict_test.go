package verdict_test

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/report/verdict"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// proof is the account of an exploration of the lab with some findings.
func proof(t *testing.T, found, stopped []judge.Finding) *verdict.Proof {
	t.Helper()
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	r := &explore.Result{Findings: append([]judge.Finding{}, found...), Stopped: append([]judge.Finding{}, stopped...)}
	r.Bounds = explore.Bounds{
		Faults: []string{"crash-after", "refused"}, Depth: 1, Schedules: []string{"order", "workers"}, Orders: 7,
		Places: 12, Passes: 5, Acts: 3, Runs: 31, States: 9,
	}
	r.Matrix = explore.Matrix{Faults: []string{"crash-after", "refused", "order", "workers"}, Rows: []explore.Row{{
		Site: "reconcile.sh:9 kubectl get", Cells: []explore.Cell{{Runs: 4, Found: 1}, {Runs: 3}, {}, {Runs: 2, Stopped: 1}},
	}}}
	return verdict.Prove(s, r, verdict.Again{Command: "reconcile prove --scenario lab", Run: "reconcile run --scenario lab"})
}

var (
	orphan = judge.Finding{Finding: judge.Orphan, Object: "lb/lb-0001", Call: "reconcile.sh:9 kubectl get", Fault: "crash-after", Sentence: "it is left", Choices: []string{"tick", "tick"}, Count: 2}
	broken = judge.Finding{Finding: judge.WrongState, Object: "the state", Sentence: "it does not hold", Check: "at most one", Choices: []string{"tick"}, Count: 1}
	waits  = judge.Finding{Finding: judge.Stopped, Object: "default/plain", Call: "reconcile.sh:9 kubectl get", Fault: "workers", Sentence: "not mine", Count: 1}
)

const bounds = "Bounds: a life of 3 acts with 5 passes; 2 kinds of fault (crash-after, refused) at 12 places, one in a run; " +
	"other orders (order, workers), one in a run and without faults, in 7 runs; seed 1; 31 runs in all, 9 states at rest told apart. " +
	"Of what is beyond these it says nothing."

// No verdict stands without its bounds, in whatever form.
func TestBoundsStandBesideTheVerdict(t *testing.T) {
	for _, c := range []struct {
		found, stopped []judge.Finding
		verdict, says  string
	}{
		{nil, nil, verdict.Clean, "Nothing found within these bounds."},
		{[]judge.Finding{orphan, broken}, []judge.Finding{waits}, verdict.Findings, "2 findings."},
		{nil, []judge.Finding{waits}, verdict.Stopped, "Nothing found within these bounds, but the reconciler stops and needs a person in 1 case."},
	} {
		p := proof(t, c.found, c.stopped)
		for form, text := range map[string]string{"text": string(p.Text()), "Markdown": string(p.Markdown()), "JUnit": string(p.JUnit())} {
			if !strings.Contains(text, c.says) || !strings.Contains(text, bounds) {
				t.Errorf("%s: no %q with %q in\n%s", form, c.says, bounds, text)
			}
			if strings.Contains(strings.ToLower(text), "proved") {
				t.Errorf("%s says that something is proved:\n%s", form, text)
			}
		}
		var j struct {
			Schema, Verdict string
			Findings        []struct {
				Finding, Object, Call, Fault, Sentence, Check string
				Choices                                       []string
				Count                                         int
			}
			Bounds struct {
				Faults, Schedules           []string
				Depth, Runs, States, Passes int
			}
		}
		if err := json.Unmarshal(p.JSON(), &j); err != nil {
			t.Fatal(err)
		}
		if j.Schema != "reconcile.report/v1" || j.Verdict != c.verdict || j.Findings == nil || len(j.Findings) != len(c.found) || len(j.Bounds.Faults) != 2 || j.Bounds.Runs != 31 || j.Bounds.Depth != 1 || len(j.Bounds.Schedules) != 2 {
			t.Errorf("JSON: %+v", j)
		}
		if len(c.found) > 0 && (j.Findings[0].Fault != "crash-after" || j.Findings[0].Count != 2 || len(j.Findings[0].Choices) != 2 || j.Findings[1].Check != "at most one") {
			t.Errorf("JSON: %+v", j.Findings)
		}
	}
}

// A reader of JUnit has a case for each finding, each place that holds, and each
// that needs a person, and their numbers add up.
func TestJUnit(t *testing.T) {
	var x struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(proof(t, []judge.Finding{orphan, broken}, []judge.Finding{waits}).JUnit(), &x); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range x.Suites[0].Cases {
		got = append(got, map[bool]string{true: "failed ", false: ""}[c.Failure != nil]+map[bool]string{true: "skipped ", false: ""}[c.Skipped != nil]+c.Name)
	}
	want := []string{
		"failed orphan of lb/lb-0001 by crash-after at reconcile.sh:9 kubectl get", "failed wrong-state of the state (at most one)",
		"skipped stopped of default/plain by workers at reconcile.sh:9 kubectl get", "refused at reconcile.sh:9 kubectl get",
	}
	if s := x.Suites[0]; strings.Join(got, "\n") != strings.Join(want, "\n") || s.Tests != 4 || s.Failures != 2 || s.Skipped != 1 {
		t.Errorf("%d tests, %d failures, %d skipped:\n%s", s.Tests, s.Failures, s.Skipped, strings.Join(got, "\n"))
	}
}
