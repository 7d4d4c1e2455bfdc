package explore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

const finalizer = "lab.example.com/cloud"

var (
	client = reconcile.Client{}
	cloud  = reconcile.Cloud{}
)

// mistakes are what a careful reconciler of load balancers would not do.
type mistakes struct {
	// swallow takes a failed list for an empty one; vanish a failed get for "gone".
	swallow, vanish bool
	// blind creates without looking for what a crash left.
	blind bool
	// late takes the finalizer off before the cleaning up.
	late bool
	// overwrite sends the whole object without its resourceVersion.
	overwrite bool
	// unguarded makes one without a finalizer.
	unguarded bool
}

// Reconcile keeps one load balancer for each WebApp that wants one.
func (m mistakes) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var a reconcile.WebApp
	err := client.Get(ctx, req, &a)
	if err != nil {
		if m.vanish {
			return reconcile.Result{}, nil
		}
		return reconcile.Result{}, reconcile.IgnoreNotFound(err)
	}
	tags := map[string]string{"webapp": req.String()}
	if a.DeletionTimestamp != nil || !a.Spec.LoadBalancer {
		if !reconcile.ContainsFinalizer(&a, finalizer) {
			return reconcile.Result{}, m.status(ctx, &a, nil)
		}
		if m.late {
			if err := m.finalizer(ctx, &a, false); err != nil {
				return reconcile.Result{}, err
			}
		}
		found, err := cloud.List(ctx, "lb", tags)
		if err != nil && !m.swallow {
			return reconcile.Result{}, err
		}
		for _, lb := range found {
			if err := cloud.Delete(ctx, "lb", lb.ID); err != nil && !reconcile.IsGone(err) {
				return reconcile.Result{}, err
			}
		}
		if !m.late {
			if err := m.finalizer(ctx, &a, false); err != nil {
				return reconcile.Result{}, err
			}
		}
		if a.DeletionTimestamp != nil {
			return reconcile.Result{}, nil
		}
		return reconcile.Result{}, m.status(ctx, &a, nil)
	}
	if !reconcile.ContainsFinalizer(&a, finalizer) && !m.unguarded {
		if err := m.finalizer(ctx, &a, true); err != nil {
			return reconcile.Result{}, err
		}
	}
	if a.Status.LoadBalancer != nil {
		return reconcile.Result{}, m.status(ctx, &a, a.Status.LoadBalancer)
	}
	found, err := cloud.List(ctx, "lb", tags)
	if err != nil && !m.swallow {
		return reconcile.Result{}, err
	}
	if m.blind {
		found = nil
	}
	if len(found) == 0 {
		lb, err := cloud.Create(ctx, "lb", a.Name, tags)
		if err != nil {
			return reconcile.Result{}, err
		}
		found = append(found, lb)
	}
	return reconcile.Result{}, m.status(ctx, &a, &reconcile.LoadBalancer{ID: found[0].ID})
}

// status says what is there, unless it does.
func (m mistakes) status(ctx context.Context, a *reconcile.WebApp, lb *reconcile.LoadBalancer) error {
	old := a.Status.LoadBalancer
	if a.DeletionTimestamp != nil || a.Status.ObservedGeneration == a.Generation && (old == nil) == (lb == nil) && (lb == nil || *old == *lb) {
		return nil
	}
	a.Status.LoadBalancer, a.Status.ObservedGeneration = lb, a.Generation
	return client.Status().Update(ctx, a)
}

// finalizer puts ours on, or takes it off.
func (m mistakes) finalizer(ctx context.Context, a *reconcile.WebApp, on bool) error {
	change := func() {
		if on {
			reconcile.AddFinalizer(a, finalizer)
		} else {
			reconcile.RemoveFinalizer(a, finalizer)
		}
	}
	if m.overwrite {
		p := reconcile.MergeFrom(&reconcile.WebApp{ObjectMeta: reconcile.ObjectMeta{Namespace: a.Namespace, Name: a.Name}})
		change()
		a.ResourceVersion = ""
		return client.Patch(ctx, a, p)
	}
	p := reconcile.MergeFromWithOptimisticLock(a)
	change()
	return client.Patch(ctx, a, p)
}

