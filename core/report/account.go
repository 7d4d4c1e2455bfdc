package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/reconcile-playground/reconcile/core/sim"
)

// paper is what an account is written on. Texts are plain: the paper escapes
// them. A line break in a cell stays one.
type paper interface {
	title(text string)
	section(level int, text string)
	para(text string)
	bullets(items []string)
	table(head []string, rows [][]string)
	pre(text string)
}

// account writes the report for people.
func (r *Report) account(p paper) {
	p.title(r.Scenario.Title)
	p.para(r.summary())
	p.para(r.evidence())
	p.bullets(r.Notes)
	if len(r.Findings) > 0 {
		p.section(2, "Findings")
		rows := [][]string{}
		for _, f := range r.Findings {
			rows = append(rows, []string{f.Finding, f.Object, f.Sentence, strconv.Itoa(f.Count)})
		}
		p.table([]string{"Finding", "Object", "What happens", "Count"}, rows)
	}
	p.section(2, "One full pass")
	p.para("At rest, the controller looks at every resource once. For each one: what it should be, what is there, what differs, what is done about it, when to look again, and what the status says.")
	for _, x := range r.full {
		onePass(p, x)
	}
	r.work(p)
	r.again(p)
	r.replay(p)
}

func (r *Report) summary() string {
	s := fmt.Sprintf("Scenario %s, seed %d. %s, and %d more that this report made: to come to rest, and for two full passes. %s of virtual time in all, from %s to %s.",
		r.Scenario.Name, r.Seed, number(r.Given, "step"), len(r.Choices)-r.Given, r.Clock.Elapsed, r.Clock.Start, r.Clock.End)
	if n := len(r.Findings); n > 0 {
		return s + " " + number(n, "finding") + "."
	}
	return s + " Nothing found."
}

func (r *Report) evidence() string {
	i := r.Idempotence
	if !i.Unchanged {
		return fmt.Sprintf("A second pass over everything was not without effect: %s changed something.", number(i.Writes, "write"))
	}
	return fmt.Sprintf("A second pass over everything changed nothing: the resourceVersion of each of %s is as before, and so is the cloud.", number(len(i.ResourceVersions), "object"))
}

// onePass writes one pass as its six answers.
func onePass(p paper, x *sim.Pass) {
	name := x.Key
	if x.Desired != nil {
		name = x.Desired.Ref
	}
	p.section(3, name)
	p.para(fmt.Sprintf("Pass %d of %s, from %s to %s, because of: %s.", x.ID, x.Process, x.Start, x.End, why(x, "; ")))
	rows := [][]string{}
	for _, a := range x.Answers() {
		text := strings.Join(a.Lines, "\n")
		if a.Question == "status" && x.Status != nil && text == "unchanged" {
			text = strings.Join(append(a.Lines, sim.Leaves(x.Status.After)...), "\n")
		}
		rows = append(rows, []string{questions[a.Question], text})
	}
	rows = append(rows,
		[]string{"Finalizers", or(strings.Join(x.Left.Finalizers(), "\n"), "none")},
		[]string{"deletionTimestamp", or(x.Left.DeletionTimestamp(), "not set")})
	if x.Log != "" {
		rows = append(rows, []string{"Log", x.Log})
	}
	p.table([]string{"Question", "Answer"}, rows)
}

// questions are the headings of the six answers.
var questions = map[string]string{
	"desired": "Desired", "observed": "Observed", "diff": "Difference", "action": "Action", "requeue": "Requeue", "status": "Status",
}

func why(x *sim.Pass, separator string) string {
	out := make([]string, len(x.Why))
	for i, w := range x.Why {
		out[i] = w.Text
	}
	return strings.Join(out, separator)
}

// work writes the passes before the full one, and how all writes came out.
func (r *Report) work(p paper) {
	p.section(2, "What did the work")
	if r.Omitted > 0 {
		p.para(fmt.Sprintf("The first %s are left out.", passCount(r.Omitted)))
	}
	rows := [][]string{}
	for _, x := range r.before {
		a := x.Answers()
		rows = append(rows, []string{strconv.Itoa(x.ID), x.Start.String(), x.Key, why(x, "\n"), strings.Join(a[3].Lines, "\n"), a[4].Lines[0]})
	}
	p.table([]string{"Pass", "At", "Key", "Because of", "Writes", "Requeue"}, rows)
	p.section(2, "Writes by outcome")
	rows = nil
	for _, o := range Outcomes {
		rows = append(rows, []string{string(o), strconv.Itoa(r.Totals[o])})
	}
	p.table([]string{"Outcome", "Writes of all passes"}, rows)
}

// again writes the evidence of idempotence.
func (r *Report) again(p paper) {
	p.section(2, "Doing it again")
	i := r.Idempotence
	p.para(fmt.Sprintf("%s: %s sent, %d with an effect. In the cloud before: %s; after: %s.", passCount(len(i.Passes)), number(i.Sent, "write"), i.Writes,
		or(strings.Join(i.Cloud.Before, ", "), "nothing"), or(strings.Join(i.Cloud.After, ", "), "nothing")))
	rows := [][]string{}
	for _, v := range i.ResourceVersions {
		same := "same"
		if v.Before != v.After {
			same = "changed"
		}
		rows = append(rows, []string{v.Object, or(v.Before, "none"), or(v.After, "none"), same})
	}
	p.table([]string{"Object", "resourceVersion before", "after", ""}, rows)
}

// replay writes what it takes to play the run again.
func (r *Report) replay(p paper) {
	p.section(2, "Play it again")
	p.para(fmt.Sprintf("The run is a function of the scenario and the choices below; the first %d were given, this report made the others. Kept as FILE.txtar and CHOICES, they repeat it: reconcile run --scenario FILE.txtar --choices CHOICES", r.Given))
	p.para(fmt.Sprintf("Behaviour of Kubernetes %s; semantics %d.", r.Versions.Kubernetes, r.Versions.Semantics))
	if r.Scenario.Restored {
		p.para("The run began with a cluster that was imported or restored from storage, not with the scenario's own: export the cluster to replay it.")
	}
	p.section(3, "Choices")
	p.pre(strings.Join(r.Choices, "\n"))
	p.section(3, "Scenario")
	p.pre(r.Scenario.Document)
}

func or(s, empty string) string {
	if s == "" {
		return empty
	}
	return s
}

func number(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

func passCount(n int) string {
	if n == 1 {
		return "1 pass"
	}
	return strconv.Itoa(n) + " passes"
}

// visible writes out what a reader cannot see or what would turn the text
// around: control and format characters.
func visible(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hidden(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }
