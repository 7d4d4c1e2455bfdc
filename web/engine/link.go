package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

// Link is a run as a link holds it: what the page packs behind a # and reads
// back. Whoever opens it gets the very same timeline.
type Link struct {
	// Format is LinkFormat; another one is not read.
	Format string `json:"format"`
	// Semantics is the version of the rules by which the choices were played.
	Semantics string `json:"semantics"`
	// Scenario is a scenario document, Base the cluster that the run starts from
	// where that is not the scenario's own.
	Scenario string        `json:"scenario"`
	Base     *sim.Snapshot `json:"base,omitempty"`
	Choices  []string      `json:"choices"`
	// Sums has one letter for each step, which depends on all events so far: a
	// run that goes otherwise shows at which step.
	Sums string `json:"sums"`
	// View is the step to look at; 0 is the last one.
	View int `json:"view,omitempty"`
}

// LinkFormat names format and version of a link.
const LinkFormat = "reconcile.link/v1"

// maxLinkChoices bounds what a link may ask to be played.
const maxLinkChoices = 50_000

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// sums is one letter for each event, of a sum over it and all before it.
func sums(events []sim.Event) string {
	h := fnv.New64a()
	out := make([]byte, len(events))
	for i, ev := range events {
		h.Write([]byte(ev.String()))
		n := h.Sum64()
		out[i] = letters[(n^n>>29^n>>51)&63]
	}
	return string(out)
}

// link returns the run in view as the text of a link.
func (e *Engine) link() (any, error) {
	l := Link{
		Format: LinkFormat, Semantics: strconv.Itoa(sim.Semantics), Scenario: e.scenario.Source(), Base: e.base,
		Choices: e.line.Choices(), Sums: sums(e.line.Events()),
	}
	if !e.line.AtTip() {
		l.View = max(1, e.line.View())
	}
	text, err := json.Marshal(l)
	return string(text), err
}

// openLink plays the run of a link and makes it the current one; what was there
// is kept. A run that no longer repeats is opened as far as it goes, and the
// page is told where it differs. An error leaves everything as it was.
func (e *Engine) openLink(id int64, text string) (any, error) {
	var l Link
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		return nil, badInput("the link holds no run: %v", err)
	}
	switch {
	case l.Format != LinkFormat:
		return nil, badInput("the link's format is %q; this version reads %q", l.Format, LinkFormat)
	case len(l.Choices) > maxLinkChoices:
		return nil, badInput("the link asks for %d steps; %d are played at most", len(l.Choices), maxLinkChoices)
	}
	s, err := scenario.ParseText(l.Scenario)
	if err != nil {
		return nil, err
	}
	if err := playable(l.Choices); err != nil {
		return nil, err
	}
	line, err := begin(s, l.Base)
	if err != nil {
		return nil, err
	}
	replay := e.play(id, line, l.Choices)
	if errors.Is(replay, errInterrupted) {
		return nil, replay
	}
	e.keep()
	e.notice = l.told(line, replay)
	if l.View > 0 && l.View < line.Len() {
		line.Seek(l.View)
	}
	return nil, e.take(s, l.Base, line, follower{}, nil)
}

// openRun opens the run of a finding: choices of what was proved or graded last. In
// view is the step where it went wrong, as far as a fault says so; else the last,
// where it shows.
func (e *Engine) openRun(id int64, text string) (any, error) {
	l := Link{Format: LinkFormat, Semantics: strconv.Itoa(sim.Semantics), Scenario: e.subjectDoc}
	if err := json.Unmarshal([]byte(text), &l.Choices); err != nil {
		return nil, badInput("the choices do not parse: %v", err)
	}
	if l.Scenario == "" && e.scenario != nil {
		l.Scenario = e.scenario.Source()
	}
	for i, c := range l.Choices {
		if strings.HasPrefix(c, "fault ") {
			l.View = i + 1
		}
	}
	link, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	if _, err := e.openLink(id, string(link)); err != nil {
		return nil, err
	}
	if n := e.notice; n != nil && n.Code == "link-opened" && l.View > 0 && l.View < n.N {
		n.Code, n.N = "run-opened-at", l.View
	}
	e.resay("link-opened", "run-opened")
	e.resay("link-differs", "run-differs")
	return nil, nil
}

// resay says what is to be said by another code: the same was done for another
// reason.
func (e *Engine) resay(code, as string) {
	if e.notice != nil && e.notice.Code == code {
		e.notice.Code = as
	}
}

var errInterrupted = &Error{Message: "it was stopped; nothing was changed", Reason: "Interrupted"}

// play makes the choices of somebody else's run, and stops where the page asks.
func (e *Engine) play(id int64, line *timeline.Timeline, choices []string) error {
	for i, c := range choices {
		if i%32 == 31 && e.port.Interrupted() {
			return errInterrupted
		}
		if _, err := line.Choose(c); err != nil {
			return &timeline.ReplayError{Step: i + 1, Choice: c, Err: err}
		}
	}
	return nil
}

// told is what the page says of an opened link: at which step it differs, where
// it does.
func (l *Link) told(line *timeline.Timeline, replay error) *Notice {
	n := &Notice{Code: "link-opened", N: line.Len()}
	var at *timeline.ReplayError
	switch now := sums(line.Events()); {
	case errors.As(replay, &at):
		n = &Notice{Code: "link-differs", N: at.Step, Detail: at.Err.Error()}
	case l.Sums != "" && l.Sums != now:
		n = &Notice{Code: "link-differs", N: differAt(l.Sums, now)}
	}
	if version := strconv.Itoa(sim.Semantics); n.Code == "link-differs" && l.Semantics != version {
		n.Detail = fmt.Sprintf("%s (made by version %s of the rules, played by version %s)", n.Detail, l.Semantics, version)
	}
	return n
}

// differAt is the first step, from 1, whose letters differ.
func differAt(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n + 1
}
