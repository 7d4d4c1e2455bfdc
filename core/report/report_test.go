package report_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/report"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

var update = flag.Bool("update", false, "write the goldens")

func lab(t *testing.T) (*scenario.Scenario, *timeline.Timeline) {
	t.Helper()
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	line := timeline.New(s.World)
	if err := line.Replay(s.Start); err != nil {
		t.Fatal(err)
	}
	return s, line
}

func build(t *testing.T, s *scenario.Scenario, line *timeline.Timeline) *report.Report {
	t.Helper()
	r, err := report.Build(s, line)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// golden compares text with a file, without the scenario's document: it stands
// in the library.
func golden(t *testing.T, name, text, document string) {
	t.Helper()
	quoted, _ := json.Marshal(document)
	for _, d := range []string{strings.TrimSuffix(document, "\n"), string(quoted)} {
		text = strings.ReplaceAll(text, d, "(the document)")
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, old := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(got), len(old)) {
		if got[i] != old[i] {
			t.Fatalf("%s:%d is\n%s\nwant\n%s\n-update takes it over", file, i+1, got[i], old[i])
		}
	}
	if len(got) != len(old) {
		t.Fatalf("%s has %d lines, want %d; -update takes it over", file, len(got), len(old))
	}
}

func TestLab(t *testing.T) {
	s, line := lab(t)
	r := build(t, s, line)
	golden(t, "lab.json", string(r.JSON()), r.Scenario.Document)
	golden(t, "lab.md", string(r.Markdown()), r.Scenario.Document)
	if len(r.Passes) != 3 || !r.Idempotence.Unchanged || r.Idempotence.Sent != 0 || len(r.Findings) != 0 {
		t.Errorf("the lab at rest: %d passes, unchanged %v, %d sent, findings %v", len(r.Passes), r.Idempotence.Unchanged, r.Idempotence.Sent, r.Findings)
	}
}

// Build touches nothing: the run, the view, the world stay.
func TestBuildLeavesTheTimelineAlone(t *testing.T) {
	s, line := lab(t)
	for range 9 {
		a, _ := line.World().NextInRun()
		if _, err := line.Choose(a.String()); err != nil {
			t.Fatal(err)
		}
	}
	line.Seek(11)
	before, _ := json.Marshal(line.Tip().Snapshot())
	r := build(t, s, line)
	after, _ := json.Marshal(line.Tip().Snapshot())
	if string(before) != string(after) || line.View() != 11 || line.Len() != 14 || len(line.Branches()) != 0 {
		t.Fatal("the timeline is not as it was")
	}
	if r.Given != 11 || !slices.Equal(r.Choices[:11], line.Choices()[:11]) {
		t.Errorf("the report is of %d choices, not of the 11 in view", r.Given)
	}
}

// The choices of a report play the whole of it again.
func TestChoicesReplay(t *testing.T) {
	s, line := lab(t)
	r := build(t, s, line)
	again := timeline.New(s.World)
	if err := again.Replay(r.Choices); err != nil {
		t.Fatal(err)
	}
	if got := again.Tip().Now().Format(time.RFC3339Nano); got != r.Clock.End {
		t.Errorf("the replay ends at %s, the report at %s", got, r.Clock.End)
	}
	passes := len(r.Convergence) + len(r.Passes) + len(r.Idempotence.Passes)
	if got := len(again.Tip().Passes()); got != passes {
		t.Errorf("the replay has %d passes, the report %d", got, passes)
	}
	for _, v := range r.Idempotence.ResourceVersions {
		if v.Before != v.After {
			t.Errorf("%s: %s -> %s", v.Object, v.Before, v.After)
		}
	}
}

// Every field that the format names is there, whatever the run.
func TestFieldsAreAlwaysThere(t *testing.T) {
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	r := build(t, s, timeline.New(s.World))
	if strings.Contains(string(r.JSON()), ": null,\n  \"") {
		t.Errorf("a list of an empty run is null:\n%s", r.JSON())
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(r.JSON(), &top); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"schema", "scenario", "seed", "choices", "versions", "clock", "passes", "convergence", "totals", "idempotence", "findings"} {
		if top[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	for _, o := range report.Outcomes {
		if _, ok := r.Totals[o]; !ok {
			t.Errorf("totals lack %s", o)
		}
	}
}

// A controller that is down is restarted for the full pass, which the report
// says.
func TestCrashedController(t *testing.T) {
	s, line := lab(t)
	if _, err := line.Choose("crash controller"); err != nil {
		t.Fatal(err)
	}
	r := build(t, s, line)
	if len(r.Notes) != 1 || r.Choices[r.Given] != "restart controller" || len(r.Passes) != 3 {
		t.Errorf("notes %v, then %s, %d passes", r.Notes, r.Choices[r.Given], len(r.Passes))
	}
	if processes := line.World().Processes(); processes[0].Running {
		t.Error("the controller of the timeline itself was restarted")
	}
}

// hostile is what a user may put where text is free.
const hostile = `<img src=x onerror=alert(1)> & "quotes" | *stars* [link](javascript:alert(2)) ` + "`code` \u202e```\n# heading"

func TestHostileTextStaysText(t *testing.T) {
	s, line := lab(t)
	text, _ := json.Marshal(hostile)
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"note":%s}},"spec":{"message":%s}}`, text, text)
	for _, a := range []sim.Action{
		sim.Act("patch", "WebApp/default/plain", patch),
		sim.Act("patch", "WebApp/default/outside", `{"metadata":{"labels":{"x":"<img onerror=alert(1)>"}}}`),
	} {
		if _, err := line.Choose(a.String()); err != nil && a.Arg(0) != "WebApp/default/outside" {
			t.Fatal(err)
		}
	}
	r := build(t, s, line)
	page, md := string(r.HTML()), string(r.Markdown())
	allowed := regexp.MustCompile(`^</?(html|head|meta|title|style|body|main|h1|h2|h3|p|ul|li|table|thead|tbody|tr|th|td|pre)( [a-z-]+="[^"<>]*")*>$|^<!DOCTYPE html>$`)
	for _, tag := range regexp.MustCompile(`<[^<>]*>?`).FindAllString(page, -1) {
		if !allowed.MatchString(tag) {
			t.Errorf("the HTML has %q", tag)
		}
	}
	if !strings.Contains(page, `&lt;img src=x onerror=alert(1)&gt;`) || strings.Contains(page, "\u202e") {
		t.Error("the HTML does not show the hostile message as text")
	}
	prose, fences := outsideFences(md)
	if fences != 2 {
		t.Errorf("the Markdown has %d fenced blocks, want 2: a fence was broken out of", fences)
	}
	for _, bad := range []string{"<img", `[^\\]\]\(`, "\u202e", `(?m)^# heading`, `[^\\]\*stars`, "[^\\\\]`"} {
		if regexp.MustCompile(bad).MatchString(prose) {
			t.Errorf("the Markdown has %q outside a fence", bad)
		}
	}
	if !strings.Contains(prose, `&lt;img src=x onerror=alert(1)&gt;`) {
		t.Error("the Markdown does not show the hostile message as text")
	}
}

