package controller

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
)

// counted is a reconciler that may be remembered, and counts how often it is run.
type counted struct {
	reconcile.Func
	runs int
}

func (c *counted) Twin(memory any) any { return memory }

func (c *counted) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	c.runs++
	return c.Func(ctx, req)
}

// told is all that a pass shows.
func told(p *Pass) string {
	var b strings.Builder
	for _, e := range p.Exchanges() {
		fmt.Fprintln(&b, e.Call, e.Line, e.At, e.Now, e.Reply.API.Object.Name())
	}
	c, parked := p.Parked()
	result, err, ended := p.Ended()
	fmt.Fprintln(&b, c, c.At, parked, result, err, ended, p.Log(), p.Uses(), p.Clocked(), p.Remembered(1))
	return b.String()
}

// played plays a pass to its end, a copy of it at every call.
func played(r reconcile.Reconciler, envs []Env, replies []Reply) string {
	p := Start(r, key("a"), envs[0])
	var b strings.Builder
	b.WriteString(told(p))
	for i, reply := range replies {
		if _, parked := p.Parked(); !parked {
			break
		}
		if i%2 == 1 {
			p = p.Clone(r)
		}
		p.Resume(envs[i+1], reply)
		b.WriteString(told(p))
	}
	p.Kill()
	return b.String()
}

// A pass that gets the answers of another one is not run, and shows the same as one
// that is.
func TestMemo(t *testing.T) {
	quiet := func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		w, name := reconcile.WireFrom(ctx), req.Name
		for range 3 {
			w.At("quiet.go:" + name)
			name = w.Do(get(name)).Object.Name()
			w.Log("saw " + name)
			w.(reconcile.Attentive).Uses("part " + name)
		}
		w.Remember(func(memory any) any { return fmt.Sprint(memory, name) })
		return reconcile.Result{Reason: name}, nil
	}
	seeded := func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		w := reconcile.WireFrom(ctx)
		w.Do(get(req.Name))
		w.Do(get(fmt.Sprint(w.Seed())))
		return reconcile.Result{}, nil
	}
	cache := func(e Env, name string) Env {
		e.Read = func(req api.Request) (api.Response, bool) { return found(name).API, req.Name == "a" }
		return e
	}
	seed := func(e Env, n uint64) Env {
		e.Seed = n
		return e
	}
	remembers := func(e Env, memory any) Env {
		e.Memory = memory
		return e
	}
	early, late := []Env{at(0), at(1), at(2), at(3)}, []Env{at(0), at(1), at(20), at(30)}
	bcd, bxd := []Reply{found("b"), found("c"), found("d")}, []Reply{found("b"), found("x"), found("d")}
	type pass struct {
		envs    []Env
		replies []Reply
	}
	for _, c := range []struct {
		name   string
		f      reconcile.Func
		passes []pass
		runs   int
	}{
		{"the same answers", quiet, []pass{{early, bcd}, {early, bcd}, {late, bcd}}, 2},
		{"another answer", quiet, []pass{{early, bcd}, {early, bxd}, {late, bxd}}, 3},
		{"another memory", quiet, []pass{{early, bcd}, {[]Env{remembers(at(0), 1), at(1), at(2), at(3)}, bcd}}, 4},
		{"who asks for the time", chain(3), []pass{{early, bcd}, {early, bcd}, {late, bcd}}, 3},
		{"who asks for the seed", seeded, []pass{{early, bcd}, {[]Env{seed(at(0), 7), at(1), at(2), at(3)}, bcd}}, 4},
		{"what the cache has", quiet, []pass{{[]Env{cache(at(0), "b"), at(1), at(2)}, bcd[1:]}, {[]Env{cache(at(0), "b"), at(1), at(2)}, bcd[1:]}, {[]Env{cache(at(0), "x"), at(1), at(2)}, bcd[1:]}}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, memo := &counted{Func: c.f}, NewMemo()
			for i, p := range c.passes {
				want := played(c.f, p.envs, p.replies)
				envs := slices.Clone(p.envs)
				envs[0].Memo = memo
				if got := played(r, envs, p.replies); got != want {
					t.Errorf("pass %d:\n%s\nwant\n%s", i, got, want)
				}
			}
			if r.runs != c.runs {
				t.Errorf("it was run %d times, not %d", r.runs, c.runs)
			}
		})
	}
}

