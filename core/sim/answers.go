package sim

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Answer is one of the questions about a pass, with its answer in words: a line
// for each thing that was read, would change or was written.
type Answer struct {
	Question string
	Lines    []string
}

// Answers words the six answers of a pass, in their order: desired, observed,
// diff, action, requeue, status. Each has at least one line.
func (p *Pass) Answers() []Answer {
	return []Answer{
		{"desired", p.desired()},
		{"observed", words(p.Observed, Reading.String)},
		{"diff", p.diff()},
		{"action", words(p.Action, Write.String)},
		{"requeue", []string{p.requeue()}},
		{"status", p.status()},
	}
}

// String prints the pass as a block of lines: a head, and its answers, each
// question before the first line of its answer.
func (p *Pass) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pass %d %s of %s, %s", p.ID, p.Key, p.Process, p.Start)
	switch {
	case p.Died:
		fmt.Fprintf(&b, " to %s, died", p.End)
	case p.Requeue != nil:
		fmt.Fprintf(&b, " to %s", p.End)
	default:
		b.WriteString(", in hand")
	}
	b.WriteString("\n")
	print := func(question string, lines []string) {
		for _, l := range lines {
			fmt.Fprintf(&b, "  %-9s %s\n", question, strings.ReplaceAll(l, "\n", "\n            "))
			question = ""
		}
	}
	print("why", words(p.Why, Why.String))
	for _, a := range p.Answers() {
		print(a.Question, a.Lines)
	}
	if p.Log != "" {
		print("log", strings.Split(strings.TrimSuffix(p.Log, "\n"), "\n"))
	}
	return b.String()
}

// String prints the cause alone.
func (w Why) String() string { return w.Text }

// String prints what was read, or that it was not there.
func (r Reading) String() string {
	if r.Absent || r.Object.IsZero() {
		return r.Ref + ": not there"
	}
	s := r.Ref
	if r.ResourceVersion != "" {
		s += " rv " + r.ResourceVersion
	}
	return s + " from " + r.From
}

// String prints what was written and what became of it.
func (w Write) String() string {
	s := w.Verb + " " + w.Ref
	if w.Subresource != "" {
		s += " " + w.Subresource
	}
	switch {
	case w.Outcome == "":
		return s + ": on its way"
	case w.Before != w.After && w.After == "":
		s += ": " + string(w.Outcome) + ", was rv " + w.Before
	case w.Before != w.After && w.Before == "":
		s += ": " + string(w.Outcome) + ", rv " + w.After
	case w.Before != w.After:
		s += ": " + string(w.Outcome) + ", rv " + w.Before + " -> " + w.After
	case w.After != "" && w.Outcome == Deleted:
		s += ": deleted, was rv " + w.Before
	case w.After != "":
		s += ": " + string(w.Outcome) + ", rv " + w.After + " stays"
	default:
		s += ": " + string(w.Outcome)
	}
	if w.Message != "" {
		s += ": " + w.Message
	}
	return s
}

// String prints the decision: its kind, delay and reason.
func (q Requeue) String() string {
	s := q.Kind
	if q.Delay > 0 {
		s += " " + q.Delay.String()
	}
	if q.Reason != "" {
		s += ": " + q.Reason
	}
	return s
}

func (p *Pass) desired() []string {
	if p.Desired == nil {
		if len(p.Calls) > 0 && p.Calls[0].Outcome == Absent {
			return []string{p.Calls[0].Ref + ": not there"}
		}
		return []string{"not read"}
	}
	spec, _ := p.Desired.Object.At("spec")
	return appendLeaves([]string{p.Desired.String()}, "spec", spec)
}

func (p *Pass) diff() []string {
	var out []string
	for _, d := range p.Diff {
		head := d.Verb + " " + d.Ref
		if len(d.Changes) == 0 {
			out = append(out, head+": nothing")
		}
		for _, c := range d.Changes {
			out = append(out, changed(head, c)...)
		}
	}
	return orNone(out)
}

func (p *Pass) requeue() string {
	switch {
	case p.Died:
		return "the process died"
	case p.Requeue == nil:
		return "undecided"
	}
	return p.Requeue.String()
}

func (p *Pass) status() []string {
	if p.Status == nil {
		return []string{"not read"}
	}
	before, after := p.Status.Before, p.Status.After
	if before == nil {
		before = &object.Map{}
	}
	if after == nil {
		after = &object.Map{}
	}
	var out []string
	for _, c := range object.Diff(before, after) {
		out = append(out, changed("", c)...)
	}
	if out == nil {
		return []string{"unchanged"}
	}
	return out
}

// changed words one change; what is added with all its leaves.
func changed(head string, c object.Change) []string {
	at := strings.TrimSpace(head + " " + c.Path)
	switch {
	case c.Op == "remove" && c.Path == "":
		return []string{at}
	case c.Op == "remove":
		return []string{at + " removed, was " + leaf(c.Before)}
	case c.Op == "add" && c.Path == "" && head != "":
		out := []string{at}
		for _, l := range Leaves(unnamed(c.After)) {
			out = append(out, "  "+l)
		}
		return out
	case c.Op == "add":
		var out []string
		for _, l := range appendLeaves(nil, c.Path, c.After) {
			out = append(out, strings.TrimSpace(head+" "+l))
		}
		return out
	}
	return []string{at + ": " + leaf(c.Before) + " -> " + leaf(c.After)}
}

// unnamed leaves out what the reference of an object says already.
func unnamed(v any) any {
	m, ok := v.(*object.Map)
	if !ok {
		return v
	}
	o := object.New(m).Unset("apiVersion").Unset("kind").Unset("metadata", "name").Unset("metadata", "namespace")
	return o.Root()
}

// Leaves words a tree as lines of path = value, one for each leaf.
func Leaves(v any) []string { return appendLeaves(nil, "", v) }

func appendLeaves(out []string, path string, v any) []string {
	switch v := v.(type) {
	case *object.Map:
		for k, x := range v.All() {
			out = appendLeaves(out, object.JoinPath(path, k), x)
		}
		if v.Len() > 0 {
			return out
		}
	case *object.List:
		for i, x := range v.All() {
			out = appendLeaves(out, path+"["+strconv.Itoa(i)+"]", x)
		}
		if v.Len() > 0 {
			return out
		}
	case nil:
		return out
	}
	return append(out, path+" = "+leaf(v))
}

func leaf(v any) string { return string(object.EncodeJSON(v)) }

func words[T any](items []T, word func(T) string) []string {
	var out []string
	for _, i := range items {
		out = append(out, word(i))
	}
	return orNone(out)
}

func orNone(lines []string) []string {
	if len(lines) == 0 {
		return []string{"none"}
	}
	return lines
}
