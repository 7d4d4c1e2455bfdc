package scenario_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/scenario"
)

const taught = `A story.
-- scenario.yaml --
name: x
kind: incident
look: [the queue, the log]
controllers:
- {name: one, for: configmaps, reconciler: script, script: bad.sh}
- {name: two, for: secrets, reconciler: script, script: bad.sh, workers: 3}
cures:
- {name: good, title: A better program, says: It costs nothing., script: good.sh}
- {name: slow, title: Another setting, controller: two, setting: {workers: null, latency: 1s, reads: cache}}
- {name: act, title: Do it by hand}
tasks: [Be good.]
hints: [a, b, c]
solution: good.sh
fails: [wrong-state]
-- scripts/bad.sh --
remember bad
-- scripts/good.sh --
remember good
-- steps --
clock
----
0s
-- steps/slow --

clock
----
1s
`

func TestTeachingIsRead(t *testing.T) {
	useWords(t)
	s, err := scenario.Parse([]byte(taught))
	if err != nil {
		t.Fatal(err)
	}
	if s.Kind != "incident" || !slices.Equal(s.Look, []string{"the queue", "the log"}) || len(s.Tasks) != 1 || len(s.Hints) != 3 ||
		s.Solution != "good.sh" || !slices.Equal(s.Fails, []string{"wrong-state"}) {
		t.Errorf("%+v", s.Teaching)
	}
	if c := s.Cures[0]; len(s.Cures) != 3 || c.Name != "good" || c.Title != "A better program" || c.Says != "It costs nothing." || c.Script != "good.sh" {
		t.Errorf("%+v", s.Cures)
	}
}

// A cure changes what it names, and nothing else; the document itself stays.
func TestCured(t *testing.T) {
	useWords(t)
	s, err := scenario.Parse([]byte(taught))
	if err != nil {
		t.Fatal(err)
	}
	cured := func(name string) *scenario.Scenario {
		t.Helper()
		c, err := s.Cured(name)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := cured("good"); c.Controllers[0].Script != "good.sh" || c.Controllers[1].Script != "bad.sh" || c.Steps != "" {
		t.Errorf("the cure good gives %+v and steps %q", c.Controllers, c.Steps)
	}
	c := cured("slow")
	if k := c.Controllers[1]; k.Workers != 1 || k.Reads != "cache" || k.Script != "bad.sh" || c.Controllers[0].Reads != "live" || c.Latency.String() != "1s" {
		t.Errorf("the cure slow gives %+v, latency %s", c.Controllers, c.Latency)
	}
	if c := cured("act"); c.Controllers[0].Script != "bad.sh" || c.Latency != s.Latency {
		t.Errorf("the cure act gives %+v", c.Controllers)
	}
	blocks, err := c.RunSteps()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Count(taught[:strings.LastIndex(taught, "clock")], "\n") + 1
	if len(blocks) != 1 || !blocks[0].Mismatch() || blocks[0].Line != want {
		t.Errorf("the steps of the cure are %+v, want a mismatch in line %d", blocks, want)
	}
	if _, err := s.Cured("none"); !errors.Is(err, scenario.ErrUnknown) {
		t.Errorf("a cure that there is not: %v", err)
	}
	if s.Controllers[0].Script != "bad.sh" {
		t.Error("the scenario itself was changed")
	}
}

func TestSolved(t *testing.T) {
	useWords(t)
	s, err := scenario.Parse([]byte(taught))
	if err != nil {
		t.Fatal(err)
	}
	solved, err := s.Solved()
	if err != nil {
		t.Fatal(err)
	}
	if solved.Controllers[0].Script != "good.sh" || solved.Controllers[1].Script != "bad.sh" {
		t.Errorf("solved: %+v", solved.Controllers)
	}
	plain, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plain.Solved(); !errors.Is(err, scenario.ErrUnknown) {
		t.Errorf("a scenario without a solution: %v", err)
	}
}

func TestTeachingErrors(t *testing.T) {
	for _, c := range []struct{ yaml, want string }{
		{"kind: story", `kind: must be one of lab, lesson, incident, not "story"`},
		{"look: [1]", "look[0]: must be a string, not 1"},
		{"cures: 1", "cures: must be a list of cures"},
		{"cures: [1]", "cures[0]: must be a map"},
		{"cures: [{title: a}]", `cures[0].name: must be one word, not ""`},
		{"cures: [{name: a/b, title: a}]", `cures[0].name: must be one word, not "a/b"`},
		{"cures: [{name: a}]", "cures[0]: title is missing"},
		{"cures: [{name: a, title: a}, {name: a, title: b}]", `cures[1].name: "a" is the name of another cure`},
		{"cures: [{name: a, title: a, setting: 1}]", "cures[0].setting: must hold fields of a controller"},
		{"cures: [{name: a, title: a, colour: red}]", "cures[0].colour: unknown field"},
		{"cures: [{name: a, title: a, script: a.sh}]", "cures[0].script: there is no member scripts/a.sh"},
		{"cures: [{name: a, title: a, controller: other}]", `cures[0].controller: there is no controller "other"`},
		{"solution: a.sh", "solution: there is no member scripts/a.sh"},
	} {
		_, err := scenario.Parse([]byte(settings + c.yaml + "\n"))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "scenario.yaml:") {
			t.Errorf("%s\n gives %v\n want %s", c.yaml, err, c.want)
		}
	}
	_, err := scenario.Parse([]byte(settings + "-- steps/none --\n"))
	if err == nil || err.Error() != `steps/none:6: there is no cure "none" in scenario.yaml` {
		t.Errorf("steps of a cure that there is not: %v", err)
	}
}

func useWords(t *testing.T) {
	t.Helper()
	scenario.UseScripts(readWords, runWords)
	t.Cleanup(func() { scenario.UseScripts(nil, nil) })
}
