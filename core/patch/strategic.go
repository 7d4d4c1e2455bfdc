package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Merging says how the lists of a kind merge: what the struct tags
// patchStrategy and patchMergeKey say in the original. A nil *Merging replaces
// every list.
type Merging struct {
	// Lists names the fields whose lists merge.
	Lists map[string]ListMerging
	// Fields leads to the fields below maps.
	Fields map[string]*Merging
}

// ListMerging is a list that merges: by the key of its items, or, with an empty
// key, as a set of scalars.
type ListMerging struct {
	Key string
	// Items is how lists inside of the items merge.
	Items *Merging
}

func (m *Merging) field(name string) *Merging {
	if m == nil {
		return nil
	}
	return m.Fields[name]
}

func (m *Merging) list(name string) (ListMerging, bool) {
	if m == nil {
		return ListMerging{}, false
	}
	l, ok := m.Lists[name]
	return l, ok
}

var metadataMerging = &Merging{Lists: map[string]ListMerging{"finalizers": {}, "ownerReferences": {Key: "uid"}}}

// MergingOf returns how the lists of a built-in kind merge. Kinds that it does
// not know merge finalizers and ownerReferences.
func MergingOf(kind object.GVK) *Merging {
	m := &Merging{Fields: map[string]*Merging{"metadata": metadataMerging}}
	conditions := &Merging{Lists: map[string]ListMerging{"conditions": {Key: "type"}}}
	switch kind {
	case object.GVK{Version: "v1", Kind: "Namespace"}:
		m.Fields["status"] = conditions
	case object.GVK{Version: "v1", Kind: "Service"}:
		m.Fields["spec"] = &Merging{Lists: map[string]ListMerging{"ports": {Key: "port"}}}
		m.Fields["status"] = conditions
	case object.GVK{Version: "v1", Kind: "ServiceAccount"}:
		m.Lists = map[string]ListMerging{"secrets": {Key: "name"}}
	}
	return m
}

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
	return strategicMap(doc, patch, m)
}

func strategicMap(doc, patch *object.Map, m *Merging) (*object.Map, error) {
	if directive, ok := patch.Get(directiveMarker); ok {
		switch directive {
		case "replace":
			return patch.Without(directiveMarker), nil
		case "delete":
			return object.NewMap(), nil
		}
		return nil, badPatchType(directive, patch)
	}
	doc, patch, err := retainKeys(doc, patch)
	if err != nil {
		return nil, err
	}
	if doc, patch, err = orderLists(doc, patch, m); err != nil {
		return nil, err
	}
	for k, v := range patch.All() {
		name, deletes := strings.CutPrefix(k, deletePrefix+"/")
		if !deletes && strings.HasPrefix(k, deletePrefix) {
			return nil, ErrPrimitiveList
		}
		if v == nil {
			doc = doc.Without(name)
			continue
		}
		if doc, err = strategicField(doc, name, v, deletes, m); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

func badPatchType(directive any, patch *object.Map) error {
	return fmt.Errorf("unknown patch type: %s in map: %v", directive, object.ToAny(patch))
}

// strategicField merges one field, which the patch does not set to null.
func strategicField(doc *object.Map, name string, v any, deletes bool, m *Merging) (*object.Map, error) {
	old, found := doc.Get(name)
	oldMap, ok1 := old.(*object.Map)
	newMap, ok2 := v.(*object.Map)
	if ok1 && ok2 {
		merged, err := strategicMap(oldMap, newMap, m.field(name))
		if err != nil {
			return nil, err
		}
		return doc.With(name, merged), nil
	}
	oldList, ok1 := old.(*object.List)
	newList, ok2 := v.(*object.List)
	if ok1 && ok2 {
		how, merges := m.list(name)
		if !merges && !deletes {
			return doc.With(name, v), nil
		}
		merged, err := strategicList(items(oldList), items(newList), how, deletes)
		if err != nil {
			return nil, err
		}
		return doc.With(name, object.NewList(merged...)), nil
	}
	if deletes {
		return doc, nil
	}
	if !found || ok1 != ok2 {
		v = withoutNulls(v)
	}
	if v, keep := withoutDirectives(v); keep {
		return doc.With(name, v), nil
	}
	return doc.Without(name), nil
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
func orderLists(doc, patch *object.Map, m *Merging) (*object.Map, *object.Map, error) {
	for k, v := range patch.All() {
		name, ok := strings.CutPrefix(k, orderPrefix+"/")
		if !ok {
			if strings.HasPrefix(k, orderPrefix) {
				return nil, nil, ErrSetElementOrder
			}
			continue
		}
		patch = patch.Without(k)
		order, ok := v.(*object.List)
		if !ok {
			return nil, nil, fmt.Errorf("expected a %s, but received a %s", "[]interface {}", goName(v))
		}
		old, inDoc := doc.Get(name)
		change, inPatch := patch.Get(name)
		oldList, ok1 := old.(*object.List)
		newList, ok2 := change.(*object.List)
		if inDoc && !ok1 || inPatch && !ok2 {
			return nil, nil, fmt.Errorf("expected a %s, but received a %s", "[]interface {}", goName(map[bool]any{true: change, false: old}[ok1 || !inDoc]))
		}
		if !inDoc && !inPatch {
			continue
		}
		merged, err := orderList(oldList, newList, items(order), m, name, inDoc, inPatch)
		if err != nil {
			return nil, nil, err
		}
		doc, patch = doc.With(name, object.NewList(merged...)), patch.Without(name)
	}
	return doc, patch, nil
}

func orderList(old, change *object.List, order []any, m *Merging, name string, inDoc, inPatch bool) ([]any, error) {
	how, merges := m.list(name)
	if err := checkOrder(items(change), order, how.Key); err != nil {
		return nil, err
	}
	server := items(old)
	merged := server
	switch {
	case inDoc && inPatch && merges:
		var err error
		if merged, err = strategicList(server, items(change), how, false); err != nil {
			return nil, err
		}
	case inDoc && inPatch:
		merged = items(change)
	case inPatch:
		kept, _ := withoutDirectives(change)
		merged = items(kept.(*object.List))
	}
	inOrder, rest, err := partition(merged, order, how.Key)
	if err != nil {
		return nil, err
	}
	if _, err := elementKind(server, items(change)); err != nil {
		return nil, err
	}
	return normalizeOrder(inOrder, rest, order, server, how.Key)
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