// outsideFences returns Markdown without its fenced blocks, and their number.
func outsideFences(md string) (prose string, fences int) {
	var b strings.Builder
	fence := ""
	for _, l := range strings.Split(md, "\n") {
		ticks := l[:len(l)-len(strings.TrimLeft(l, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
			fences++
		case fence != "" && len(ticks) >= len(fence) && l == ticks:
			fence = ""
		case fence == "":
			b.WriteString(l + "\n")
		}
	}
	return b.String(), fences
}

// The HTML needs nothing from outside and runs nothing.
func TestHTMLStandsAlone(t *testing.T) {
	s, line := lab(t)
	page := string(build(t, s, line).HTML())
	for _, bad := range []string{"<script", "<link", "src=", "@import", "url("} {
		if strings.Contains(page, bad) {
			t.Errorf("the HTML has %q", bad)
		}
	}
	for _, want := range []string{"<!DOCTYPE html>", `<meta charset="utf-8">`, "default-src 'none'", "@media print", "<title>Lab: three WebApps"} {
		if !strings.Contains(page, want) {
			t.Errorf("the HTML lacks %q", want)
		}
	}
}

// Reconcilers that never come to rest, each in its way.
func TestFindings(t *testing.T) {
	client := reconcile.Client{}
	writes := func(ctx context.Context, req reconcile.Request, every time.Duration) (reconcile.Result, error) {
		var app reconcile.WebApp
		if err := client.Get(ctx, req, &app); err != nil {
			return reconcile.Result{}, reconcile.IgnoreNotFound(err)
		}
		app.Status.Phase, app.Status.ObservedGeneration = reconcile.Now(ctx).Format(time.RFC3339Nano), app.Generation
		return reconcile.Result{RequeueAfter: every}, client.Status().Update(ctx, &app)
	}
	for name, c := range map[string]struct {
		reconciler reconcile.Func
		finding    string
		sentence   string
	}{
		"status": {func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) { return writes(ctx, req, 0) },
			judge.HotLoop, "1000 passes followed each other without end; each one wakes the next: update WebApp/default/plain status: updated"},
		"impatient": {func(context.Context, reconcile.Request) (reconcile.Result, error) {
			return reconcile.Result{RequeueAfter: time.Millisecond}, nil
		}, judge.HotLoop, "it asks to be called again every 1ms, without end"},
		"failing": {func(context.Context, reconcile.Request) (reconcile.Result, error) {
			return reconcile.Result{}, fmt.Errorf("no such thing")
		}, judge.Crashed, "the last pass ended with an error: no such thing"},
		"touching": {func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
			return reconcile.Result{}, touch(ctx, client, req.Name)
		}, judge.NotIdempotent, "a second pass over an unchanged world wrote again: update ConfigMap/default/touched-plain: updated"},
		"periodic": {func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
			return reconcile.Result{RequeueAfter: time.Minute}, touch(ctx, client, req.Name)
		}, judge.NotIdempotent, "10m0s after the last input its passes still write: update ConfigMap/default/touched-plain: updated"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := lab(t)
			config := s.Config()
			config.Controllers[0].New = func() reconcile.Reconciler { return c.reconciler }
			line := timeline.New(func() *sim.World {
				w, err := sim.New(config)
				if err != nil {
					t.Fatal(err)
				}
				return w
			})
			if err := line.Replay(s.Start[:3]); err != nil {
				t.Fatal(err)
			}
			r := build(t, s, line)
			if len(r.Findings) != 1 {
				t.Fatalf("findings: %+v", r.Findings)
			}
			f := r.Findings[0]
			if f.Finding != c.finding || f.Object != "WebApp/default/plain" || !strings.HasPrefix(f.Sentence, c.sentence) {
				t.Errorf("%s of %s: %s\nwant %s of WebApp/default/plain: %s", f.Finding, f.Object, f.Sentence, c.finding, c.sentence)
			}
			if err := timeline.New(line.At(0).Clone).Replay(f.Choices); err != nil {
				t.Errorf("its choices do not show it: %v", err)
			}
			if r.Omitted+len(r.Convergence) == 0 || len(r.Convergence) > 200 {
				t.Errorf("%d passes, %d left out", len(r.Convergence), r.Omitted)
			}
		})
	}
}

// touch writes the time into a ConfigMap that the controller does not own: its
// event brings nobody back.
func touch(ctx context.Context, client reconcile.Client, name string) error {
	m := &reconcile.ConfigMap{ObjectMeta: reconcile.ObjectMeta{Namespace: "default", Name: "touched-" + name}}
	_, err := reconcile.CreateOrUpdate(ctx, client, m, func() error {
		m.Data = map[string]string{"at": reconcile.Now(ctx).Format(time.RFC3339Nano)}
		return nil
	})
	return err
}
