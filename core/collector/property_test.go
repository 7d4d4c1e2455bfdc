package collector_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

var allPolicies = []string{"Background", "Foreground", "Orphan"}

// scatter makes a random forest of owners and deletes some of it, running the
// collector in between or not. The same seed does the same.
func scatter(w *world, r *rand.Rand, policies []string, step func(*world) bool) {
	names := []string{}
	for i := range 12 {
		name := fmt.Sprintf("n%d", i)
		var options []string
		for range r.IntN(3) {
			if len(names) > 0 {
				options = append(options, []string{"owner=", "block="}[r.IntN(2)]+names[r.IntN(len(names))])
			}
		}
		if r.IntN(8) == 0 {
			options = append(options, "ghost")
		}
		w.create(name, dedupe(options))
		w.observe()
		names = append(names, name)
	}
	for range 5 {
		name := names[r.IntN(len(names))]
		q := w.find(name)
		q.Verb = api.Delete
		if policy := policies[r.IntN(len(policies))]; policy != "" {
			q.PropagationPolicy = &policy
		}
		w.server.Do(w.now, q)
		w.observe()
		for r.IntN(2) == 0 && step(w) {
		}
	}
}

// dedupe drops a second reference to the same owner, which the server refuses
// to keep.
func dedupe(options []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, o := range options {
		if key := o[min(6, len(o)):]; !seen[key] {
			seen[key] = true
			out = append(out, o)
		}
	}
	return out
}

func first(w *world) bool {
	item, ok := w.collector.Next()
	return ok && w.collector.Step(item, w) && observed(w)
}

func observed(w *world) bool {
	w.observe()
	return true
}

func rest(t *testing.T, w *world, step func(*world) bool) {
	for range 1000 {
		if !step(w) {
			return
		}
	}
	t.Fatal("the collector does not come to rest")
}

// left lists the objects of the default namespace with their owners.
func left(w *world) map[string][]string {
	out := map[string][]string{}
	for _, o := range w.mustList() {
		var owners []string
		for _, r := range o.OwnerReferences() {
			owners = append(owners, r.Name)
		}
		out[o.Name()] = owners
	}
	return out
}

func (w *world) mustList() []object.Object {
	resp := w.server.Do(w.now, api.Request{Verb: api.List, GVR: cmGVR, Namespace: "default"})
	if err := resp.Err(); err != nil {
		w.t.Fatal(err)
	}
	return resp.List.Items
}

// TestNothingIsLeftWithoutAnOwner: at rest no object is terminating, and each
// that names owners has one that exists.
func TestNothingIsLeftWithoutAnOwner(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t)
		w.quiet = true
		scatter(w, r, allPolicies, first)
		rest(t, w, first)
		alive := left(w)
		for name, owners := range alive {
			living := 0
			for _, owner := range owners {
				if _, ok := alive[owner]; ok {
					living++
				}
			}
			if len(owners) > 0 && living == 0 {
				t.Errorf("seed %d: %s outlived its owners %v", seed, name, owners)
			}
		}
		for _, o := range w.mustList() {
			if o.Terminating() {
				t.Errorf("seed %d: %s is terminating for ever", seed, o.Name())
			}
		}
	}
}

// TestOrderOfWorkDoesNotMatter: whichever pending item is taken, the same
// objects are left, as long as no user acts in between. (Orphaning does race
// with collecting, here as in a real cluster.)
func TestOrderOfWorkDoesNotMatter(t *testing.T) {
	for seed := range uint64(100) {
		never := func(*world) bool { return false }
		plain := newWorld(t)
		plain.quiet = true
		scatter(plain, rand.New(rand.NewPCG(seed, 2)), allPolicies[:2], never)
		rest(t, plain, first)
		want := fmt.Sprint(left(plain))
		for order := range uint64(3) {
			pick := rand.New(rand.NewPCG(seed, order))
			w := newWorld(t)
			w.quiet = true
			scatter(w, rand.New(rand.NewPCG(seed, 2)), allPolicies[:2], never)
			rest(t, w, func(w *world) bool {
				items := w.collector.Pending()
				return len(items) > 0 && w.collector.Step(items[pick.IntN(len(items))], w) && observed(w)
			})
			if got := fmt.Sprint(left(w)); got != want {
				t.Errorf("seed %d: in another order %s is left, not %s", seed, got, want)
			}
		}
	}
}

// TestCloneIsIndependent: a clone taken at any step goes on as the original
// does, and leaves it alone.
func TestCloneIsIndependent(t *testing.T) {
	for seed := range uint64(60) {
		w := newWorld(t)
		w.quiet = true
		scatter(w, rand.New(rand.NewPCG(seed, 3)), allPolicies, first)
		for first(w) {
			copied := *w
			copied.server, copied.collector = w.server.Clone(), w.collector.Clone()
			before := fmt.Sprint(w.collector.Pending())
			rest(t, &copied, first)
			if after := fmt.Sprint(w.collector.Pending()); after != before {
				t.Fatalf("seed %d: running a clone changed what is pending from %s to %s", seed, before, after)
			}
			again := *w
			again.server, again.collector = w.server.Clone(), w.collector.Clone()
			rest(t, &again, first)
			if a, b := fmt.Sprint(left(&copied)), fmt.Sprint(left(&again)); a != b {
				t.Fatalf("seed %d: two clones end in %s and %s", seed, a, b)
			}
		}
	}
}
