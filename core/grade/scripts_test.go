package grade_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/grade"
	"github.com/reconcile-playground/reconcile/core/jq"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/script"
)

func TestMain(m *testing.M) {
	judge.UseExpressions(new(jq.Checks).Compile)
	scenario.UseScripts(func(name, text string) (scenario.Script, error) {
		p, err := script.Compile(name, text)
		if err != nil {
			return nil, err
		}
		return p, nil
	}, script.Shell)
	os.Exit(m.Run())
}

// lab is the lab with a script of testdata, or the lesson that its head names.
func lab(t testing.TB, file string) (*scenario.Scenario, string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name := header(string(text), "scenario")
	if name == "" {
		name = "lab"
	}
	s, err := scenario.Load(name)
	if err == nil {
		s, err = s.WithScript("reconcile.sh", string(text))
	}
	if err != nil {
		t.Fatal(err)
	}
	return s, string(text)
}

// each runs a test for each script of a folder.
func each(t *testing.T, folder string, f func(t *testing.T, file string)) {
	files, err := filepath.Glob("testdata/" + folder + "/*.sh")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in testdata/%s: %v", folder, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sh"), func(t *testing.T) { f(t, file) })
	}
}

// soak has the long tests play all their runs: make soak.
var soak = os.Getenv("SOAK") != ""

// clean explores a subject in which nothing may be found, and returns how far.
func clean(t *testing.T, s explore.Subject, o explore.Options) explore.Bounds {
	t.Helper()
	x, err := explore.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	for done := false; !done; {
		if done, err = x.Step(1000); err != nil {
			t.Fatal(err)
		}
	}
	r, err := x.Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(r.Findings, r.Stopped...) {
		t.Errorf("%s of %s by %s at %s x%d: %s", f.Finding, f.Object, f.Fault, f.Call, f.Count, f.Sentence)
	}
	return r.Bounds
}

// Scripts that are right, each in a style of its own, get no finding: without a
// fault, and with every fault at every place of the lab's life; of these runs one
// in thirty is made here, and all by make soak.
func TestRight(t *testing.T) {
	each(t, "right", func(t *testing.T, file string) {
		s, _ := lab(t, file)
		g, err := grade.Run(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range g.Checks {
			if !c.Passed {
				t.Errorf("%s: %s of %s: %s", c.Name, c.Finding, c.Object, c.Happened)
			}
		}
		if !g.Passed || g.Skipped || len(g.Checks) < 25 || g.Passes < 30 {
			t.Errorf("passed %v, skipped %v, %d checks, %d passes", g.Passed, g.Skipped, len(g.Checks), g.Passes)
		}
		o := explore.Options{}
		if !soak {
			o.Shards, o.Shard = 30, len(file)*7%30
		}
		b := clean(t, explore.Of(s), o)
		if b.Runs*max(1, o.Shards) < 1000 || b.Acts != 14 {
			t.Errorf("bounds: %+v", b)
		}
	})
}

// Scripts with one mistake get the finding that their first lines name, and no
// other: without faults, or with the faults named there. A mistake that is made at
// every call says what else comes of it.
//
//	# scenario: lab-6, where it is not the lab
//	# finding: orphan
//	# faults: crash-after,cloud-error
//	# says: swallows the failed list
//	# also: stale-status
func TestWrong(t *testing.T) {
	each(t, "wrong", func(t *testing.T, file string) {
		s, text := lab(t, file)
		want, faults, says := header(text, "finding"), header(text, "faults"), header(text, "says")
		also := strings.Fields(header(text, "also"))
		var found []judge.Finding
		if faults == "" {
			g, err := grade.Run(s)
			if err != nil {
				t.Fatal(err)
			}
			found = g.Findings
			failed := func(c grade.Check) bool { return c.Finding == want && len(c.Choices) > 0 }
			if g.Passed || !slices.ContainsFunc(g.Checks, failed) {
				t.Errorf("no check failed with %s", want)
			}
		} else {
			r, err := explore.Run(explore.Of(s), explore.Options{Faults: strings.Split(faults, ",")})
			if err != nil {
				t.Fatal(err)
			}
			found = r.Findings
		}
		is := func(f judge.Finding) bool { return f.Finding == want && strings.Contains(f.Sentence, says) }
		if !slices.ContainsFunc(found, is) {
			t.Errorf("no %s with %q", want, says)
		}
		for _, f := range found {
			said := fmt.Sprintf("%s of %s by %s at %s x%d: %s", f.Finding, f.Object, f.Fault, f.Call, f.Count, f.Sentence)
			if f.Finding != want && !slices.Contains(also, f.Finding) {
				t.Error(said)
			} else {
				t.Log(said)
			}
		}
		if len(found) > 2 && len(also) == 0 {
			t.Errorf("one mistake is told of %d times", len(found))
		}
	})
}

// A script that refuses to guess and says so is left to a person, which is a
// verdict of its own and no finding. That it waits for a dependency, as it does
// without a fault, is no refusal.
func TestStopped(t *testing.T) {
	each(t, "stopped", func(t *testing.T, file string) {
		s, text := lab(t, file)
		r, err := explore.Run(explore.Of(s), explore.Options{Faults: strings.Split(header(text, "faults"), ",")})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			t.Errorf("%s of %s by %s at %s: %s", f.Finding, f.Object, f.Fault, f.Call, f.Sentence)
		}
		if len(r.Stopped) != 1 || !strings.HasPrefix(r.Stopped[0].Object, "WebApp/") || !strings.Contains(r.Stopped[0].Sentence, header(text, "says")) {
			t.Errorf("left to a person: %+v", r.Stopped)
		}
	})
}