// small is a life of one WebApp with a load balancer.
func small(t testing.TB, r reconcile.Reconciler) explore.Subject {
	t.Helper()
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	s.Controllers[0].Reads = "live"
	outside, _ := s.File("outside.yaml")
	edit, _ := json.Marshal(map[string]any{"spec": map[string]any{"loadBalancer": false}})
	x := subject(t, s, r)
	x.Life = explore.Each(
		sim.Act("apply", outside).String(),
		sim.Act("patch", "WebApp/default/outside", `{"spec":{"message":"edited","replicas":2}}`).String(),
		sim.Act("patch", "WebApp/default/outside", string(edit)).String(),
		sim.Act("apply", outside).String(),
		"delete WebApp/default/outside",
	)
	return x
}

func TestFaultsFindWhatTheBaselineDoesNot(t *testing.T) {
	for _, c := range []struct {
		name           string
		mistakes       mistakes
		finding, fault string
		call, sentence string
	}{
		{"nothing", mistakes{}, "", "", "", ""},
		{"a failed list is swallowed", mistakes{swallow: true}, judge.Orphan, "cloud-error", "list lb", "swallows the failed list: a failed list of lb was read as an empty one, the finalizer comes off, and what it guarded stays for ever"},
		{"a failed get is gone", mistakes{vanish: true}, judge.StuckDeletion, "lost-reply", "get WebApp", `reads the failed get of WebApp as "gone" and ends without an error: the event is lost`},
		{"a create without a look", mistakes{blind: true}, judge.Duplicate, "cloud-lost-reply", "create lb", "although lb-0001 was there"},
		{"the finalizer first", mistakes{late: true}, judge.Orphan, "lost-reply", "patch WebApp", "has no finalizer of the controller's any more"},
		{"a write of all of it", mistakes{overwrite: true}, judge.LostUpdate, "edit", "patch WebApp", "spec"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := small(t, c.mistakes)
			r := run(t, s, explore.Options{})
			i := slices.IndexFunc(r.Findings, func(f judge.Finding) bool {
				return f.Finding == c.finding && f.Fault == c.fault && strings.Contains(f.Call, c.call) && strings.Contains(f.Sentence, c.sentence)
			})
			if c.finding == "" && len(r.Findings) == 0 {
				return
			}
			if i < 0 {
				t.Fatalf("no %s by %s at %s with %q in %s", c.finding, c.fault, c.call, c.sentence, list(r.Findings))
			}
			if err := timeline.New(s.World).Replay(r.Findings[i].Choices); err != nil {
				t.Errorf("its choices do not repeat: %v", err)
			}
			for _, row := range r.Matrix.Rows {
				for at, cell := range row.Cells {
					if cell.Found > 0 && (cell.Shows < 1 || cell.Shows > len(r.Findings)) {
						t.Errorf("%s at %s goes wrong, and finding %d of %d shows it", r.Matrix.Faults[at], row.Site, cell.Shows, len(r.Findings))
					}
				}
			}
		})
	}
}

func list(all []judge.Finding) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "\n%s of %s by %s at %s x%d: %s", f.Finding, f.Object, f.Fault, f.Call, f.Count, f.Sentence)
	}
	return b.String()
}

