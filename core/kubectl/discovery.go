package kubectl

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// resource is one resource of the discovery documents: what upstream calls a
// RESTMapping.
type resource struct {
	object.GVR
	Kind, Singular    string
	Short, Categories []string
	Verbs             []string
	Namespaced        bool
	Subresources      []string
	// preferred: its version is the first of the group's that has it.
	preferred bool
}

func (r *resource) gvk() object.GVK {
	return object.GVK{Group: r.Group, Version: r.Version, Kind: r.Kind}
}

// kindName is the kind as messages write it: "webapp.lab.example.com".
func (r *resource) kindName() string {
	if r.Group == "" {
		return strings.ToLower(r.Kind)
	}
	return strings.ToLower(r.Kind) + "." + r.Group
}

// mapper finds resources by what people type. It is immutable.
type mapper struct {
	// core and groups are the documents that it was made of.
	core, groups *object.Map
	list         []*resource
	byName       map[string][]*resource
	byKind       map[string][]*resource
	versions     []string
}

// lastMapper is the mapper of the documents seen last: they change rarely and
// are asked for by every command.
var lastMapper atomic.Pointer[mapper]

// mapper reads the discovery documents, once in a run.
func (c *call) mapper() (*mapper, error) {
	if c.found != nil {
		return c.found, nil
	}
	core, err := c.discover("/api")
	if err != nil {
		return nil, err
	}
	groups, err := c.discover("/apis")
	if err != nil {
		return nil, err
	}
	m := lastMapper.Load()
	if m == nil || m.core != core || m.groups != groups {
		m = newMapper(core, groups)
		lastMapper.Store(m)
	}
	c.found = m
	return m, nil
}

func (c *call) discover(path string) (*object.Map, error) {
	resp := c.do(api.Request{Verb: api.Discover, Path: path, As: api.AsDiscovery})
	return resp.Object.Root(), resp.Err()
}

func newMapper(core, groups *object.Map) *mapper {
	m := &mapper{core: core, groups: groups, byName: map[string][]*resource{}, byKind: map[string][]*resource{}}
	for _, doc := range []*object.Map{core, groups} {
		for _, v := range object.New(doc).List("items").All() {
			m.addGroup(object.New(v.(*object.Map)))
		}
	}
	slices.Sort(m.versions)
	return m
}

func (m *mapper) addGroup(g object.Object) {
	group := g.Str("metadata", "name")
	for _, v := range g.List("versions").All() {
		version := object.New(v.(*object.Map))
		name := version.Str("version")
		m.versions = append(m.versions, object.GVR{Group: group, Version: name}.APIVersion())
		for _, r := range version.List("resources").All() {
			m.add(object.New(r.(*object.Map)), object.GVR{Group: group, Version: name})
		}
	}
}

func (m *mapper) add(o object.Object, gv object.GVR) {
	gv.Resource = o.Str("resource")
	seen := func(r *resource) bool { return r.Group == gv.Group && r.Resource == gv.Resource }
	r := &resource{
		GVR: gv, Kind: o.Str("responseKind", "kind"), Singular: o.Str("singularResource"),
		Short: texts(o.List("shortNames")), Categories: texts(o.List("categories")), Verbs: texts(o.List("verbs")),
		Namespaced: o.Str("scope") == "Namespaced", preferred: !slices.ContainsFunc(m.list, seen),
	}
	for _, s := range o.List("subresources").All() {
		r.Subresources = append(r.Subresources, object.New(s.(*object.Map)).Str("subresource"))
	}
	m.list = append(m.list, r)
	m.byName[r.Resource] = append(m.byName[r.Resource], r)
	if r.Singular != r.Resource {
		m.byName[r.Singular] = append(m.byName[r.Singular], r)
	}
	for _, s := range r.Short {
		m.byName[s] = append(m.byName[s], r)
	}
	m.byKind[r.Kind] = append(m.byKind[r.Kind], r)
}

func texts(l *object.List) []string {
	var out []string
	for _, v := range l.All() {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// pick returns the first of a list in a group and version, each of which may be
// left out; a preferred version comes first.
func pick(list []*resource, group, version string) *resource {
	var first *resource
	for _, r := range list {
		if group != "" && !strings.HasPrefix(r.Group, group) || version != "" && r.Version != version {
			continue
		}
		if r.Group == group && r.preferred || first == nil {
			if r.Group == group || group == "" || first == nil {
				first = r
			}
		}
		if r.preferred && group == "" {
			return first
		}
	}
	return first
}

// byWord finds a resource by its plural, singular or short name. Only the short
// name has to be in lower case.
func (m *mapper) byWord(word, group, version string) *resource {
	if r := pick(m.byName[word], group, version); r != nil {
		return r
	}
	lower := strings.ToLower(word)
	if r := pick(m.byName[lower], group, version); r != nil && (r.Resource == lower || r.Singular == lower) {
		return r
	}
	return nil
}

// byGVK finds the resource of a kind; an empty version is the preferred one.
func (m *mapper) byGVK(gvk object.GVK) *resource {
	for _, r := range m.byKind[gvk.Kind] {
		if r.Group == gvk.Group && (gvk.Version == r.Version || gvk.Version == "" && r.preferred) {
			return r
		}
	}
	return nil
}

// resource finds what an argument names: webapps, wa, webapps.lab.example.com,
// webapps.v1.lab.example.com, WebApp. Models Builder.mappingFor.
func (m *mapper) resource(arg string) (*resource, error) {
	name, group, _ := strings.Cut(arg, ".")
	if version, rest, ok := strings.Cut(group, "."); ok {
		if r := m.byWord(name, rest, version); r != nil && r.Group == rest {
			return r, nil
		}
		if r := m.byGVK(object.GVK{Group: rest, Version: version, Kind: name}); r != nil {
			return r, nil
		}
	}
	if r := m.byWord(name, group, ""); r != nil {
		return r, nil
	}
	if r := m.byGVK(object.GVK{Group: group, Kind: name}); r != nil {
		return r, nil
	}
	if group != "" {
		return nil, errorf("the server doesn't have a resource type %q in group %q", name, group)
	}
	return nil, errorf("the server doesn't have a resource type %q", name)
}

// expand replaces a category, such as all, by its resources.
func (m *mapper) expand(arg string) string {
	var out []string
	for word := range strings.SplitSeq(arg, ",") {
		var members []string
		for _, r := range m.list {
			if r.preferred && slices.Contains(r.Categories, word) {
				members = append(members, r.GroupResource())
			}
		}
		if len(members) == 0 {
			members = []string{word}
		}
		out = append(out, members...)
	}
	return strings.Join(out, ",")
}
