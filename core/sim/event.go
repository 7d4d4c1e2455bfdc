package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Event is what one step did: the action, and the facts that came of it. It is
// the only account of a run: the timeline keeps it, findings are judged by it,
// the report prints it, the page draws it.
type Event struct {
	// N counts the steps of the run from 1.
	N int `json:"n"`
	// At is the virtual time after the step, since the start of the clock.
	At time.Duration `json:"at"`
	// Action is the choice that was made.
	Action string `json:"action"`
	Facts  []Fact `json:"facts,omitempty"`
}

// FactKind says what kind of thing happened.
type FactKind string

// The kinds of facts.
const (
	// FactWrite: an object in the store changed. Verb is created, updated or
	// deleted; Before and After are its resourceVersions; By who asked.
	FactWrite FactKind = "write"
	// FactCall: a call was served or failed. Verb, Ref, Code, Outcome.
	FactCall FactKind = "call"
	// FactCloud: the cloud changed. Verb is created or deleted, Ref the item.
	FactCloud FactKind = "cloud"
	// FactSent: a watch event was put on the wire of Process and Resource.
	FactSent FactKind = "sent"
	// FactCached: a watch event or a list reached the cache. Text is its type.
	FactCached FactKind = "cached"
	// FactQueued: a key entered the queue; Delay where it has to wait; Text why.
	FactQueued FactKind = "queued"
	// FactFiltered: a predicate kept an event from the queue; Text which.
	FactFiltered FactKind = "filtered"
	// FactDue: a key's wait is over, it is ready.
	FactDue FactKind = "due"
	// FactStarted and FactEnded: a pass; Outcome is the decision's kind.
	FactStarted FactKind = "started"
	FactEnded   FactKind = "ended"
	// FactOutput: a line of the user's terminal ended. Text is what it printed,
	// Stderr what it complained of, Code its exit status.
	FactOutput FactKind = "output"
	// FactRefused: a user's input was refused; Text is the message.
	FactRefused FactKind = "refused"
	// FactProcess: a process crashed or started; Verb says which.
	FactProcess FactKind = "process"
	// FactCollected: the collector did a piece of work; Text what.
	FactCollected FactKind = "collected"
)

// Fact is one thing that happened in a step. Which fields are set depends on
// its Kind.
type Fact struct {
	Kind     FactKind      `json:"kind"`
	Process  string        `json:"process,omitempty"`
	Resource string        `json:"resource,omitempty"`
	Key      string        `json:"key,omitempty"`
	Pass     int           `json:"pass,omitempty"`
	Verb     string        `json:"verb,omitempty"`
	Ref      string        `json:"ref,omitempty"`
	Before   string        `json:"before,omitempty"`
	After    string        `json:"after,omitempty"`
	By       string        `json:"by,omitempty"`
	Code     int           `json:"code,omitempty"`
	Outcome  Outcome       `json:"outcome,omitempty"`
	Delay    time.Duration `json:"delay,omitempty"`
	Text     string        `json:"text,omitempty"`
	Stderr   string        `json:"stderr,omitempty"`
	// Order tells in which order Text and Stderr were written: the lengths of the pieces, in turn of Text and of
	// Stderr, with commas. It is empty where all of Text came first. String leaves it out: nothing follows from it.
	Order string `json:"order,omitempty"`
}

// String prints the event on one line: number, time, action, and each fact
// after a bar. ParseEvent reads it back.
func (e Event) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s %s", e.N, e.At, e.Action)
	for _, f := range e.Facts {
		b.WriteString(" | ")
		b.WriteString(f.String())
	}
	return b.String()
}

// String prints the fact: its kind, then name=value of each field that is set.
func (f Fact) String() string {
	var b strings.Builder
	b.WriteString(string(f.Kind))
	word := func(name, value string) {
		if value != "" {
			b.WriteString(" " + name + "=" + quoteWord(value))
		}
	}
	word("process", f.Process)
	word("resource", f.Resource)
	word("key", f.Key)
	if f.Pass != 0 {
		word("pass", strconv.Itoa(f.Pass))
	}
	word("verb", f.Verb)
	word("ref", f.Ref)
	word("before", f.Before)
	word("after", f.After)
	word("by", f.By)
	if f.Code != 0 {
		word("code", strconv.Itoa(f.Code))
	}
	word("outcome", string(f.Outcome))
	if f.Delay != 0 {
		word("delay", f.Delay.String())
	}
	word("text", f.Text)
	word("stderr", f.Stderr)
	return b.String()
}

// ParseEvent reads what Event.String prints.
func ParseEvent(line string) (Event, error) {
	parts := splitBars(line)
	head := strings.SplitN(parts[0], " ", 3)
	if len(head) != 3 {
		return Event{}, fmt.Errorf("an event begins with number, time and action: %q", parts[0])
	}
	n, err := strconv.Atoi(head[0])
	if err != nil {
		return Event{}, fmt.Errorf("the event's number: %w", err)
	}
	at, err := time.ParseDuration(head[1])
	if err != nil {
		return Event{}, fmt.Errorf("the event's time: %w", err)
	}
	if a, err := ParseAction(head[2]); err != nil || a.String() != head[2] {
		return Event{}, fmt.Errorf("the event's action is not as actions print: %q", head[2])
	}
	e := Event{N: n, At: at, Action: head[2]}
	for _, p := range parts[1:] {
		f, err := parseFact(p)
		if err != nil {
			return Event{}, err
		}
		e.Facts = append(e.Facts, f)
	}
	return e, nil
}

func parseFact(s string) (Fact, error) {
	words, err := splitWords(s)
	if err != nil || len(words) == 0 || quoteWord(words[0]) != words[0] {
		return Fact{}, fmt.Errorf("a fact does not parse: %q", s)
	}
	f := Fact{Kind: FactKind(words[0])}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		if err := f.set(name, value); err != nil {
			return Fact{}, fmt.Errorf("fact %q: %w", s, err)
		}
	}
	return f, nil
}

func (f *Fact) set(name, value string) (err error) {
	switch name {
	case "process":
		f.Process = value
	case "resource":
		f.Resource = value
	case "key":
		f.Key = value
	case "pass":
		f.Pass, err = strconv.Atoi(value)
	case "verb":
		f.Verb = value
	case "ref":
		f.Ref = value
	case "before":
		f.Before = value
	case "after":
		f.After = value
	case "by":
		f.By = value
	case "code":
		f.Code, err = strconv.Atoi(value)
	case "outcome":
		f.Outcome = Outcome(value)
	case "delay":
		f.Delay, err = time.ParseDuration(value)
	case "text":
		f.Text = value
	case "stderr":
		f.Stderr = value
	default:
		err = fmt.Errorf("no field %q", name)
	}
	return err
}

// splitBars splits at " | " outside quotes.
func splitBars(s string) []string {
	var parts []string
	start, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(s[i:], " | "):
			parts = append(parts, s[start:i])
			start, i = i+3, i+2
		}
	}
	return append(parts, s[start:])
}
