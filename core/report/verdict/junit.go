package verdict

import (
	"bytes"
	"encoding/xml"
	"strings"

	"github.com/reconcile-playground/reconcile/core/judge"
)

// suites is a JUnit file, as the readers of CI systems take it.
type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Suites   []suite  `xml:"testsuite"`
}

type suite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Cases    []testcase `xml:"testcase"`
	Out      string     `xml:"system-out,omitempty"`
}

type testcase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Failure *failure `xml:"failure"`
	Error   *failure `xml:"error"`
	Skipped *skipped `xml:"skipped"`
}

// skipped is a case that neither passes nor fails: it needs a person, or had no
// occasion.
type skipped struct {
	Message string `xml:"message,attr"`
}

type failure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit returns a case for each check.
func (m *Mark) JUnit() []byte {
	s := suite{Name: m.Lesson}
	for _, c := range m.Checks {
		t := testcase{Class: "grade." + m.Lesson, Name: c.Name}
		switch {
		case c.NoOccasion:
			t.Skipped = &skipped{c.Happened}
		case !c.Passed:
			t.Failure = &failure{c.Finding, c.Happened, "expected: " + c.Expected + "\nhappened: " + c.Happened + "\nchoices:\n" + strings.Join(c.Choices, "\n")}
		}
		s.Cases = append(s.Cases, t)
	}
	return printed("grade", s)
}

// JUnit returns a case for each place and fault, and one for each finding that
// needs no fault.
func (p *Proof) JUnit() []byte {
	s := suite{Name: p.Scenario.Name, Out: p.sentence() + " " + p.bounds()}
	for _, f := range p.Findings {
		s.Cases = append(s.Cases, testcase{Class: "prove." + p.Scenario.Name, Name: nameOf(f), Failure: failed(f)})
	}
	for _, f := range p.Stopped {
		s.Cases = append(s.Cases, testcase{Class: "prove." + p.Scenario.Name, Name: nameOf(f), Skipped: &skipped{f.Sentence}})
	}
	for _, r := range p.Matrix.Rows {
		for i, c := range r.Cells {
			if c.Runs > 0 && c.Found == 0 && c.Stopped == 0 {
				s.Cases = append(s.Cases, testcase{Class: "prove." + p.Scenario.Name, Name: p.Matrix.Faults[i] + " at " + r.Site})
			}
		}
	}
	return printed("prove", s)
}

// nameOf is what a finding's case is called.
func nameOf(f judge.Finding) string {
	name := f.Finding + " of " + f.Object
	if f.Check != "" {
		name += " (" + f.Check + ")"
	}
	if f.Fault != "" {
		name += " by " + f.Fault + " at " + f.Call
	}
	return name
}

func failed(f judge.Finding) *failure {
	return &failure{f.Finding, f.Sentence, f.Sentence + "\nchoices:\n" + strings.Join(f.Choices, "\n")}
}

func printed(name string, s suite) []byte {
	s.Tests = len(s.Cases)
	for _, c := range s.Cases {
		if c.Failure != nil {
			s.Failures++
		}
		if c.Error != nil {
			s.Errors++
		}
		if c.Skipped != nil {
			s.Skipped++
		}
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", "  ")
	if err := enc.Encode(suites{Name: name, Tests: s.Tests, Failures: s.Failures, Errors: s.Errors, Suites: []suite{s}}); err != nil {
		panic(err) // texts always encode
	}
	b.WriteByte('\n')
	return b.Bytes()
}
