package controller

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
)

func apiOK() api.Response { return api.Response{Code: 200} }

func added(o object.Object) api.WatchEvent { return api.WatchEvent{Type: api.Added, Object: o} }

func get(name string) api.Request {
	return api.Request{Verb: api.Get, GVR: configMap.GVR(), Namespace: "default", Name: name}
}

func found(name string) Reply {
	return Reply{API: api.Response{Code: 200, Object: obj(configMap, name, "1")}}
}

// chain reads n ConfigMaps, each named by the one before, logs the time at each
// and returns what it saw as its reason.
func chain(n int) reconcile.Func {
	return func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		w := reconcile.WireFrom(ctx)
		name := req.Name
		for range n {
			w.At("chain.go:" + name)
			resp := w.Do(get(name))
			if err := resp.Err(); err != nil {
				return reconcile.Result{}, err
			}
			name = resp.Object.Name()
			reconcile.Logf(ctx, "%s at %s", name, w.Now().Sub(start))
		}
		return reconcile.Result{Reason: name}, nil
	}
}

func at(seconds int) Env { return Env{Now: start.Add(time.Duration(seconds) * time.Second)} }

func TestPassParksAtEveryCall(t *testing.T) {
	p := Start(chain(2), key("a"), at(0))
	call, ok := p.Parked()
	if !ok || call.String() != "get configmaps/default/a" || call.Line != "chain.go:a" || !call.At.Equal(start) {
		t.Fatalf("parked at %v %v", call, ok)
	}
	p.Resume(at(1), found("b"))
	if call, ok := p.Parked(); !ok || call.API.Name != "b" || !call.At.Equal(start.Add(time.Second)) {
		t.Fatalf("parked at %v %v", call, ok)
	}
	if _, _, ended := p.Ended(); ended {
		t.Fatal("a parked pass has ended")
	}
	p.Resume(at(2), found("c"))
	result, err, ended := p.Ended()
	if !ended || err != nil || result.Reason != "c" {
		t.Fatalf("ended with %+v %v %v", result, err, ended)
	}
	if _, ok := p.Parked(); ok || len(p.Exchanges()) != 2 {
		t.Fatalf("an ended pass is parked, or has %d exchanges", len(p.Exchanges()))
	}
	if want := []string{"b at 1s", "c at 2s"}; !slices.Equal(p.Log(), want) {
		t.Fatalf("log %q", p.Log())
	}
}

func TestReadsFromTheCacheDoNotPark(t *testing.T) {
	env := at(0)
	env.Read = func(req api.Request) (api.Response, bool) {
		return found("b").API, req.Name == "a"
	}
	p := Start(chain(2), key("a"), env)
	if call, ok := p.Parked(); !ok || call.API.Name != "b" || call.FromCache {
		t.Fatalf("parked at %v %v", call, ok)
	}
	if e := p.Exchanges(); len(e) != 1 || e[0].String() != "get configmaps/default/a (cache)" || e[0].Reply.API.Object.Name() != "b" {
		t.Fatalf("exchanges %v", e)
	}
	p.Kill()
}

func TestWritesNeverGoToTheCache(t *testing.T) {
	r := reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		req := get("a")
		req.Verb = api.Update
		reconcile.WireFrom(ctx).Do(req)
		return reconcile.Result{}, nil
	})
	env := at(0)
	env.Read = func(api.Request) (api.Response, bool) { return apiOK(), true }
	p := Start(r, key("a"), env)
	if call, ok := p.Parked(); !ok || !call.Writes() {
		t.Fatal("a write was answered by the cache")
	}
	p.Kill()
}

// A clone taken at any call goes on as the original would have, also after the
// cache has moved on, and both ends are independent.
func TestCloneAtEveryCall(t *testing.T) {
	const calls = 5
	cached := func(seconds int, answer string) Env {
		env := at(seconds)
		env.Read = func(req api.Request) (api.Response, bool) { return found(answer).API, req.Name == "n1" }
		return env
	}
	finish := func(p *Pass, from int) string {
		for n := from; ; n++ {
			if _, ok := p.Parked(); !ok {
				break
			}
			p.Resume(cached(n, "changed"), found(fmt.Sprintf("n%d", n)))
		}
		result, err, _ := p.Ended()
		return fmt.Sprintf("%s %v %v %q", result.Reason, err, len(p.Exchanges()), p.Log())
	}
	for at := 1; at < calls; at++ {
		p := Start(chain(calls), key("n0"), cached(0, "n1cached"))
		for n := 1; n < at; n++ {
			p.Resume(cached(n, "n1cached"), found(fmt.Sprintf("n%d", n)))
		}
		c := p.Clone(chain(calls))
		d := c.Clone(chain(calls))
		d.Kill()
		if got, want := finish(c, at), finish(p, at); got != want {
			t.Errorf("cloned at call %d: %s, want %s", at, got, want)
		}
	}
}

