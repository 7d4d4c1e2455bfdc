package informer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// history is a server that remembers everything: the events of each revision.
type history struct {
	revision int
	objects  map[string]object.Object
	events   []api.WatchEvent
}

func (h *history) write(name, label string) {
	h.revision++
	o := configMap(name, strconv.Itoa(h.revision), "n", label)
	typ := api.Modified
	if _, ok := h.objects[name]; !ok {
		typ = api.Added
	}
	h.objects[name] = o
	h.events = append(h.events, api.WatchEvent{Type: typ, Object: o})
}

func (h *history) delete(name string) {
	if _, ok := h.objects[name]; !ok {
		return
	}
	h.revision++
	delete(h.objects, name)
	h.events = append(h.events, api.WatchEvent{Type: api.Deleted, Object: configMap(name, strconv.Itoa(h.revision))})
}

func (h *history) list() api.Response {
	var items []object.Object
	for _, name := range slices.Sorted(maps.Keys(h.objects)) {
		items = append(items, h.objects[name])
	}
	return listOf(strconv.Itoa(h.revision), items...)
}

// follower is a handler that keeps its own copy from what it hears.
type follower map[string]object.Object

func (f follower) hear(t *rapid.T, notes []Notification) {
	for _, n := range notes {
		name := n.Object().Name()
		have, known := f[name]
		switch n.Type {
		case Add:
			if known {
				t.Fatalf("%s, which is known", n)
			}
			f[name] = n.New
		case Update, Sync:
			if !known || !have.Equal(n.Old) {
				t.Fatalf("%s from %s, known as %s", n, n.Old.ResourceVersion(), have.ResourceVersion())
			}
			f[name] = n.New
		case Delete:
			if !known {
				t.Fatalf("%s, which is not known", n)
			}
			delete(f, name)
		}
	}
}

// However the server's history and the informer's steps interleave, with watches
// that end and versions that expire: a handler that does what it hears has what
// the cache has, and a cache that has caught up has what the server has.
func TestCacheFollowsTheServer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		server := &history{revision: 5, objects: map[string]object.Object{}}
		i, f := New(configMaps), follower{}
		name := rapid.SampledFrom([]string{"a", "b", "c"})
		step := func() {
			switch i.State() {
			case NeedsList:
				i.ListRequest()
			case Listing:
				notes, err := i.Listed(server.list())
				if err != nil {
					t.Fatal(err)
				}
				f.hear(t, notes)
			case NeedsWatch:
				_ = i.Watched(api.Response{Code: 200})
			case Watching:
				for _, ev := range server.events {
					if after(ev, i.ResourceVersion()) {
						f.hear(t, i.Deliver(ev))
						return
					}
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				server.write(name.Draw(t, "name"), fmt.Sprint(rapid.IntRange(0, 1).Draw(t, "label")))
			},
			"delete": func(t *rapid.T) { server.delete(name.Draw(t, "name")) },
			"step":   func(*rapid.T) { step() },
			"close":  func(*rapid.T) { i.Closed() },
			"expire": func(*rapid.T) {
				i.Deliver(api.WatchEvent{Type: api.Error, Object: object.FromMap(map[string]any{"code": 410})})
			},
			"resync": func(t *rapid.T) { f.hear(t, i.Resync()) },
			"abandonClone": func(*rapid.T) {
				c := i.Clone()
				c.ListRequest()
				_, _ = c.Listed(listOf("99", configMap("z", "99", "n", "0")))
			},
			"": func(t *rapid.T) { agree(t, i, f) },
		})
		for range len(server.events) + 4 {
			step()
		}
		agree(t, i, server.objects)
	})
}

func after(ev api.WatchEvent, rv string) bool {
	a, _ := strconv.Atoi(ev.Object.ResourceVersion())
	b, _ := strconv.Atoi(rv)
	return a > b
}

func agree(t *rapid.T, i *Informer, want map[string]object.Object) {
	if i.Len() != len(want) {
		t.Fatalf("%d objects are cached, want %d", i.Len(), len(want))
	}
	for _, o := range i.List("default", nil) {
		if !o.Equal(want[o.Name()]) {
			t.Fatalf("%s is cached at rv %s, want %s", o.Name(), o.ResourceVersion(), want[o.Name()].ResourceVersion())
		}
	}
	for _, label := range []string{"0", "1"} {
		sel := api.LabelSelector{{Key: "n", Op: "=", Values: []string{label}}}
		count := 0
		for _, o := range want {
			if o.Str("metadata", "labels", "n") == label {
				count++
			}
		}
		if got := len(i.List("", sel)); got != count {
			t.Fatalf("n=%s selects %d objects, want %d", label, got, count)
		}
	}
}
