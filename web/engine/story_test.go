package engine

import (
	"encoding/json"
	"strings"
	"testing"
)

// A story is played act by act or choice by choice, as its file says; whoever leaves it
// is told where, and can go back. What it makes is not the person's own.
func TestStoryIsPlayed(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "scenario", Name: "incident-stuck-finalizer"})
	if !p.last.Scenario.Told {
		t.Fatal("it is not told in acts")
	}
	var s Story
	if err := json.Unmarshal(p.do(Command{Method: "story"}).Result, &s); err != nil || len(s.Acts) < 4 || !s.Outcome.Happens || s.Outcome.Says == "" {
		t.Fatalf("the story is %+v (%v)", s, err)
	}
	if tl := p.last.Timeline; tl.Along != s.From || tl.Next == "" {
		t.Errorf("at its beginning the run is told as %+v, from %d", tl, s.From)
	}
	p.do(Command{Method: "playStory"})
	if tl := p.last.Timeline; tl.Length != s.From+1 || tl.Along != tl.Length || tl.Touched {
		t.Errorf("after one choice it is %+v", tl)
	}
	for i, act := range s.Acts {
		p.do(Command{Method: "playStory", N: act.To})
		if tl := p.last.Timeline; tl.Length != act.To || tl.Along != act.To || tl.Touched || !act.Holds || act.Says == "" {
			t.Errorf("after act %d it is %+v: %+v", i+1, tl, act)
		}
	}
	if tl := p.last.Timeline; tl.Next != "" || len(p.last.Found) != 1 || p.last.Found[0].Finding != s.Outcome.Finds[0] {
		t.Errorf("at its end %+v is found, and next comes %q", p.last.Found, tl.Next)
	}
	if r := p.try(Command{Method: "playStory"}); r.Error == nil || r.Error.Reason != "NotEnabled" {
		t.Errorf("after its end it goes on: %+v", r)
	}

	p.do(Command{Method: "cure", Name: "bring-it-back"})
	if p.last.Scenario.Cure != "bring-it-back" || p.last.Timeline.Along != 0 {
		t.Errorf("the cure is %q, along %d", p.last.Scenario.Cure, p.last.Timeline.Along)
	}
	cured := Story{}
	if err := json.Unmarshal(p.do(Command{Method: "story"}).Result, &cured); err != nil || cured.Outcome.Happens || cured.Outcome.Says == s.Outcome.Says {
		t.Errorf("with the cure the story is %+v (%v)", cured, err)
	}
	p.do(Command{Method: "playStory", N: cured.Acts[0].To})
	p.do(Command{Method: "delete", Ref: "ConfigMap/default/outside-config"})
	if tl := p.last.Timeline; tl.Along != cured.Acts[0].To || tl.Next != "" || !tl.Touched {
		t.Errorf("one's own way is told as %+v", tl)
	}
	if r := p.try(Command{Method: "playStory"}); r.Error == nil {
		t.Error("the story goes on where it was left")
	}
	p.do(Command{Method: "seek", N: cured.Acts[0].To})
	p.do(Command{Method: "fork"})
	p.do(Command{Method: "playStory", N: cured.Acts[len(cured.Acts)-1].To})
	if tl := p.last.Timeline; tl.Next != "" || tl.Along != tl.Length || len(p.last.Found) != 0 {
		t.Errorf("after going back it ends as %+v with %+v", tl, p.last.Found)
	}
	p.do(Command{Method: "scenario", Name: "lab"})
	if r := p.try(Command{Method: "story"}); r.Error == nil || r.Error.Reason != "BadInput" {
		t.Errorf("the lab has a story: %+v", r)
	}
}

// A document of one's own begins anew as it is, though the library has one of its
// name.
func TestABeginningIsThatOfTheDocument(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "load", Text: strings.Replace(p.engine.scenario.Source(), "Lab: three WebApps", "My own lab", 1)})
	p.do(Command{Method: "openRun", Text: `["list controller webapps.lab.example.com"]`})
	p.do(Command{Method: "cure"})
	if p.last.Scenario.Title != "My own lab" || p.last.Timeline.Length != len(p.engine.scenario.Start) {
		t.Errorf("%q begins, %d steps long", p.last.Scenario.Title, p.last.Timeline.Length)
	}
}
