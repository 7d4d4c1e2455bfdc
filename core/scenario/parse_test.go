package scenario_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/scenario"
)

const (
	settings = "-- scenario.yaml --\nname: x\ncontrollers:\n- for: configmaps\n  reconciler: webapp\n"
	document = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
)

func TestDefaults(t *testing.T) {
	s, err := scenario.Parse([]byte("  A story.\n\n" + settings))
	if err != nil {
		t.Fatal(err)
	}
	c := s.Controllers[0]
	if s.Story != "A story." || s.Title != "x" || s.Seed != 1 || s.Clock.String() != "2026-01-01 00:00:00 +0000 UTC" || s.Latency.String() != "5ms" ||
		c.Name != "controller" || c.Reads != "cache" || c.Workers != 1 || len(c.Owns) != 0 {
		t.Errorf("%+v", s.Settings)
	}
	if got := s.Source(); !strings.HasSuffix(got, settings) {
		t.Errorf("the source is %q", got)
	}
}

// A document that is no scenario says where, in lines of the whole document.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{"", "1: scenario.yaml is missing"},
		{"just words\n", "1: scenario.yaml is missing"},
		{"-- scenario.yaml --\n", "scenario.yaml:2: must be one YAML document, not 0"},
		{"-- scenario.yaml --\n- a\n", "scenario.yaml:2: must be a map of settings"},
		{"-- scenario.yaml --\nname: [x\n", "scenario.yaml:2:8: did not find expected ',' or ']'"},
		{"words\n-- scenario.yaml --\nname: x\n", "scenario.yaml:3:1: controllers: must list at least one controller"},
		{settings + "seed: -1\n", "scenario.yaml:6:7: seed: must be an integer of at least 0, not -1"},
		{settings + "clock: noon\n", "scenario.yaml:6:8: clock: must be a time"},
		{settings + "latency: -1s\n", "scenario.yaml:6:10: latency: must be a duration"},
		{settings + "edit: [1]\n", "scenario.yaml:6:7: edit: must be a merge patch such as {spec: {message: edited}}, not [1]"},
		{settings + "solution: a.sh\n", "scenario.yaml:1: solution: there is no member scripts/a.sh"},
		{settings + "  resync: soon\n", `scenario.yaml:6:11: controllers[0].resync: must be a duration such as 5ms or 10m, not "soon"`},
		{settings + "  predicates: [GenerationChanged, Never]\n", `scenario.yaml:6:35: controllers[0].predicates[1]: predicate "Never": no predicate is called "Never"`},
		{settings + "  owns: [{resource: secrets, mapByField: a}]\n", "controllers[0].owns[0].mapByField: unknown field; known are resource, predicates, everyOwner"},
		{settings + "  owns: [1]\n", "scenario.yaml:6:10: controllers[0].owns[0]: must be a resource such as configmaps, or a map with one as resource, not 1"},
		{settings + "  watches: [secrets]\n", "scenario.yaml:6:13: controllers[0].watches[0]: mapByField is missing"},
		{settings + "  queue: {priority: often}\n", "scenario.yaml:6:21: controllers[0].queue.priority: must be true or false"},
		{settings + "  queue: {qps: 0}\n", "scenario.yaml:6:16: controllers[0].queue.qps: must be an integer of at least 1"},
		{settings + "-- desired.yaml --\nchecks:\n- name: a\n", "desired.yaml:8:3: checks[0]: expr is missing"},
		{settings + "-- desired.yaml --\nchecks:\n- {name: a, expr: x, at: noon}\n", `desired.yaml:8:26: checks[0].at: must be one of rest, always, not "noon"`},
		{settings + "-- desired.yaml --\nchecks:\n- {name: a, expr: x}\n- {name: a, expr: z}\n", `desired.yaml:9:10: checks[1].name: "a" is the name of another check`},
		{settings + "-- life --\ndance now\n", `life:7: there is no action "dance"`},
		{settings + "-- life --\napply missing.yaml\n", "life:7: there is no file files/missing.yaml"},
		{settings + "colour: red\n", "scenario.yaml:6:9: colour: unknown field; known are name, title, seed"},
		{"-- scenario.yaml --\ncontrollers: [1]\n", "scenario.yaml:2:15: controllers[0]: must be a map"},
		{"-- scenario.yaml --\ncontrollers:\n- reconciler: webapp\n", "scenario.yaml:3:3: controllers[0]: for is missing"},
		{"-- scenario.yaml --\ncontrollers:\n- {for: configmaps, reconciler: other}\n", `controllers[0].reconciler: must be one of webapp, script, not "other"`},
		{"-- scenario.yaml --\ncontrollers:\n- {for: configmaps, reconciler: webapp, reads: often}\n", `controllers[0].reads: must be one of cache, live, not "often"`},
		{"-- scenario.yaml --\ncontrollers:\n- {for: configmaps, reconciler: webapp, workers: 0}\n", "controllers[0].workers: must be an integer of at least 1, not 0"},
		{"-- scenario.yaml --\ncontrollers:\n- {for: configmaps, reconciler: webapp}\n- {for: secrets, reconciler: webapp}\n", `controllers[1].name: "controller" is the name of another controller`},
		{"-- scenario.yaml --\ncontrollers:\n- {for: webapps.lab.example.com, reconciler: webapp}\n", `scenario.yaml: controllers[0]: the server has no resource "webapps.lab.example.com"`},
		{settings + "-- notes --\n", "notes:6: no such part of a scenario"},
		{settings + "-- files/ --\n", "files/:6: no such part of a scenario"},
		{settings + "-- start --\n-- start --\n", "start:7: stands twice in the archive"},
		{settings + "-- cluster/a.yaml --\na: 1\n", "cluster/a.yaml:7: an object needs apiVersion and kind"},
		{settings + "-- cluster/a.yaml --\n" + document + "x: y: z\n", "cluster/a.yaml:10:5: mapping values are not allowed in this context"},
		{settings + "-- cluster/a.yaml --\n" + document + "-- cluster/b.yaml --\n" + document, `ConfigMap/a: the API server refuses it: configmaps "a" already exists`},
		{settings + "-- cluster/a.yaml --\napiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: a}\n", `no matches for kind "WebApp" in version "lab.example.com/v1"`},
		{settings + "-- start --\napply \"x\n", "start:7: column 7: a quoted word does not end"},
		{settings + "-- start --\n\n# a comment\napply missing.yaml\n", "start:9: there is no file files/missing.yaml"},
	} {
		_, err := scenario.Parse([]byte(c.doc))
		var place *scenario.Error
		if !errors.As(err, &place) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v\nwant %s", c.doc, err, c.want)
		}
	}
}