func TestReleasedPassGoesOn(t *testing.T) {
	p := Start(chain(3), key("a"), at(0))
	p.Resume(at(1), found("b"))
	p.Release()
	if call, ok := p.Parked(); !ok || call.API.Name != "b" {
		t.Fatalf("after Release: parked at %v %v", call, ok)
	}
	p.Resume(at(2), found("c"))
	p.Resume(at(3), found("d"))
	if result, err, ended := p.Ended(); !ended || err != nil || result.Reason != "d" {
		t.Fatalf("ended with %+v %v %v", result, err, ended)
	}
	if want := []string{"b at 1s", "c at 2s", "d at 3s"}; !slices.Equal(p.Log(), want) {
		t.Fatalf("log %q, want each line once", p.Log())
	}
}

// A crash runs deferred functions, as an EXIT trap runs; what they ask for
// reaches nobody, and what they return neither.
func TestKilledPassReachesNothing(t *testing.T) {
	var trap, after bool
	r := reconcile.Func(func(ctx context.Context, _ reconcile.Request) (result reconcile.Result, err error) {
		w := reconcile.WireFrom(ctx)
		defer func() {
			trap = true
			_ = recover()
			w.Log("from the trap")
			w.Do(get("from the trap"))
			after = true
		}()
		w.Do(get("a"))
		return reconcile.Result{Reason: "lived"}, nil
	})
	p := Start(r, key("a"), at(0))
	p.Kill()
	if !trap || after {
		t.Fatalf("the deferred function ran: %v, to its end: %v", trap, after)
	}
	if _, _, ended := p.Ended(); ended || !p.Killed() || len(p.Exchanges()) != 0 || len(p.Log()) != 0 {
		t.Fatalf("the killed pass ended: %v, with %d exchanges and log %q", ended, len(p.Exchanges()), p.Log())
	}
	if call, ok := p.Unanswered(); !ok || call.API.Name != "a" {
		t.Fatalf("killed at %v %v", call, ok)
	}
}

func TestKillCancelsTheContext(t *testing.T) {
	var err error
	r := reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		defer func() { err = ctx.Err() }()
		reconcile.WireFrom(ctx).Do(get("a"))
		return reconcile.Result{}, nil
	})
	Start(r, key("a"), at(0)).Kill()
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the context's error is %v", err)
	}
}

func TestPanicIsAnError(t *testing.T) {
	r := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { panic("boom") })
	_, err, ended := Start(r, key("a"), at(0)).Ended()
	if !ended || err == nil || err.Error() != "panic: boom [recovered]" {
		t.Fatalf("ended %v with %v", ended, err)
	}
}

func TestReconcilerWithAMemoryIsFound(t *testing.T) {
	memory := 0
	r := reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		memory++
		for n := range 3 {
			reconcile.WireFrom(ctx).Do(get(fmt.Sprintf("%d-%d", memory, n)))
		}
		return reconcile.Result{}, nil
	})
	for resumed := range 3 {
		p := Start(r, key("a"), at(0))
		for range resumed {
			p.Resume(at(1), found("x"))
		}
		c := p.Clone(r)
		p.Kill()
		c.Resume(at(2), found("x"))
		_, err, ended := c.Ended()
		if !ended || err == nil || !strings.Contains(err.Error(), "not deterministic: with the same answers, call 1 was") {
			t.Errorf("after %d answers: ended %v with %v", resumed, ended, err)
		}
	}
}

func TestClonedReconcilerThatEndsEarly(t *testing.T) {
	p := Start(chain(2), key("a"), at(0))
	p.Resume(at(1), found("b"))
	c := p.Clone(chain(1))
	p.Kill()
	c.Resume(at(2), found("c"))
	if _, err, ended := c.Ended(); !ended || err == nil || !strings.Contains(err.Error(), `call 2 was "get configmaps/default/b" and is now "nothing"`) {
		t.Fatalf("ended %v with %v", ended, err)
	}
}

func TestNoCoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 50 {
		p := Start(chain(3), key("a"), at(0))
		c := p.Clone(chain(3))
		c.Resume(at(1), found("b"))
		c.Release()
		p.Kill()
		for n := range 3 {
			q := Start(chain(n), key("a"), at(0))
			for range n {
				q.Resume(at(1), found("b"))
			}
		}
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Fatalf("%d goroutines, %d before", after, before)
	}
}
