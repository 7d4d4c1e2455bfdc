package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/reconcile-playground/reconcile/core/object"
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
	for _, x := range r.Passes {
		x.account(p)
	}
	r.work(p)
	r.again(p)
	r.replay(p)
}

func (r *Report) summary() string {
	s := fmt.Sprintf("Scenario %s, seed %d. %s and %s of virtual time, from %s to %s.",
		r.Scenario.Name, r.Seed, count(len(r.Choices), "step"), r.Clock.Elapsed, r.Clock.Start, r.Clock.End)
	if n := len(r.Findings); n > 0 {
		return s + " " + count(n, "finding") + "."
	}
	return s + " Nothing found."
}

func (r *Report) evidence() string {
	i := r.Idempotence
	if !i.Unchanged {
		return fmt.Sprintf("A second pass over everything was not without effect: %s changed something.", count(i.Writes, "write"))
	}
	return fmt.Sprintf("A second pass over everything changed nothing: the resourceVersion of each of %s is as before, and so is the cloud.", count(len(i.ResourceVersions), "object"))
}

// account writes one pass as its six answers.
func (x Pass) account(p paper) {
	name := x.Key
	if x.Desired != nil {
		name = x.Desired.Object
	}
	p.section(3, name)
	p.para(fmt.Sprintf("Pass %d of %s, from %s to %s, because of: %s.", x.Pass, x.Process, x.Start, x.End, strings.Join(x.Why, "; ")))
	deletion := "not set"
	if x.DeletionTimestamp != nil {
		deletion = *x.DeletionTimestamp
	}
	rows := [][]string{
		{"Desired", x.desired()},
		{"Observed", lines(x.Observed, Reading.line)},
		{"Difference", lines(x.Diff, Change.line)},
		{"Action", lines(x.Actions, Action.line)},
		{"Requeue", x.requeue()},
		{"Status", x.status()},
		{"Finalizers", lines(x.Finalizers, strings.Clone)},
		{"deletionTimestamp", deletion},
	}
	if x.Log != "" {
		rows = append(rows, []string{"Log", x.Log})
	}
	p.table([]string{"Question", "Answer"}, rows)
}

func (x Pass) desired() string {
	if x.Desired == nil {
		return "not there"
	}
	spec, ok := x.Desired.Value.At("spec")
	if !ok {
		return x.Desired.line()
	}
	return strings.Join(leaves([]string{x.Desired.line()}, "spec", spec), "\n")
}

func (x Pass) requeue() string {
	switch {
	case x.Died:
		return "the process died"
	case x.Requeue == nil:
		return "under way"
	}
	s := x.Requeue.Kind
	if x.Requeue.Delay != "0s" {
		s += " " + x.Requeue.Delay
	}
	if x.Requeue.Reason != "" {
		s += ": " + x.Requeue.Reason
	}
	return s
}

func (x Pass) status() string {
	changes := object.Diff(x.Status.Before, x.Status.After)
	if len(changes) == 0 {
		return strings.Join(leaves([]string{"unchanged"}, "", x.Status.After), "\n")
	}
	return lines(changes, func(c object.Change) string { return changed(c.Path, c.Op, c.Before, c.After) })
}

func (r Reading) line() string {
	if r.Value.IsZero() {
		return r.Object + ": not there"
	}
	s := r.Object
	if r.ResourceVersion != "" {
		s += " rv " + r.ResourceVersion
	}
	return s + ", from the " + r.From
}

func (c Change) line() string {
	return c.Verb + " " + c.Object + " " + changed(c.Path, c.Op, c.Before, c.After)
}

func (a Action) line() string {
	s := a.Verb + " " + a.Object
	if a.Subresource != "" {
		s += " " + a.Subresource
	}
	s += ": " + string(a.Outcome)
	switch {
	case a.Before == a.After && a.After != "":
		s += ", rv " + a.After
	case a.Before != a.After:
		s += fmt.Sprintf(", rv %s → %s", or(a.Before, "none"), or(a.After, "none"))
	}
	if a.Message != "" {
		s += ": " + a.Message
	}
	return s
}

// changed words one change of a path; a whole object leaf by leaf.
func changed(path, op string, before, after any) string {
	switch {
	case op == "remove" && path == "":
		return "whole"
	case op == "add" && path == "":
		return "\n  " + strings.Join(leaves(nil, "", withoutNames(after)), "\n  ")
	case op == "add":
		return strings.Join(leaves(nil, path, after), "\n  ")
	case op == "remove":
		return path + " removed, was " + text(before)
	}
	return path + ": " + text(before) + " → " + text(after)
}

// withoutNames leaves out what the reference of an object says already.
func withoutNames(v any) any {
	m, ok := v.(*object.Map)
	if !ok {
		return v
	}
	o := object.New(m)
	for _, path := range [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}} {
		o = o.Unset(path...)
	}
	return o.Root()
}

// work writes the passes before the full one, and how all writes came out.
func (r *Report) work(p paper) {
	p.section(2, "What did the work")
	if r.Omitted > 0 {
		p.para(fmt.Sprintf("The first %s are left out.", passCount(r.Omitted)))
	}
	rows := [][]string{}
	for _, x := range r.Convergence {
		rows = append(rows, []string{strconv.Itoa(x.Pass), x.Start, x.Key, strings.Join(x.Why, "\n"), lines(x.Actions, Action.line), x.requeue()})
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
	p.para(fmt.Sprintf("%s, %s sent, %s with an effect. In the cloud before: %s; after: %s.", passCount(len(i.Passes)), count(i.Sent, "write"), plainNumber(i.Writes),
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

// leaves appends path = value for every leaf of a tree.
func leaves(out []string, path string, v any) []string {
	switch v := v.(type) {
	case *object.Map:
		if v.Len() == 0 {
			break
		}
		for k, x := range v.All() {
			out = leaves(out, object.JoinPath(path, k), x)
		}
		return out
	case *object.List:
		if v.Len() == 0 {
			break
		}
		for i, x := range v.All() {
			out = leaves(out, path+"["+strconv.Itoa(i)+"]", x)
		}
		return out
	case nil:
		return out
	}
	return append(out, path+" = "+text(v))
}

func text(v any) string { return string(object.EncodeJSON(v)) }

// lines words each item on a line; "none" where there are none.
func lines[T any](items []T, line func(T) string) string {
	if len(items) == 0 {
		return "none"
	}
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = line(item)
	}
	return strings.Join(out, "\n")
}

func or(s, empty string) string {
	if s == "" {
		return empty
	}
	return s
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return plainNumber(n) + " " + noun
}

func passCount(n int) string {
	if n == 1 {
		return "1 pass"
	}
	return plainNumber(n) + " passes"
}

func plainNumber(n int) string {
	if n == 0 {
		return "no"
	}
	return strconv.Itoa(n)
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
