package scenario

import (
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

func (r *reader) controller(item any, path string, before []Controller) Controller {
	m, ok := item.(*object.Map)
	if !ok {
		r.fail(path, "must be a map")
		return Controller{}
	}
	r.fields(m, path, "name", "for", "owns", "watches", "predicates", "reconciler", "script", "reads", "workers", "resync", "queue")
	reads := "cache"
	if v, _ := m.Get("reconciler"); v == ofScript {
		reads = "live"
	}
	watched := r.source(m, path, "for", sim.Source{})
	c := Controller{
		Name:          r.str(m, path, "name", "controller"),
		For:           watched.Resource,
		ForPredicates: watched.Predicates,
		Owns:          r.sources(m, path, "owns"),
		Watches:       r.sources(m, path, "watches"),
		Predicates:    r.predicates(m, path),
		Reconciler:    r.word(m, path, "reconciler", "", reconcilerNames()...),
		Script:        r.str(m, path, "script", ""),
		Reads:         r.word(m, path, "reads", reads, "cache", "live"),
		Workers:       int(r.integer(m, path, "workers", 1, 1)),
		Resync:        r.duration(m, path, "resync", 0),
		Queue:         r.queue(m, path),
	}
	if c.For == "" {
		r.fail(path, "for is missing: the resource to reconcile, such as webapps.lab.example.com")
	}
	switch {
	case c.Reconciler == ofScript && c.Script == "":
		r.fail(path, "script is missing: the name of a member of scripts/, such as reconcile.sh")
	case c.Reconciler != ofScript && c.Script != "":
		r.fail(path+".script", "is for reconciler: script alone")
	}
	if strings.ContainsAny(c.Name, " \t\"|") {
		r.fail(path+".name", "must be one word, not %q", c.Name)
	}
	for _, b := range before {
		if b.Name == c.Name {
			r.fail(path+".name", "%q is the name of another controller", c.Name)
		}
	}
	return c
}

// sources reads a list of resources: names, or maps with more about each.
func (r *reader) sources(m *object.Map, path, key string) []sim.Source {
	v, ok := m.Get(key)
	if !ok {
		return nil
	}
	l, ok := v.(*object.List)
	if !ok {
		r.fail(object.JoinPath(path, key), "must be a list of resources, not %s", object.EncodeJSON(v))
		return nil
	}
	var out []sim.Source
	for i := range l.Len() {
		item := object.NewMap(object.Field{Key: "", Value: l.At(i)})
		at := object.JoinPath(path, key)
		s := r.sourceAt(item, at+indexed(i), "", key)
		out = append(out, s)
	}
	return out
}

// source reads one resource: its name, or a map with more about it.
func (r *reader) source(m *object.Map, path, key string, missing sim.Source) sim.Source {
	if !m.Has(key) {
		return missing
	}
	return r.sourceAt(m, object.JoinPath(path, key), key, key)
}

func (r *reader) sourceAt(in *object.Map, path, key, role string) sim.Source {
	v, _ := in.Get(key)
	s := sim.Source{}
	switch v := v.(type) {
	case string:
		s.Resource = v
	case *object.Map:
		known := map[string][]string{
			"for":     {"resource", "predicates"},
			"owns":    {"resource", "predicates", "everyOwner"},
			"watches": {"resource", "predicates", "mapByField"},
		}[role]
		r.fields(v, path, known...)
		s.Resource, s.Predicates = r.str(v, path, "resource", ""), r.predicates(v, path)
		s.EveryOwner, s.MapByField = r.flag(v, path, "everyOwner", false), r.str(v, path, "mapByField", "")
	}
	switch {
	case s.Resource == "":
		r.fail(path, "must be a resource such as configmaps, or a map with one as resource, not %s", object.EncodeJSON(v))
	case role == "watches" && s.MapByField == "":
		r.fail(path, "mapByField is missing: the field of what is reconciled that holds the name of a watched object, such as spec.configRef")
	}
	return s
}

func (r *reader) predicates(m *object.Map, path string) []string {
	names := r.strings(m, path, "predicates")
	for i, n := range names {
		if err := sim.CheckPredicate(n); err != nil {
			r.fail(object.JoinPath(path, "predicates")+indexed(i), "%v", err)
		}
	}
	return names
}

func (r *reader) queue(m *object.Map, path string) workqueue.Options {
	v, ok := m.Get("queue")
	if !ok {
		return workqueue.Options{}
	}
	path = object.JoinPath(path, "queue")
	q, ok := v.(*object.Map)
	if !ok {
		r.fail(path, "must be a map, not %s", object.EncodeJSON(v))
		return workqueue.Options{}
	}
	r.fields(q, path, "priority", "baseDelay", "maxDelay", "qps", "burst", "bucket")
	return workqueue.Options{
		Priority:    r.flag(q, path, "priority", false),
		BaseDelay:   r.duration(q, path, "baseDelay", 0),
		MaxDelay:    r.duration(q, path, "maxDelay", 0),
		BucketQPS:   int(r.integer(q, path, "qps", 0, 1)),
		BucketBurst: int(r.integer(q, path, "burst", 0, 1)),
		NoBucket:    !r.flag(q, path, "bucket", true),
	}
}

func indexed(i int) string { return "[" + strconv.Itoa(i) + "]" }
