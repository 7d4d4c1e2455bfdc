package engine

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// Over a long run few monitors are kept, and going back to any step judges as
// following from the start does.
func TestFollowingALongRun(t *testing.T) {
	p := open(t, newMemory())
	e := p.engine
	p.do(Command{Method: "run"})
	p.do(Command{Method: "patch", Ref: "WebApp/default/plain", Text: `{"metadata":{"finalizers":["lab.example.com/kept"]}}`})
	p.do(Command{Method: "delete", Ref: "WebApp/default/plain"})
	p.do(Command{Method: "run"})
	for e.line.Len() < 3*maxFollowed*followEvery {
		if _, err := e.line.Choose("advance 1s"); err != nil {
			t.Fatal(err)
		}
	}
	e.follow()
	if n := len(e.watch.points); n > maxFollowed || n < maxFollowed/2 {
		t.Errorf("%d monitors are kept", n)
	}
	for _, n := range []int{e.line.Len() - 1, e.line.Len() / 2, 70, 9} {
		e.line.Seek(n)
		if _, err := e.line.Choose("advance 2s"); err != nil {
			t.Fatal(err)
		}
		got := e.found()
		e.watch = follower{}
		if diff := cmp.Diff(e.found(), got); diff != "" {
			t.Errorf("back at step %d:\n%s", n, diff)
		}
		if n < 70 && len(e.watch.points) != 1 {
			t.Errorf("%d monitors for %d steps", len(e.watch.points), e.line.Len())
		}
	}
}

// What was wrong at the end of a tail that was left is not told of another one
// that is as long.
func TestFindingsOfATailThatWasLeft(t *testing.T) {
	p := open(t, newMemory())
	e := p.engine
	p.do(Command{Method: "run"})
	e.watch.rest, e.watch.restAt = []judge.Finding{{Finding: judge.Crashed, Object: "WebApp/default/plain"}}, e.line.Len()
	if found := e.found(); len(found) != 1 {
		t.Fatalf("at the end there is %+v", found)
	}
	e.line.Seek(e.line.Len() - 1)
	if _, err := e.line.Choose("advance 1s"); err != nil {
		t.Fatal(err)
	}
	if found := e.found(); len(found) != 0 {
		t.Errorf("on the other tail there is %+v", found)
	}
}

// restless is a script that writes the time into the status in every pass.
type restless struct{}

func (restless) Reconciler(kind, plural, group, version string) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		w := reconcile.WireFrom(ctx)
		w.Do(api.Request{
			Verb: api.Patch, GVR: object.GVR{Group: group, Version: version, Resource: plural}, Namespace: req.Namespace, Name: req.Name,
			Subresource: "status", PatchType: api.MergePatch, RawType: "application/json", RawBody: []byte(`{"status":{"phase":"` + strconv.FormatInt(w.Now().UnixNano(), 10) + `"}}`),
		})
		return reconcile.Result{}, nil
	})
}

// A run that was stopped because it goes round has the loop among its findings, as
// the banner says it; one that came to rest is judged, with nothing found.
func TestALoopIsFound(t *testing.T) {
	scenario.UseScripts(func(string, string) (scenario.Script, error) { return restless{}, nil }, nil)
	t.Cleanup(func() { scenario.UseScripts(nil, nil) })
	p := open(t, newMemory())
	p.do(Command{Method: "step"})
	if p.last.Timeline.Judged {
		t.Error("a run that goes on was judged at its end")
	}
	p.do(Command{Method: "run"})
	if !p.last.Timeline.Judged || len(p.engine.found()) != 0 {
		t.Fatalf("at rest: %+v, %+v", p.last.Timeline, p.engine.found())
	}
	p.do(Command{Method: "setScript", Text: "x"})
	if p.last.Timeline.Judged {
		t.Error("what was rolled out was judged before it ran")
	}
	r := p.do(Command{Method: "run"})
	found := p.engine.found()
	if r.Delta.Notice == nil || r.Delta.Notice.Code != "loop" || !p.last.Timeline.Judged {
		t.Fatalf("no loop: %+v, %+v", r.Delta.Notice, p.last.Timeline)
	}
	i := slices.IndexFunc(found, func(f FoundView) bool { return f.Finding == judge.HotLoop })
	if i < 0 || !strings.HasPrefix(found[i].Object, "WebApp/default/") || !strings.Contains(found[i].Sentence, r.Delta.Notice.Detail) {
		t.Errorf("the banner says %q, and found is %+v", r.Delta.Notice.Detail, found)
	}
	if p.do(Command{Method: "step"}); len(p.engine.found()) >= len(found) || p.last.Timeline.Judged {
		t.Errorf("a step later it is still judged: %+v", p.engine.found())
	}
}

// What was found at rest holds while the terminal only reads, also of an engine that takes another one's place for it,
// until something changes.
func TestFindingsHoldWhileTheTerminalReads(t *testing.T) {
	useStub(t)
	port := newMemory()
	p := open(t, port)
	p.do(Command{Method: "run"})
	p.do(Command{Method: "crash"})
	p.do(Command{Method: "delete", Ref: "WebApp/default/outside"})
	p.do(Command{Method: "patch", Ref: "WebApp/default/outside", Text: `{"metadata":{"finalizers":null}}`})
	p.do(Command{Method: "restart"})
	p.do(Command{Method: "run"})
	found := p.engine.found()
	if len(found) != 1 || found[0].Finding != judge.Orphan || !p.last.Timeline.Judged {
		t.Fatalf("at rest: %+v, %+v", found, p.last.Timeline)
	}
	second := &page{t: t, port: port, engine: New(port), objects: map[string]ObjectDelta{}}
	if err := second.engine.TakeOver(p.engine.HandOver(), port.all(), nil); err != nil {
		t.Fatal(err)
	}
	second.take()
	p = second
	if diff := cmp.Diff(found, p.last.Found); diff != "" || !p.last.Timeline.Judged {
		t.Errorf("the engine that took over was told %v:\n%s", p.last.Timeline, diff)
	}
	p.do(Command{Method: "shell", Text: "ls"})
	p.do(Command{Method: "shell", Text: "wait"})
	p.do(Command{Method: "kubectl", Text: "get webapps"})
	if diff := cmp.Diff(found, p.engine.found()); diff != "" || !p.last.Timeline.Judged {
		t.Errorf("beside the terminal: %+v\n%s", p.last.Timeline, diff)
	}
	p.do(Command{Method: "seek", N: p.engine.line.Len() - 1})
	p.do(Command{Method: "delete", Ref: "WebApp/default/plain"})
	if found := p.engine.found(); len(found) != 0 || p.last.Timeline.Judged {
		t.Errorf("after a change it is still judged: %+v", found)
	}
}
