package patch

import (
	"errors"
	"fmt"
	"sort"

	"github.com/reconcile-playground/reconcile/core/object"
)

// checkOrder: the items of a patch stand in the order that it names. Models
// validatePatchWithSetOrderList.
func checkOrder(change, order []any, key string) error {
	if len(order) == 0 || len(change) == 0 {
		return nil
	}
	var kept []any
	for _, x := range change {
		m, ok := x.(*object.Map)
		if key != "" && !ok {
			return badArgument("map[string]interface {}", x)
		}
		if key == "" || directiveOf(m) != "delete" {
			kept = append(kept, x)
		}
	}
	i, j := 0, 0
	for i < len(kept) && j < len(order) {
		if m, ok := kept[i].(*object.Map); ok && m.Has(directiveMarker) {
			i++
			continue
		}
		same, err := sameKey(kept[i], order[j], key)
		if err != nil {
			return err
		}
		if same {
			i++
		}
		j++
	}
	if i < len(kept) && j >= len(order) {
		return fmt.Errorf("The order in patch list:\n%v\n doesn't match %s list:\n%v\n", object.ToAny(object.NewList(change...)), orderPrefix, object.ToAny(object.NewList(order...)))
	}
	return nil
}

// sameKey compares two items, which must have the key.
func sameKey(a, b any, key string) (bool, error) {
	if key == "" {
		return a == b, nil
	}
	for _, x := range []any{a, b} {
		m, ok := x.(*object.Map)
		if !ok {
			return false, badArgument("map[string]interface {}", x)
		}
		if !m.Has(key) {
			return false, noMergeKey(m, key)
		}
	}
	return keyOf(a, key) == keyOf(b, key), nil
}

// keyOf is what an item is known by: the value of its key, or itself.
func keyOf(x any, key string) any {
	if m, ok := x.(*object.Map); ok {
		v, _ := m.Get(key)
		return v
	}
	return x
}

// elementKind reports whether lists hold maps; all items must be of one type.
func elementKind(lists ...[]any) (maps bool, err error) {
	name := ""
	for _, l := range lists {
		for _, x := range l {
			if _, nested := x.(*object.List); nested && name == "" {
				return false, ErrListOfLists
			}
			if n := goName(x); name == "" {
				name = n
			} else if n != name {
				shown := make([]any, len(lists))
				for i := range lists {
					shown[i] = object.ToAny(object.NewList(lists[i]...))
				}
				return false, fmt.Errorf("list element types are not identical: %v", fmt.Sprint(shown))
			}
		}
	}
	if name == "" {
		return false, errors.New("no elements in any of the given slices")
	}
	return name == "map[string]interface {}", nil
}

// mergeList merges two lists. As the original does, it works in old itself,
// whose capacity is its length: what a directive deletes leaves room that items
// new in the patch take, and so they count as items that stood there when the
// order is made. Models mergeSlice.
func (g merger) mergeList(old, change []any, how ListMerging, deletes bool) ([]any, error) {
	if len(old) == 0 && len(change) == 0 {
		return old, nil
	}
	maps, err := elementKind(old, change)
	if err != nil {
		return nil, err
	}
	var merged []any
	switch {
	case !maps && deletes && !g.patches:
		return without(old, change), nil
	case !maps:
		merged = distinct(append(old, change...))
	case how.Key == "":
		return nil, errors.New("cannot merge lists without merge key for ")
	default:
		if old, change, err = listDirectives(old, change, how.Key); err != nil {
			return nil, err
		}
		if merged, err = g.mergeItems(old, change, how); err != nil {
			return nil, err
		}
	}
	inPatch, rest, err := partition(merged, change, how.Key)
	if err != nil {
		return nil, err
	}
	return normalizeOrder(inPatch, rest, change, old, how.Key, maps)
}

func without(list, drop []any) []any {
	gone := map[any]bool{}
	for _, x := range drop {
		gone[x] = true
	}
	var kept []any
	for _, x := range list {
		if !gone[x] {
			kept = append(kept, x)
		}
	}
	return kept
}

// distinct drops repeated scalars; the last item takes the place of each, as in
// the original.
func distinct(s []any) []any {
	last := len(s) - 1
	for i := 0; i < last; i++ {
		for j := i + 1; j <= last; j++ {
			if s[i] == s[j] {
				s[j] = s[last]
				s = s[:last]
				last--
				j--
			}
		}
	}
	return s
}

func noMergeKey(m *object.Map, key string) error {
	return fmt.Errorf("map: %v does not contain declared merge key: %s", object.ToAny(m), key)
}