// What is cut is the same as what was seen before, and steps that commute come to
// the same: with every run of every order played to the end, the findings are those
// of the pruned exploration, by the same choices, and no other place goes wrong.
func TestPruningChangesNothing(t *testing.T) {
	for _, c := range []struct {
		name    string
		subject func() explore.Subject
	}{
		{"right", func() explore.Subject { return small(t, mistakes{}) }},
		{"wrong", func() explore.Subject { return small(t, mistakes{swallow: true, blind: true}) }},
		{"two keys", func() explore.Subject {
			return two(t, reconcile.Func(pool), []string{"plain.yaml", "outside.yaml"}, []string{"waiting.yaml"})
		}},
		{"who is first", func() explore.Subject { return two(t, reconcile.Func(first), []string{"plain.yaml", "outside.yaml"}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			pruned := run(t, c.subject(), explore.Options{})
			whole := run(t, c.subject(), explore.Options{Unpruned: true})
			if pruned.Bounds.Runs >= whole.Bounds.Runs {
				t.Errorf("%d runs pruned, %d unpruned: nothing commutes", pruned.Bounds.Runs, whole.Bounds.Runs)
			}
			if a, b := outline(pruned), outline(whole); a != b {
				t.Errorf("pruned\n%s\nunpruned\n%s", a, b)
			}
		})
	}
}

// The same goes for runs with two faults, of which those that come to a world that
// was seen between two passes are not played on.
func TestPruningPairsChangesNothing(t *testing.T) {
	for _, m := range []mistakes{{}, {swallow: true, blind: true}, {vanish: true, late: true}} {
		o := explore.Options{Depth: 2, Schedules: []string{}, Shards: 9, Shard: 4}
		pruned := run(t, small(t, m), o)
		o.Unpruned = true
		whole := run(t, small(t, m), o)
		if a, b := outline(pruned), outline(whole); a != b || pruned.Bounds.Runs != whole.Bounds.Runs {
			t.Errorf("%+v: %d runs pruned\n%s\n%d unpruned\n%s", m, pruned.Bounds.Runs, a, whole.Bounds.Runs, b)
		}
	}
}

// outline is a result without how many runs there were of each kind.
func outline(r *explore.Result) string {
	var b strings.Builder
	for _, f := range append(slices.Clone(r.Findings), r.Stopped...) {
		fmt.Fprintf(&b, "%s of %s by %s at %s: %s\n%s\n", f.Finding, f.Object, f.Fault, f.Call, f.Sentence, strings.Join(f.Choices, "\n"))
	}
	for _, row := range r.Matrix.Rows {
		fmt.Fprint(&b, row.Site)
		for _, c := range row.Cells {
			fmt.Fprint(&b, " ", c.Found > 0, c.Stopped > 0)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Any number of workers, and any slices, give the same.
func TestWorkersAgree(t *testing.T) {
	for _, o := range []explore.Options{
		{Depth: 2, Sample: 50, Seed: 5},
		{Depth: 2, Faults: []string{"crash-after", "cloud-error", "stale"}, Schedules: []string{}},
	} {
		workersAgree(t, o)
	}
}

func workersAgree(t *testing.T, options explore.Options) {
	t.Helper()
	m := mistakes{swallow: true, blind: true}
	want := text(run(t, small(t, m), options))
	options.Shards = 3
	first, err := explore.New(small(t, m), options)
	if err != nil {
		t.Fatal(err)
	}
	for shard := range 3 {
		x := first
		if shard > 0 {
			options.Shard = shard
			if x, err = explore.New(small(t, m), options); err != nil {
				t.Fatal(err)
			}
		}
		for {
			done, err := x.Step(1 + shard*3)
			if err != nil {
				t.Fatal(err)
			}
			if done {
				break
			}
		}
		if shard > 0 {
			first.Take(x.Outcomes(), x.States())
		}
	}
	r, err := first.Result()
	if err != nil {
		t.Fatal(err)
	}
	if got := text(r); got != want {
		t.Errorf("three workers:\n%s\none:\n%s", got, want)
	}
}

func text(r *explore.Result) string {
	b, _ := json.MarshalIndent(r, "", " ")
	return string(b)
}

// Two faults in one run find what one does not: a create that is looked for only
// after a lost reply.
func TestPairs(t *testing.T) {
	r := run(t, small(t, mistakes{}), explore.Options{Depth: 2, Sample: 20, Seed: 3})
	if len(r.Findings) > 0 || r.Bounds.Runs < 300 {
		t.Errorf("%d runs%s", r.Bounds.Runs, list(r.Findings))
	}
}

// A reconciler that does not come to rest by itself is told so, and no fault is
// made.
func TestRestless(t *testing.T) {
	r := run(t, small(t, reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		var a reconcile.WebApp
		if err := client.Get(ctx, req, &a); err != nil {
			return reconcile.Result{}, reconcile.IgnoreNotFound(err)
		}
		a.Status.ObservedGeneration, a.Status.Phase = a.Generation, reconcile.Now(ctx).Format(time.RFC3339Nano)
		return reconcile.Result{}, client.Status().Update(ctx, &a)
	})), explore.Options{})
	if !r.Bounds.Restless || r.Bounds.Runs != 1 || len(r.Findings) == 0 || r.Findings[0].Finding != judge.HotLoop {
		t.Errorf("%+v%s", r.Bounds, list(r.Findings))
	}
}
