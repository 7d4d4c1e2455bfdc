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
	out := p.prune(m, s, nil, true).(*object.Map)
	slices.Sort(p.dropped)
	return out, p.dropped
}

type pruner struct{ dropped []string }

func isMetaField(k string) bool { return k == "apiVersion" || k == "kind" || k == "metadata" }

func joinKey(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// prune returns x without what s does not know. root makes s an embedded resource.
func (p *pruner) prune(x any, s *Schema, at *place, root bool) any {
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
				out = out.With(k, p.prune(sub, next, at.at(k), false))
			case !preserve:
				p.dropped = append(p.dropped, at.at(k).String())
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
				out = out.With(i, p.skip(sub, items, at.nth(i)))
			} else {
				out = out.With(i, p.prune(sub, items, at.nth(i), false))
			}
		}
		return out
	}
	return x
}

// skip goes on below an item of a list that preserves unknown fields: it drops
// nothing here, but properties named by the schema are pruned again.
func (p *pruner) skip(x any, s *Schema, at *place) any {
	if s == nil {
		return x
	}
	if s.PreserveUnknownFields {
		return p.prune(x, s, at, false)
	}
	loose := *s
	loose.PreserveUnknownFields = true
	return p.prune(x, &loose, at, false)
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
