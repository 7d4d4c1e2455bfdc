package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/web/engine"
	"github.com/reconcile-playground/reconcile/web/words"
)

// While a link is opened no act reaches either run: not what there was, and not
// what comes. Where it fails, what was there goes on as it was.
func TestActsWaitWhileALinkIsOpened(t *testing.T) {
	acts := []Msg{Step{}, StepCall{}, Run{}, Play{}, PlayTick{}, Advance{By: time.Second}, Crash{}, Rerun{}, Delete{"WebApp/default/plain", true}, Reset{true}, Seek{0},
		Fork{}, Apply{}, ApplyFiles{[]string{"plain.yaml"}}, AddFile{}, MakeFile{}, Prove{}, Grade{}, PanelAct{"grade", ""}, PanelAct{"send", `{"method":"openRun"}`},
		Pressed{Key{Name: "s"}}, Pressed{Key{Name: "g"}}, Typed{"kubectl get wa"}, Pressed{Key{Name: "Enter", Terminal: true, Typing: true}}, Edited{"# mine\n"}, Leaving{}}
	during := func(s *session, when string) {
		t.Helper()
		if g := s.m.Guide(); !strings.Contains(g.Title, "Opening the link") || g.Button != "" {
			t.Errorf("%s the bar says %+v", when, g)
		}
		was := len(s.sent)
		for _, act := range acts {
			if s.do(act); len(s.sent) != was {
				t.Fatalf("%s %T sent %+v", when, act, s.sent)
			}
		}
		if s.m.Terminal.Text != "kubectl get wa" || s.m.Terminal.Busy || s.m.Files.Applying || s.m.Playing || s.m.Running || s.m.Prove != nil {
			t.Errorf("%s an act left something behind: %+v", when, s.m.Terminal)
		}
		if len(s.m.Toasts) != 1 || s.m.Toasts[0].Text != words.English.OpeningWait() {
			t.Errorf("%s it is said %+v", when, s.m.Toasts)
		}
	}
	s := &session{t: t, m: New(words.English, Prefs{})}
	s.take(s.m.Start())
	s.do(LinkFound{LinkPrefix + "abc"})
	s.answer("open", nil, full(obj("WebApp", "plain", "10", "")))
	s.do(OpenFile{"plain.yaml"})
	during(s, "while it is read")
	s.m.Files.Current().Text = s.m.Files.Current().Stored
	s.do(LinkRead{Text: linkText})
	during(s, "while it is opened")
	s.take(s.m.Update(FromEngine{engine.Reply{Delta: &engine.Delta{EventsFrom: -1, Notice: &engine.Notice{Code: "scripts-loading"}}}}))
	s.do(ScriptsLoading{45})
	if g := s.m.Guide(); !strings.Contains(g.Text, "45 %") {
		t.Errorf("the bar says %+v", g)
	}
	edit := s.m.Files.Current().edit
	if s.do(SaveFile{"plain.yaml", edit}); len(s.sent) != 1 || !slices.Contains(s.last, Effect(After{saveAfter, SaveFile{"plain.yaml", edit}})) {
		t.Errorf("what was typed is stored in %+v, then %+v", s.sent, s.last)
	}
	s.refuse("openLink", &engine.Error{Message: "no network", Reason: engine.ReasonScripts})
	if s.m.Opening() != "" || s.m.Scenario.Title != "Lab" || s.m.Objects.Get("WebApp/default/plain") == nil || s.m.Files.Current().Text != "# mine\n" || !s.m.Touring() {
		t.Errorf("after it failed: opening %q, %q, tour %+v", s.m.Opening(), s.m.Scenario.Title, s.m.Tour)
	}
	s.do(SaveFile{"plain.yaml", edit})
	s.do(Step{})
	if len(s.sent) != 2 || s.sent[0].Method != "file" || s.sent[1].Method != "step" {
		t.Errorf("after it failed acts send %+v", s.sent)
	}
}

// A scenario that is being opened is waited for, too.
func TestActsWaitWhileAScenarioIsOpened(t *testing.T) {
	s := start(t, full())
	s.do(PickScenario{"incident-resize", true})
	if s.do(Step{}); len(s.sent) != 1 || !strings.HasPrefix(s.m.Guide().Title, "Opening") {
		t.Fatalf("sent %+v, the bar says %+v", s.sent, s.m.Guide())
	}
	s.answer("scenario", nil, full())
	if s.do(Step{}); len(s.sent) != 1 || s.sent[0].Method != "step" {
		t.Errorf("once it is open %+v is sent", s.sent)
	}
}
