package patch

import "github.com/reconcile-playground/reconcile/core/object"

// Merge applies a merge patch. Nulls of the patch delete; a map that is new, or
// that takes the place of another value, loses its nulls, and so do the maps in
// a list that takes the place of no map (which RFC 7386 would keep).
func Merge(doc, patch any) any {
	p, ok := patch.(*object.Map)
	if !ok {
		if _, was := doc.(*object.Map); was {
			return patch
		}
		return withoutNulls(patch)
	}
	d, ok := doc.(*object.Map)
	if !ok {
		return withoutNulls(patch)
	}
	out := d
	for k, v := range p.All() {
		if v == nil {
			out = out.Without(k)
			continue
		}
		cur, _ := d.Get(k)
		merged := Merge(cur, v)
		if object.Equal(cur, merged) && d.Has(k) {
			continue
		}
		out = out.With(k, merged)
	}
	return out
}

// withoutNulls drops the null fields of maps at any depth; null items stay.
func withoutNulls(x any) any {
	switch v := x.(type) {
	case *object.Map:
		out := v
		for k, sub := range v.All() {
			if sub == nil {
				out = out.Without(k)
			} else {
				out = out.With(k, withoutNulls(sub))
			}
		}
		return out
	case *object.List:
		out := v
		for i, sub := range v.All() {
			out = out.With(i, withoutNulls(sub))
		}
		return out
	}
	return x
}

// CreateMerge makes the merge patch that turns original into modified, empty
// where they are equal. A null in modified cannot be told from a removal: that
// is the format's limit. Models jsonpatch.CreateMergePatch.
func CreateMerge(original, modified *object.Map) *object.Map {
	out := object.NewMap()
	for k, after := range modified.All() {
		before, ok := original.Get(k)
		if !ok {
			out = out.With(k, after)
			continue
		}
		b, ok1 := before.(*object.Map)
		a, ok2 := after.(*object.Map)
		if ok1 && ok2 {
			if sub := CreateMerge(b, a); sub.Len() > 0 {
				out = out.With(k, sub)
			}
		} else if !sameNumbers(before, after) {
			out = out.With(k, after)
		}
	}
	for k := range original.All() {
		if !modified.Has(k) {
			out = out.With(k, nil)
		}
	}
	return out
}

// sameNumbers is equality for which 1 and 1.0 are one number, as for the library.
func sameNumbers(a, b any) bool {
	return object.Equal(a, b) || string(object.EncodeJSON(a)) == string(object.EncodeJSON(b))
}

// ThreeWayMerge makes the merge patch that kubectl apply sends to a kind
// without strategic merge: what modified adds or changes against current, and
// the removal of what original had and modified has not. Any of the three may
// be nil. Models jsonmergepatch.CreateThreeWayJSONMergePatch.
func ThreeWayMerge(original, modified, current *object.Map) *object.Map {
	changes := keepNulls(CreateMerge(current, modified), false)
	removals := keepNulls(CreateMerge(original, modified), true)
	return mergePatches(removals, changes)
}

// keepNulls keeps only the nulls of a patch, or all but the nulls. An empty map
// is a value of its own.
func keepNulls(m *object.Map, keep bool) *object.Map {
	out := object.NewMap()
	for k, v := range m.All() {
		sub, isMap := v.(*object.Map)
		switch {
		case v == nil:
			if keep {
				out = out.With(k, nil)
			}
		case isMap && sub.Len() > 0:
			if kept := keepNulls(sub, keep); kept.Len() > 0 {
				out = out.With(k, kept)
			}
		case !keep:
			out = out.With(k, v)
		}
	}
	return out
}

// mergePatches lays changes over removals, as a merge patch that keeps the
// removals. The two never meet in a leaf.
func mergePatches(removals, changes *object.Map) *object.Map {
	out := removals
	for k, v := range changes.All() {
		was, _ := removals.Get(k)
		a, ok1 := was.(*object.Map)
		b, ok2 := v.(*object.Map)
		switch {
		case ok1 && ok2:
			v = mergePatches(a, b)
		case !ok1:
			v = withoutNulls(v)
		}
		out = out.With(k, v)
	}
	return out
}