func TestStepErrors(t *testing.T) {
	for _, c := range []struct{ steps, want string }{
		{"----\n", "steps:8: output without a command before it"},
		{"# a comment\n\nfrobnicate\n", `steps:10: frobnicate: there is no action "frobnicate"`},
		{"run\nstep 0\n", `steps:9: step takes a number above zero, not "0"`},
		{"expect rain\n----\n", "steps:8: expect knows only: expect quiet"},
		{"expect quiet\n", "steps:8: expect quiet: the world is not quiet"},
		{"show nothing\n", `steps:8: "nothing" is no reference such as WebApp/default/plain`},
		{"show Namespace/default [\n", "steps:8: [: unterminated array"},
		{"run\npass ConfigMap/default/a colour\n----\n", ""},
		{"apply b.yaml\n", "steps:8: there is no file files/b.yaml"},
		{"apply \"\n", "steps:8: column 7: a quoted word does not end"},
		{"until tick\n", "steps:8: until tick: tick does not happen: quiet"},
		{"step\nstep\nstep\nstep\nstep\nstep\n", "step: not enabled: no timer is set"},
	} {
		s, err := scenario.Parse([]byte(settings + "-- start --\n-- steps --\n" + c.steps))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.RunSteps()
		if c.want == "" {
			if err != nil {
				t.Errorf("%q: %v", c.steps, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v\nwant %s", c.steps, err, c.want)
		}
	}
}

// Formatting steps that were run and running them again changes nothing.
func TestFormatSteps(t *testing.T) {
	doc, err := os.ReadFile("testdata/converge.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := s.RunSteps()
	if err != nil {
		t.Fatal(err)
	}
	if got := scenario.FormatSteps(blocks); got != s.Steps {
		t.Errorf("%s\nwant\n%s", got, s.Steps)
	}
}

func TestLoad(t *testing.T) {
	if names := scenario.Names(); names[0] != "lab" {
		t.Errorf("the first scenario is %s, want lab", names[0])
	}
	if _, err := scenario.Load("nothing"); !errors.Is(err, scenario.ErrUnknown) {
		t.Errorf("%v", err)
	}
	if _, err := scenario.Load("../parse"); !errors.Is(err, scenario.ErrUnknown) {
		t.Errorf("%v", err)
	}
}

// No document panics, and one that parses opens, at its line or not at all.
func FuzzParse(f *testing.F) {
	lab, err := scenario.Load("lab")
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(lab.Source()))
	f.Add([]byte(settings + "-- cluster/a.yaml --\n" + document + "-- start --\nlist controller configmaps\n"))
	f.Add([]byte("-- scenario.yaml --\r\nname: x\r\n"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		s, err := scenario.Parse(doc)
		if err == nil {
			s.World()
			return
		}
		var place *scenario.Error
		if !errors.As(err, &place) {
			t.Fatalf("%T: %v", err, err)
		}
		if last := strings.Count(string(doc), "\n") + 2; place.Line > last {
			t.Fatalf("%v: the document has %d lines", err, last)
		}
	})
}
