package app

import (
	"testing"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// story is a page with an incident of two acts at its beginning.
func story(t *testing.T) *session {
	d := full(obj("WebApp", "plain", "10", ""))
	d.Scenario.Name, d.Scenario.Title, d.Scenario.Kind, d.Scenario.Told = "incident-x", "X", "incident", true
	d.Scenario.Cures = []scenario.CureHead{{Name: "mend", Title: "Mend it"}}
	d.Timeline = &engine.Timeline{Step: 1, Length: 1}
	s := start(t, d)
	s.m.Tour.Over, s.m.Prefs.TourOver = true, true
	s.reply("story", engine.Reply{Done: true}, engine.Story{From: 1, Acts: []engine.StoryAct{{Says: "One.", To: 3}, {Says: "Two.", To: 4}}, Outcome: scenario.Outcome{Happens: true, Says: "Bad."}})
	s.at(1, 1, 1, "crash controller")
	return s
}

// at puts the view and the tip of the run somewhere along the story.
func (s *session) at(step, length, along int, next string) {
	s.m.Timeline = engine.Timeline{Step: step, Length: length, Along: along, Next: next}
}

// The bar leads through the acts to the end, and on to the first cure.
func TestStoryLeadsThroughItsActs(t *testing.T) {
	s := story(t)
	if g := s.m.Guide(); g.Title != "X." || g.Do != (Play{}) || g.SecondDo != (NextAct{}) {
		t.Errorf("at the beginning the guide says %+v", g)
	}
	s.do(NextAct{})
	if len(s.sent) != 1 || s.sent[0].Method != "playStory" || s.sent[0].N != 3 {
		t.Fatalf("the next act sends %+v", s.sent)
	}
	s.answer("playStory", nil, nil)
	s.at(3, 3, 3, "delete WebApp/default/plain")
	s.m.Controller = "crashed"
	if g := s.m.Guide(); g.Text != "Two." || g.Do != (NextAct{}) || g.Key != "." {
		t.Errorf("in a story a crash is an act, and the guide says %+v", g)
	}
	s.at(4, 4, 4, "")
	if g := s.m.Guide(); !g.Bad || g.Text != "Bad." || g.Do != (SwitchCure{Name: "mend"}) {
		t.Errorf("at the end the guide says %+v", g)
	}
	if now := s.m.storyNow(); !now.Over || now.Act != 2 || now.Left != 0 {
		t.Errorf("at the end the panel is told %+v", now)
	}
	s.at(1, 4, 4, "")
	s.do(NextAct{})
	if len(s.sent) != 1 || s.sent[0].Method != "seek" || s.sent[0].N != 3 {
		t.Errorf("an act that was played is looked at again by %+v", s.sent)
	}
}

// A step and play take the story's next choice where it is not what happens by itself.
func TestStoryIsSteppedThrough(t *testing.T) {
	s := story(t)
	s.do(Step{})
	if len(s.sent) != 1 || s.sent[0].Method != "playStory" || s.sent[0].N != 0 {
		t.Fatalf("a step sends %+v", s.sent)
	}
	s.answer("playStory", nil, nil)
	s.do(Play{})
	if len(s.sent) != 1 || s.sent[0].Method != "playStory" {
		t.Fatalf("play sends %+v", s.sent)
	}
	s.answer("playStory", nil, nil)
	s.at(4, 4, 4, "")
	s.do(PlayTick{1})
	if s.m.Playing || len(s.sent) != 0 {
		t.Errorf("it plays on after the end: %+v", s.sent)
	}
}

// Whoever goes another way is told where, and gets back.
func TestStoryIsLeft(t *testing.T) {
	s := story(t)
	s.at(5, 5, 2, "")
	g := s.m.Guide()
	if g.Title != s.m.Words.StoryLeft(2) || g.Do != (BackToStory{}) {
		t.Errorf("the guide says %+v", g)
	}
	s.do(NextAct{})
	if len(s.sent) != 0 {
		t.Errorf("there is no next act, and %+v is sent", s.sent)
	}
	s.do(BackToStory{})
	if len(s.sent) != 1 || s.sent[0].Method != "seek" || s.sent[0].N != 2 {
		t.Fatalf("going back sends %+v", s.sent)
	}
	s.at(2, 5, 2, "")
	s.answer("seek", nil, nil)
	if len(s.sent) != 1 || s.sent[0].Method != "fork" {
		t.Errorf("then %+v", s.sent)
	}
}
