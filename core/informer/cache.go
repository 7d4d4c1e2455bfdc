package informer

import (
	"iter"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/tree"
)

// cache is the objects of one resource by key, with an index by owner and by
// label. Models client-go's ThreadSafeStore and its indices.
type cache struct {
	objects *tree.Ordered[entry]
	index   *tree.Ordered[term]
}

type entry struct {
	key    object.Key
	object object.Object
}

// term is one indexed property of one object: "owner:uid", or "key=value"
// of a label.
type term struct {
	property string
	key      object.Key
}

func newCache() cache {
	return cache{
		objects: tree.NewOrdered(func(a, b entry) bool { return a.key.Compare(b.key) < 0 }),
		index: tree.NewOrdered(func(a, b term) bool {
			if c := strings.Compare(a.property, b.property); c != 0 {
				return c < 0
			}
			return a.key.Compare(b.key) < 0
		}),
	}
}

func (c cache) clone() cache { return cache{c.objects.Copy(), c.index.Copy()} }

func (c cache) get(key object.Key) (object.Object, bool) {
	e, ok := c.objects.Get(entry{key: key})
	return e.object, ok
}

func (c cache) set(o object.Object) {
	key := o.Key()
	old, replaced := c.objects.Set(entry{key, o})
	if replaced {
		if sameProperties(old.object, o) {
			return
		}
		c.unindex(old.object)
	}
	for p := range properties(o) {
		c.index.Set(term{p, key})
	}
}

func (c cache) delete(key object.Key) {
	if old, ok := c.objects.Delete(entry{key: key}); ok {
		c.unindex(old.object)
	}
}

func (c cache) unindex(o object.Object) {
	for p := range properties(o) {
		c.index.Delete(term{p, o.Key()})
	}
}

// all walks the objects in order of key.
func (c cache) all() iter.Seq[object.Object] {
	return func(yield func(object.Object) bool) {
		c.objects.Scan(func(e entry) bool { return yield(e.object) })
	}
}

// in walks the objects of a namespace in order of key; of all for "".
func (c cache) in(namespace string) iter.Seq[object.Object] {
	if namespace == "" {
		return c.all()
	}
	return func(yield func(object.Object) bool) {
		c.objects.Ascend(entry{key: object.Key{Namespace: namespace}}, func(e entry) bool {
			return e.key.Namespace == namespace && yield(e.object)
		})
	}
}

// with walks the objects that have a property, in order of key.
func (c cache) with(property string) iter.Seq[object.Object] {
	return func(yield func(object.Object) bool) {
		c.index.Ascend(term{property: property}, func(t term) bool {
			if t.property != property {
				return false
			}
			o, _ := c.get(t.key)
			return yield(o)
		})
	}
}

// properties walks what an object is indexed by.
func properties(o object.Object) iter.Seq[string] {
	return func(yield func(string) bool) {
		for k, v := range o.Labels().All() {
			if s, ok := v.(string); ok && !yield(label(k, s)) {
				return
			}
		}
		for _, owner := range o.OwnerReferences() {
			if !yield(ownedBy(owner.UID)) {
				return
			}
		}
	}
}

func label(key, value string) string { return key + "=" + value }

// ownedBy cannot be a label: their keys hold no colon.
func ownedBy(uid string) string { return "owner:" + uid }

// sameProperties reports that two versions of an object are indexed alike,
// without going through them where they share the parts.
func sameProperties(a, b object.Object) bool {
	return object.Equal(a.Labels(), b.Labels()) &&
		object.Equal(a.List("metadata", "ownerReferences"), b.List("metadata", "ownerReferences"))
}
