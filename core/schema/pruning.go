package schema

import (
	"slices"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Prune drops what the schema does not specify, and returns the paths of what
// it dropped, sorted, as warnings and strict decoding errors name them:
// "spec.ports[0].zz". Below x-kubernetes-preserve-unknown-fields all is kept.
// apiVersion, kind and metadata of the root, and of embedded resources, are
// left alone: PruneMetadata and CoerceEmbedded look into metadata. A Map that
// needs no pruning is returned itself.
func (s *Schema) Prune(m *object.Map) (*object.Map, []string) {
	p := pruner{}
	out := p.prune(m, s, true).(*object.Map)
	slices.Sort(p.dropped)
	return out, p.dropped
}

// pruner walks an object; path leads to where it is.
type pruner struct {
	path    []place
	dropped []string
}

// drop notes a key of the map where the walk is.
func (p *pruner) drop(key string) {
	var at *place
	for _, step := range p.path {
		step.up = at
		at = &step
	}
	p.dropped = append(p.dropped, at.at(key).String())
}

// below prunes what is a step further.
func (p *pruner) below(step place, x any, s *Schema) any {
	p.path = append(p.path, step)
	x = p.prune(x, s, false)
	p.path = p.path[:len(p.path)-1]
	return x
}

func isMetaField(k string) bool { return k == "apiVersion" || k == "kind" || k == "metadata" }

func joinKey(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// prune returns x without what s does not know. root makes s an embedded resource.
func (p *pruner) prune(x any, s *Schema, root bool) any {
	preserve := s != nil && s.PreserveUnknownFields
	switch v := x.(type) {
	case *object.Map:
		out := v
		for k, sub := range v.All() {
			if (root || s != nil && s.EmbeddedResource) && isMetaField(k) {
				continue
			}
			next, known := s.child(k)
			switch {
			case known:
				out = out.With(k, p.below(place{key: k}, sub, next))
			case !preserve:
				p.drop(k)
				out = out.Without(k)
			}
		}
		return out
	case *object.List:
		out := v
		for i, sub := range v.All() {
			var items *Schema
			if s != nil {
				items = s.Items
			}
			if preserve {
				items = skipping(items)
			}
			if !preserve || items != nil {
				out = out.With(i, p.below(place{index: i, item: true}, sub, items))
			}
		}
		return out
	}
	return x
}

// skipping is the schema of an item of a list that preserves unknown fields:
// nothing is dropped there, but properties named by the schema are pruned again.
// nil leaves the item alone.
func skipping(s *Schema) *Schema {
	if s == nil || s.PreserveUnknownFields {
		return s
	}
	loose := *s
	loose.PreserveUnknownFields = true
	return &loose
}

// child returns the schema of a key and whether the schema specifies that key;
// a key allowed by `additionalProperties: true` is specified with no schema.
func (s *Schema) child(key string) (*Schema, bool) {
	if s == nil {
		return nil, false
	}
	if p := s.Property(key); p != nil {
		return p, true
	}
	if s.Additional != nil {
		return s.Additional.Schema, true
	}
	return nil, false
}