// listDirectives applies the items of a patch that are directives.
func listDirectives(old, change []any, key string) (rest, plain []any, err error) {
	replace := false
	for _, x := range change {
		m := x.(*object.Map)
		directive, ok := m.Get(directiveMarker)
		if !ok {
			plain = append(plain, x)
			continue
		}
		switch directive {
		case "delete":
			v, ok := m.Get(key)
			if !ok {
				return nil, nil, noMergeKey(m, key)
			}
			for at := firstWithKey(old, key, v); at >= 0; at = firstWithKey(old, key, v) {
				old = append(old[:at], old[at+1:]...)
			}
		case "replace":
			replace = true
		case "merge":
			return nil, nil, errors.New("merging lists cannot yet be specified in the patch")
		default:
			return nil, nil, badPatchType(directive, m)
		}
	}
	if replace {
		return plain, nil, nil
	}
	return old, plain, nil
}

// mergeItems merges items of the same key and appends the others.
func (g merger) mergeItems(old, change []any, how ListMerging) ([]any, error) {
	out := old
	for _, x := range change {
		m := x.(*object.Map)
		v, ok := m.Get(how.Key)
		if !ok {
			return nil, noMergeKey(m, how.Key)
		}
		at := firstWithKey(out, how.Key, v)
		if at < 0 {
			out = append(out, x)
			continue
		}
		merged, err := g.merge(out[at].(*object.Map), m, how.Items)
		if err != nil {
			return nil, err
		}
		out[at] = merged
	}
	return out, nil
}

// firstWithKey is the index of the first map with that key, -1 where none is.
func firstWithKey(list []any, key string, v any) int {
	for i, x := range list {
		if m, ok := x.(*object.Map); ok && m.Has(key) && keyOf(m, key) == v {
			return i
		}
	}
	return -1
}

// partition splits a list into what is also in by, and the rest.
func partition(list, by []any, key string) (in, rest []any, err error) {
	for _, x := range list {
		found := false
		if m, ok := x.(*object.Map); ok && key != "" {
			if !m.Has(key) {
				return nil, nil, noMergeKey(m, key)
			}
			if found, err = hasKey(by, key, keyOf(m, key)); err != nil {
				return nil, nil, err
			}
		} else {
			found = placeOf(by, x, key) >= 0
		}
		if found {
			in = append(in, x)
		} else {
			rest = append(rest, x)
		}
	}
	return in, rest, nil
}

// hasKey reports whether a list of maps has one with that key.
func hasKey(list []any, key string, v any) (bool, error) {
	for i, x := range list {
		m, ok := x.(*object.Map)
		if !ok {
			return false, fmt.Errorf("value for key %d is not a map", i)
		}
		if m.Has(key) && keyOf(m, key) == v {
			return true, nil
		}
	}
	return false, nil
}

// placeOf is where an item of the same key stands, -1 where none does.
func placeOf(list []any, x any, key string) int {
	for i, y := range list {
		if keyOf(x, key) == keyOf(y, key) {
			return i
		}
	}
	return -1
}

// normalizeOrder puts the items of the patch in its order, and the rest, in the
// order of the document, between them where it stood. Models
// normalizeElementOrder, with its stable sort by an incomplete order.
func normalizeOrder(inPatch, rest, patchOrder, serverOrder []any, key string, maps bool) ([]any, error) {
	right, err := sortLike(inPatch, patchOrder, key, maps)
	if err != nil {
		return nil, err
	}
	left, err := sortLike(rest, serverOrder, key, maps)
	if err != nil {
		return nil, err
	}
	var out []any
	for len(left) > 0 || len(right) > 0 {
		takeLeft := len(right) == 0
		if len(left) > 0 && len(right) > 0 {
			li, ri := placeOf(serverOrder, left[0], key), placeOf(serverOrder, right[0], key)
			takeLeft = li >= 0 && ri >= 0 && li < ri
		}
		if takeLeft {
			out, left = append(out, left[0]), left[1:]
		} else {
			out, right = append(out, right[0]), right[1:]
		}
	}
	return out, nil
}

// sortLike sorts by an order, with what deletes at the end. Models
// normalizeSliceOrder.
func sortLike(list, order []any, key string, maps bool) ([]any, error) {
	var out, deleted []any
	if maps {
		for _, l := range [][]any{list, order} {
			if err := haveKey(l, key); err != nil {
				return nil, err
			}
		}
	}
	for _, x := range list {
		if m, ok := x.(*object.Map); ok && directiveOf(m) == "delete" {
			deleted = append(deleted, x)
		} else {
			out = append(out, x)
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		if a := placeOf(order, out[i], key); a >= 0 {
			if b := placeOf(order, out[j], key); b >= 0 {
				return a < b
			}
		}
		return true
	})
	return append(out, deleted...), nil
}

// haveKey: all items are maps that have the key.
func haveKey(list []any, key string) error {
	for _, x := range list {
		m, ok := x.(*object.Map)
		if !ok {
			return badArgument("map[string]interface {}", x)
		}
		if !m.Has(key) {
			return noMergeKey(m, key)
		}
	}
	return nil
}

func directiveOf(m *object.Map) any {
	v, _ := m.Get(directiveMarker)
	return v
}

// badArgument models mergepatch.ErrBadArgType.
func badArgument(want string, got any) error {
	return fmt.Errorf("expected a %s, but received a %s", want, goName(got))
}
