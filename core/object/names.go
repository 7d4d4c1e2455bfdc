package object

import "strings"

// GVK names a kind of a version of a group. Group is empty for the core group.
type GVK struct{ Group, Version, Kind string }

// GVR names a resource (the plural in a URL) of a version of a group.
type GVR struct{ Group, Version, Resource string }

// APIVersion returns "v1" for the core group, else "group/version".
func (g GVK) APIVersion() string { return joinGroup(g.Group, g.Version) }

// String prints as apimachinery does: "apps/v1, Kind=Deployment".
func (g GVK) String() string { return g.APIVersion() + ", Kind=" + g.Kind }

// APIVersion returns "v1" for the core group, else "group/version".
func (g GVR) APIVersion() string { return joinGroup(g.Group, g.Version) }

// GroupResource prints "configmaps", or "webapps.lab.example.com": the form in
// which error texts name a resource.
func (g GVR) GroupResource() string {
	if g.Group == "" {
		return g.Resource
	}
	return g.Resource + "." + g.Group
}

// String prints as apimachinery does: "apps/v1, Resource=deployments".
func (g GVR) String() string { return g.APIVersion() + ", Resource=" + g.Resource }

func joinGroup(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

// ParseAPIVersion splits "group/version" or "version". More than one slash is
// refused.
func ParseAPIVersion(s string) (group, version string, ok bool) {
	switch strings.Count(s, "/") {
	case 0:
		return "", s, true
	case 1:
		group, version, _ = strings.Cut(s, "/")
		return group, version, true
	}
	return "", "", false
}

// Key is what travels through a work queue: the name of an object of a kind
// that is understood. Namespace is empty for a cluster-scoped object. Models
// apimachinery's types.NamespacedName.
type Key struct{ Namespace, Name string }

// String prints "namespace/name", or "name" alone for a cluster-scoped object.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}

// ParseKey reads what String prints.
func ParseKey(s string) Key {
	if ns, name, ok := strings.Cut(s, "/"); ok {
		return Key{ns, name}
	}
	return Key{Name: s}
}

// Compare orders by namespace, then name.
func (k Key) Compare(o Key) int {
	if c := strings.Compare(k.Namespace, o.Namespace); c != 0 {
		return c
	}
	return strings.Compare(k.Name, o.Name)
}

// Ref names one object among all kinds. It is comparable.
type Ref struct {
	Group, Kind string
	Namespace   string
	Name        string
}

// Key returns the ref's namespace and name.
func (r Ref) Key() Key { return Key{r.Namespace, r.Name} }

// String prints "Kind/namespace/name", or "Kind/name" for a cluster-scoped
// object. The group is left out: use Full where two groups share a kind.
func (r Ref) String() string { return r.Kind + "/" + r.Key().String() }

// Full prints "group/Kind/namespace/name" for a ref with a group: the group has
// a dot, a kind never has, so that both forms parse.
func (r Ref) Full() string {
	if r.Group == "" {
		return r.String()
	}
	return r.Group + "/" + r.String()
}

// ParseRef reads what String and Full print. The group is empty where the text
// names none, which says "any group that serves this kind".
func ParseRef(s string) (Ref, bool) {
	parts := strings.Split(s, "/")
	var r Ref
	if len(parts) > 2 && strings.Contains(parts[0], ".") {
		r.Group, parts = parts[0], parts[1:]
	}
	switch len(parts) {
	case 2:
		r.Kind, r.Name = parts[0], parts[1]
	case 3:
		r.Kind, r.Namespace, r.Name = parts[0], parts[1], parts[2]
	default:
		return Ref{}, false
	}
	return r, r.Kind != "" && r.Name != ""
}

// Compare orders by group, kind, namespace and name.
func (r Ref) Compare(o Ref) int {
	if c := strings.Compare(r.Group, o.Group); c != 0 {
		return c
	}
	if c := strings.Compare(r.Kind, o.Kind); c != 0 {
		return c
	}
	return r.Key().Compare(o.Key())
}
