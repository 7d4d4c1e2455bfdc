package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/reconcile-playground/reconcile/core/judge"
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
