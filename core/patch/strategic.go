package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// The directives of a strategic merge patch.
const (
	directiveMarker     = "$patch"
	retainKeysDirective = "$retainKeys"
	deletePrefix        = "$deleteFromPrimitiveList"
	orderPrefix         = "$setElementOrder"
)

// The errors that the API server answers with 400, and ErrListOfLists, with 422.
var (
	ErrPrimitiveList   = errors.New("invalid patch format of primitive list")
	ErrRetainKeys      = errors.New("invalid patch format of retainKeys")
	ErrSetElementOrder = errors.New("invalid patch format of setElementOrder list")
	ErrListOfLists     = errors.New("lists of lists are not supported")
)

// Strategic applies a strategic merge patch. Models
// strategicpatch.StrategicMergeMapPatch.
func Strategic(doc, patch *object.Map, m *Merging) (*object.Map, error) {
	return merger{}.merge(doc, patch, m)
}

// merger merges a patch into a document or, where patches is set, a second
// patch into a first one, whose directives and nulls stay. Models mergeMap.
type merger struct{ patches bool }

func (g merger) merge(doc, patch *object.Map, m *Merging) (*object.Map, error) {
	if directive, ok := patch.Get(directiveMarker); ok {
		switch directive {
		case "replace":
			return patch.Without(directiveMarker), nil
		case "delete":
			return object.NewMap(), nil
		}
		return nil, badPatchType(directive, patch)
	}
	var err error
	if !g.patches {
		if doc, patch, err = retainKeys(doc, patch); err != nil {
			return nil, err
		}
	}
	if doc, patch, err = g.orderLists(doc, patch, m); err != nil {
		return nil, err
	}
	for k, v := range patch.All() {
		name, deletes := strings.CutPrefix(k, deletePrefix+"/")
		switch {
		case g.patches && strings.HasPrefix(k, deletePrefix):
			doc = doc.With(k, v)
			continue
		case !deletes && strings.HasPrefix(k, deletePrefix):
			return nil, ErrPrimitiveList
		case v == nil && g.patches:
			doc = doc.With(name, nil)
			continue
		case v == nil:
			doc = doc.Without(name)
			continue
		}
		if doc, err = g.field(doc, name, v, deletes, m); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

func badPatchType(directive any, patch *object.Map) error {
	return fmt.Errorf("unknown patch type: %s in map: %v", directive, object.ToAny(patch))
}

// field merges one field, which the patch does not set to null.
func (g merger) field(doc *object.Map, name string, v any, deletes bool, m *Merging) (*object.Map, error) {
	old, _ := doc.Get(name)
	switch v := v.(type) {
	case *object.Map:
		if old, ok := old.(*object.Map); ok {
			sub, err := m.mapField(name)
			if err != nil {
				return nil, err
			}
			merged, err := g.merge(old, v, sub)
			if err != nil {
				return nil, err
			}
			return doc.With(name, merged), nil
		}
	case *object.List:
		if old, ok := old.(*object.List); ok {
			how, merges, err := m.listField(name)
			if err != nil {
				return nil, err
			}
			if !merges && !deletes {
				return doc.With(name, v), nil
			}
			merged, err := g.mergeList(items(old), items(v), how, deletes)
			if err != nil {
				return nil, err
			}
			return doc.With(name, object.NewList(merged...)), nil
		}
	}
	if deletes {
		return doc, nil
	}
	if !g.patches {
		v = withoutNulls(v)
	}
	if v, keep := withoutDirectives(v); keep {
		return doc.With(name, v), nil
	}
	return doc.Without(name), nil
}

// Consumed is what the original leaves of a patch that it has applied to doc:
// nulls of maps that were new, and most directives, are gone from it. Error texts
// of the API server quote it.
func Consumed(doc, patch *object.Map) *object.Map {
	out := patch.Without(retainKeysDirective)
	if out.Has(directiveMarker) {
		return out.Without(directiveMarker)
	}
	for k, v := range patch.All() {
		if name, ok := strings.CutPrefix(k, orderPrefix+"/"); ok {
			out = out.Without(k).Without(name)
			continue
		}
		old, _ := doc.Get(k)
		oldMap, ok1 := old.(*object.Map)
		newMap, ok2 := v.(*object.Map)
		switch {
		case !out.Has(k):
		case ok1 && ok2:
			out = out.With(k, Consumed(oldMap, newMap))
		default:
			out = out.With(k, withoutNulls(v))
		}
	}
	return out
}

// items copies a list, with no room for more.
func items(l *object.List) []any {
	out := make([]any, 0, l.Len())
	for _, x := range l.All() {
		out = append(out, x)
	}
	return out
}

// withoutDirectives drops maps that are directives; keep is false where v is one.
func withoutDirectives(v any) (out any, keep bool) {
	switch v := v.(type) {
	case *object.Map:
		if v.Has(directiveMarker) {
			return nil, false
		}
		m := v
		for k, x := range v.All() {
			if y, keep := withoutDirectives(x); keep {
				m = m.With(k, y)
			} else {
				m = m.Without(k)
			}
		}
		return m, true
	case *object.List:
		var kept []any
		for _, x := range v.All() {
			if y, keep := withoutDirectives(x); keep {
				kept = append(kept, y)
			}
		}
		return object.NewList(kept...), true
	}
	return v, true
}

// retainKeys applies $retainKeys: all other fields go.
func retainKeys(doc, patch *object.Map) (*object.Map, *object.Map, error) {
	v, ok := patch.Get(retainKeysDirective)
	if !ok {
		return doc, patch, nil
	}
	list, ok := v.(*object.List)
	if !ok {
		return nil, nil, ErrRetainKeys
	}
	patch = patch.Without(retainKeysDirective)
	keep := map[any]bool{}
	for _, x := range list.All() {
		keep[x] = true
	}
	for k, x := range patch.All() {
		if x != nil && !strings.HasPrefix(k, deletePrefix) && !strings.HasPrefix(k, orderPrefix) && !keep[k] {
			return nil, nil, ErrRetainKeys
		}
	}
	for k := range doc.All() {
		if !keep[k] {
			doc = doc.Without(k)
		}
	}
	return doc, patch, nil
}

// orderLists merges the lists that $setElementOrder orders, and takes both the
// lists and the directives out of the patch. Models mergePatchIntoOriginal.
func (g merger) orderLists(doc, patch *object.Map, m *Merging) (_, _ *object.Map, err error) {
	for k, v := range patch.All() {
		name, ok := strings.CutPrefix(k, orderPrefix+"/")
		if !strings.HasPrefix(k, orderPrefix) {
			continue
		}
		if g.patches {
			if was, ok := doc.Get(k); ok && !object.Equal(was, v) {
				return nil, nil, ErrSetElementOrder
			}
			doc = doc.With(k, v)
		}
		patch = patch.Without(k)
		order, err := asList(v, true)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			return nil, nil, ErrSetElementOrder
		}
		old, inDoc := doc.Get(name)
		oldList, err := asList(old, inDoc)
		if err != nil {
			return nil, nil, err
		}
		change, inPatch := patch.Get(name)
		newList, err := asList(change, inPatch)
		if err != nil {
			return nil, nil, err
		}
		how, merges, err := m.listField(name)
		if err != nil {
			return nil, nil, err
		}
		o := ordering{how: how, merges: merges, order: items(order), server: items(oldList), change: items(newList), inDoc: inDoc, inPatch: inPatch}
		if err := checkOrder(o.change, o.order, how.Key); err != nil {
			return nil, nil, err
		}
		if !inDoc && !inPatch {
			continue
		}
		merged, err := g.inOrder(o)
		if err != nil {
			return nil, nil, err
		}
		doc, patch = doc.With(name, object.NewList(merged...)), patch.Without(name)
	}
	return doc, patch, nil
}

func asList(v any, found bool) (*object.List, error) {
	l, ok := v.(*object.List)
	if found && !ok {
		return nil, badArgument("[]interface {}", v)
	}
	return l, nil
}

// ordering is a list that a $setElementOrder is about: as it is in the document
// and as the patch has it, where they do.
type ordering struct {
	how            ListMerging
	merges         bool
	order          []any
	server, change []any
	inDoc, inPatch bool
}

func (g merger) inOrder(o ordering) ([]any, error) {
	merged := o.server
	switch {
	case o.inDoc && o.inPatch && o.merges:
		var err error
		if merged, err = g.mergeList(o.server, o.change, o.how, false); err != nil {
			return nil, err
		}
	case o.inDoc && o.inPatch:
		merged = o.change
	case o.inPatch:
		kept, _ := withoutDirectives(object.NewList(o.change...))
		merged = items(kept.(*object.List))
	}
	in, rest, err := partition(merged, o.order, o.how.Key)
	if err != nil {
		return nil, err
	}
	maps, err := elementKind(o.server, o.change)
	if err != nil {
		return nil, err
	}
	return normalizeOrder(in, rest, o.order, o.server, o.how.Key, maps)
}

// goName is the Go type of a value in generic JSON.
func goName(v any) string {
	switch v.(type) {
	case *object.Map:
		return "map[string]interface {}"
	case *object.List:
		return "[]interface {}"
	case nil:
		return "%!s(<nil>)"
	}
	return fmt.Sprintf("%T", v)
}
