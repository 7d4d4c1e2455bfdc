package judge

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// depends notes what a pass read that the spec of its object names.
func (m *Monitor) depends(w *sim.World, p *sim.Pass) {
	if p.Desired == nil || p.Desired.Object.IsZero() {
		return
	}
	spec, _ := p.Desired.Object.At("spec")
	names := words(nil, spec)
	root := m.object(w, p)
	for _, o := range p.Observed {
		ref, ok := object.ParseRef(o.Ref)
		if !ok || o.From == "cloud" || !slices.Contains(names, ref.Name) || slices.Contains(m.asked[root], o.Ref) {
			continue
		}
		m.asked[root] = append(slices.Clip(m.asked[root]), o.Ref)
	}
	for _, c := range p.Calls {
		if d := sought(w, p, c, spec, names); d != "" && !slices.Contains(m.asked[root], d) {
			m.asked[root] = append(slices.Clip(m.asked[root]), d)
		}
	}
}

// sought is what a list was made for and did not find: the object that its selector
// or a field of the spec names, where the field is called after the kind, as
// configRef is after ConfigMap.
func sought(w *sim.World, p *sim.Pass, c sim.Call, spec any, names []string) string {
	if c.Verb != string(api.List) || fails(c) {
		return ""
	}
	res, ok := w.Server().Resource(c.Resource)
	if !ok {
		return "" // of the cloud
	}
	ref := object.Ref{Group: c.Resource.Group, Kind: res.Kind}
	if res.Namespaced {
		ref.Namespace = object.ParseKey(p.Key).Namespace
	}
	var found string
	for _, name := range names {
		if c.Selector != "" && c.Selector != "metadata.name="+name || c.Selector == "" && !isCalled(refersTo("spec", spec, name), res.Kind) {
			continue
		}
		ref.Name = name
		if d := w.Name(ref); finds(c, d) && !read(p, d) {
			found = d
		}
	}
	return found
}

// isCalled reports whether a field fooRef, or a name within one, is called after a
// kind.
func isCalled(path, kind string) bool {
	path = strings.TrimSuffix(path, ".name")
	field := strings.ToLower(strings.TrimSuffix(path[strings.LastIndexByte(path, '.')+1:], "Ref"))
	kind = strings.ToLower(kind)
	return field != "" && (strings.Contains(kind, field) || strings.Contains(field, kind))
}

// finds reports whether a get or a list would tell of an object.
func finds(c sim.Call, name string) bool {
	return c.Ref == name || c.Verb == string(api.List) && strings.HasPrefix(name, c.Ref+"/")
}

// read reports whether a pass has seen an object.
func read(p *sim.Pass, name string) bool {
	return slices.ContainsFunc(p.Observed, func(r sim.Reading) bool { return r.Ref == name && !r.Absent })
}

// words lists the texts in a tree.
func words(out []string, v any) []string {
	switch v := v.(type) {
	case string:
		return append(out, v)
	case *object.Map:
		for _, x := range v.All() {
			out = words(out, x)
		}
	case *object.List:
		for _, x := range v.All() {
			out = words(out, x)
		}
	}
	return out
}

// dependencies are what the object of a pass names in its spec, as it stands,
// and its passes read, without what they made of it.
func (m *Monitor) dependencies(w *sim.World, p *sim.Pass) []string {
	x, ok := m.process(p.Process)
	if !ok {
		return nil
	}
	root, there := w.Server().Find(x.ref(p.Key))
	if !there || root.Terminating() {
		return nil
	}
	spec, _ := root.At("spec")
	names := words(nil, spec)
	var out []string
	for _, name := range m.asked[m.object(w, p)] {
		ref, _ := object.ParseRef(name)
		if !slices.Contains(names, ref.Name) {
			continue
		}
		if now, there := w.Server().Find(ref); there {
			if _, made := m.made[now.UID()]; made || slices.ContainsFunc(now.OwnerReferences(), func(r object.OwnerReference) bool { return r.UID == root.UID() }) {
				continue
			}
		}
		out = append(out, name)
	}
	return out
}

// missing finds what a pass asked for, its object depends on, and is not there.
func (m *Monitor) missing(w *sim.World, p *sim.Pass) (string, bool) {
	for _, d := range m.dependencies(w, p) {
		lacks := func(c sim.Call) bool {
			return c.Ref == d && c.Outcome == sim.Absent || c.Verb == string(api.List) && finds(c, d) && !fails(c) && !read(p, d)
		}
		if slices.ContainsFunc(p.Calls, lacks) {
			return d, true
		}
	}
	return "", false
}

// untold finds what the object of a pass depends on where nothing will tell of
// its changes in good time.
func (m *Monitor) untold(w *sim.World, p *sim.Pass) (string, bool) {
	if p.Requeue.Kind != "none" && p.Requeue.Delay <= Attentive {
		return "", false
	}
	x, _ := m.process(p.Process)
	for _, d := range m.dependencies(w, p) {
		if ref, _ := object.ParseRef(d); !x.told(w, object.ParseKey(p.Key), ref) {
			return d, true
		}
	}
	return "", false
}

// told reports whether the process hears of a change of what an object depends on:
// the change wakes it, or it is of the same kind and wakes another pass, which may
// see to both.
func (p watcher) told(w *sim.World, key object.Key, d object.Ref) bool {
	keys := w.Tells(p.name, d)
	return slices.Contains(keys, key) || d.Kind == p.kind && d.Group == p.watched.Group && len(keys) > 0
}