// Scripts that are right stay so where two faults come in one run: in the life of
// one WebApp that wants everything, the second within the key's next two passes;
// and in the whole life of the lab, drawn by seed. What comes after one in two hundred of
// the first faults is tried here, and all of it by make soak.
func TestRightInPairs(t *testing.T) {
	each(t, "right", func(t *testing.T, file string) {
		s, _ := lab(t, file)
		whole := explore.Of(s)
		one := whole
		one.Life = explore.Each(
			"apply "+strconv.Quote("apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: all, namespace: default}\nspec: {message: everything, configRef: shared, loadBalancer: true}\n"),
			"apply "+strconv.Quote("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared, namespace: default}\ndata: {base: ground}\n"),
			"patch WebApp/default/all "+strconv.Quote(`{"spec":{"message":"edited","loadBalancer":false}}`),
			"patch WebApp/default/all "+strconv.Quote(`{"spec":{"loadBalancer":true}}`),
			"delete WebApp/default/all",
		)
		o := explore.Options{Depth: 2, Schedules: []string{}}
		if !soak {
			o.Shards, o.Shard = 200, len(file)*7%200
		}
		if b := clean(t, one, o); b.Runs*max(1, o.Shards) < 10000 {
			t.Errorf("bounds: %+v", b)
		}
		if soak {
			clean(t, whole, explore.Options{Depth: 2, Sample: 400, Seed: 11, Schedules: []string{}})
		}
	})
}

// What somebody else made in the place of a child of an object that is gone may be
// taken over for the one that has its name now, or deleted where its controller is gone.
func TestTakesOverFromWhatIsGone(t *testing.T) {
	for _, name := range []string{"arrays", "xargs"} {
		t.Run(name, func(t *testing.T) {
			s, _ := lab(t, "testdata/right/"+name+".sh")
			x := explore.Of(s)
			x.Life = explore.Each("apply " + strconv.Quote("apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: all, namespace: default}\nspec: {message: everything, loadBalancer: true}\n"))
			if b := clean(t, x, explore.Options{Faults: []string{"recreate", "conflict"}, Depth: 2, Schedules: []string{}}); b.Runs < 50 {
				t.Errorf("bounds: %+v", b)
			}
		})
	}
}

// header is what a line at the head of a script says.
func header(text, name string) string {
	for _, line := range strings.Split(text, "\n") {
		if value, ok := strings.CutPrefix(line, "# "+name+": "); ok {
			return value
		}
	}
	return ""
}