// Answers that differ in anything are two.
func TestMemoTellsAnswersApart(t *testing.T) {
	one := int64(1)
	full := func() Reply {
		return Reply{
			API: api.Response{
				Code: 200, Object: obj(configMap, "a", "1"), Table: obj(configMap, "t", "1"), Raw: []byte("raw"), RawType: "type", Warnings: []string{"w"},
				List: &api.ObjectList{GVK: object.GVK{Kind: "List"}, ResourceVersion: "1", Continue: "c", RemainingItemCount: &one, Items: []object.Object{obj(configMap, "a", "1")}},
				Status: &api.Status{Status: "s", Message: "m", Reason: "r", Code: 1, Continue: "c",
					Details: &api.Details{Name: "n", Group: "g", Kind: "k", UID: "u", Causes: []api.Cause{{Reason: "r"}}, RetryAfterSeconds: 1}},
			},
			Cloud: api.CloudResponse{Items: []api.CloudItem{{ID: "i", Type: "t", Name: "n", Address: "a", Tags: map[string]string{"k": "v"}}}, Err: &api.CloudError{Reason: "r", Message: "m"}},
		}
	}
	if a := full(); !a.equal(full()) {
		t.Fatal("equal answers are told apart")
	}
	fields := 0
	var each func(v reflect.Value, path string, check func(string))
	each = func(v reflect.Value, path string, check func(string)) {
		kept := reflect.New(v.Type()).Elem()
		kept.Set(v)
		changed := func() {
			check(path)
			fields++
			v.Set(kept)
		}
		switch {
		case v.Type() == reflect.TypeFor[object.Object]():
			for _, o := range []object.Object{{}, obj(configMap, "other", "1"), obj(configMap, "a", "2")} {
				v.Set(reflect.ValueOf(o))
				changed()
			}
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				each(v.Field(i), path+"."+v.Type().Field(i).Name, check)
			}
		case v.Kind() == reflect.Pointer && v.IsNil():
			v.Set(reflect.New(v.Type().Elem()))
			changed()
		case v.Kind() == reflect.Pointer:
			v.SetZero()
			changed()
			fresh := reflect.New(v.Type().Elem())
			fresh.Elem().Set(v.Elem())
			v.Set(fresh)
			each(v.Elem(), path, check)
			v.Set(kept)
		case v.Kind() == reflect.Interface:
			v.SetZero()
			changed()
			for _, err := range []error{&api.CloudError{Reason: "r", Message: "other"}, &api.CloudError{Reason: "other", Message: "m"}} {
				v.Set(reflect.ValueOf(err))
				changed()
			}
		case v.Kind() == reflect.Slice && v.Len() > 0:
			v.SetZero()
			changed()
			fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(fresh, v)
			v.Set(fresh)
			each(v.Index(0), path, check)
			v.Set(kept)
		case v.Kind() == reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			changed()
		case v.Kind() == reflect.Map:
			v.Set(reflect.ValueOf(map[string]string{"k": "other"}))
			changed()
		case v.Kind() == reflect.String:
			v.SetString("other")
			changed()
		case v.Kind() == reflect.Bool:
			v.SetBool(!v.Bool())
			changed()
		case v.Kind() == reflect.Uint8:
			v.SetUint(v.Uint() + 1)
			changed()
		case v.CanInt():
			v.SetInt(v.Int() + 1)
			changed()
		default:
			t.Fatalf("%s: what to change in a %s?", path, v.Kind())
		}
	}
	r := full()
	each(reflect.ValueOf(&r).Elem(), "Reply", func(path string) {
		if r.equal(full()) || full().equal(r) {
			t.Errorf("answers that differ in %s are taken for the same", path)
		}
	})
	if fields < 35 {
		t.Errorf("%d fields were changed", fields)
	}
}

// What a Memo remembers has an end.
func TestMemoBeginsAnew(t *testing.T) {
	memo := NewMemo()
	r := &counted{Func: chain(1)}
	for i := range maxMemo + 10 {
		env := at(0)
		env.Memo = memo
		p := Start(r, reconcile.Request{Name: fmt.Sprint(i)}, env)
		p.Kill()
	}
	if len(memo.begins) > 20 || memo.size > 20 {
		t.Errorf("it holds %d beginnings and counts %d", len(memo.begins), memo.size)
	}
}
