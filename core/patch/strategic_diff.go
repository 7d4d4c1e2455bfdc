package patch

import (
	"fmt"
	"sort"

	"github.com/reconcile-playground/reconcile/core/object"
)

// ThreeWayStrategic makes the strategic merge patch that kubectl apply sends to
// a built-in kind: what modified adds or changes against current, and the
// removal of what original had and modified has not. Any of the three may be
// nil. A change that somebody else made is overwritten, and is no error. Models
// strategicpatch.CreateThreeWayMergePatch.
func ThreeWayStrategic(original, modified, current *object.Map, m *Merging) (*object.Map, error) {
	changes, err := differ{}.diff(current, modified, m)
	if err != nil {
		return nil, err
	}
	removals, err := differ{removals: true}.diff(original, modified, m)
	if err != nil {
		return nil, err
	}
	return merger{patches: true}.merge(removals, changes, m)
}

// differ makes the strategic merge patch that adds and changes or, where
// removals is set, the one that takes away. Models diffMaps.
type differ struct{ removals bool }

func (d differ) diff(original, modified *object.Map, m *Merging) (*object.Map, error) {
	out := object.NewMap()
	for k, after := range modified.All() {
		before, ok := original.Get(k)
		if !ok || goName(before) != goName(after) {
			if !d.removals {
				out = out.With(k, after)
			}
			continue
		}
		var err error
		switch after := after.(type) {
		case *object.Map:
			out, err = d.diffMap(out, k, before.(*object.Map), after, m)
		case *object.List:
			out, err = d.diffList(out, k, before.(*object.List), after, m)
		default:
			if !d.removals && before != any(after) {
				out = out.With(k, after)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if d.removals {
		for k := range original.All() {
			if !modified.Has(k) {
				out = out.With(k, nil)
			}
		}
	}
	return out, nil
}

func (d differ) diffMap(out *object.Map, name string, before, after *object.Map, m *Merging) (*object.Map, error) {
	sub, err := m.mapField(name)
	if err != nil {
		if object.Equal(before, after) {
			err = nil
		}
		return out, err
	}
	change, err := d.diff(before, after, sub)
	if err == nil && change.Len() > 0 {
		out = out.With(name, change)
	}
	return out, err
}

// diffList adds the list's changes to out, and the two directives that go with
// them. Models handleSliceDiff.
func (d differ) diffList(out *object.Map, name string, before, after *object.List, m *Merging) (*object.Map, error) {
	how, merges, err := m.listField(name)
	if err != nil {
		if object.Equal(before, after) {
			err = nil
		}
		return out, err
	}
	if !merges {
		if !d.removals && !object.Equal(before, after) {
			out = out.With(name, after)
		}
		return out, nil
	}
	c, err := d.listChange(items(before), items(after), how)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		key   string
		items []any
	}{{name, c.items}, {deletePrefix + "/" + name, c.deleted}, {orderPrefix + "/" + name, c.order}} {
		if len(part.items) > 0 {
			out = out.With(part.key, object.NewList(part.items...))
		}
	}
	return out, nil
}

// listChange is a list of a patch with its two parallel lists.
type listChange struct{ items, deleted, order []any }

// listChange models diffLists.
func (d differ) listChange(before, after []any, how ListMerging) (listChange, error) {
	if len(before) == 0 {
		if d.removals {
			after = nil
		}
		return listChange{items: after}, nil
	}
	maps, err := elementKind(before, after)
	if err != nil {
		return listChange{}, err
	}
	if !maps {
		return d.scalarChange(before, after)
	}
	change, deleted, err := d.itemChanges(before, after, how)
	if err != nil {
		return listChange{}, err
	}
	if change, err = sortLike(change, after, how.Key, true); err != nil {
		return listChange{}, err
	}
	same, err := sameOrder(before, after, how.Key)
	if err != nil {
		return listChange{}, err
	}
	c := listChange{items: append(change, deleted...)}
	if len(c.items) > 0 || !d.removals && !same {
		for _, x := range after {
			c.order = append(c.order, object.NewMap(object.Field{Key: how.Key, Value: keyOf(x, how.Key)}))
		}
	}
	return c, nil
}

// scalarChange models diffListsOfScalars. As there, the list before counts as
// sorted when the two are compared.
func (d differ) scalarChange(before, after []any) (listChange, error) {
	var c listChange
	old, wanted := sortedBy(before, ""), sortedBy(after, "")
	for i, j := 0, 0; i < len(old) || j < len(wanted); {
		switch {
		case i < len(old) && j < len(wanted) && keyText(old[i], "") == keyText(wanted[j], ""):
			i, j = i+1, j+1
		case i == len(old) || j < len(wanted) && keyText(old[i], "") > keyText(wanted[j], ""):
			if !d.removals {
				c.items = append(c.items, wanted[j])
			}
			j++
		default:
			if d.removals {
				c.deleted = append(c.deleted, old[i])
			}
			i++
		}
	}
	c.deleted = distinct(c.deleted)
	var err error
	if c.items, err = sortLike(c.items, after, "", false); err != nil {
		return c, err
	}
	if len(c.deleted) > 0 || !d.removals && !object.Equal(object.NewList(old...), object.NewList(after...)) {
		c.order = after
	}
	return c, nil
}

// itemChanges are the changes of items of the same key, the items that are new,
// and directives that delete. Models diffListsOfMaps.
func (d differ) itemChanges(before, after []any, how ListMerging) (changed, deleted []any, err error) {
	for _, l := range [][]any{before, after} {
		if err := haveKey(l, how.Key); err != nil {
			return nil, nil, err
		}
	}
	old, wanted := sortedBy(before, how.Key), sortedBy(after, how.Key)
	for i, j := 0, 0; i < len(old) || j < len(wanted); {
		switch {
		case i < len(old) && j < len(wanted) && keyText(old[i], how.Key) == keyText(wanted[j], how.Key):
			change, err := d.diff(old[i].(*object.Map), wanted[j].(*object.Map), how.Items)
			if err != nil {
				return nil, nil, err
			}
			if change.Len() > 0 {
				changed = append(changed, change.With(how.Key, keyOf(wanted[j], how.Key)))
			}
			i, j = i+1, j+1
		case i == len(old) || j < len(wanted) && keyText(old[i], how.Key) > keyText(wanted[j], how.Key):
			if !d.removals {
				changed = append(changed, wanted[j])
			}
			j++
		default:
			if d.removals {
				deleted = append(deleted, object.NewMap(
					object.Field{Key: directiveMarker, Value: "delete"}, object.Field{Key: how.Key, Value: keyOf(old[i], how.Key)}))
			}
			i++
		}
	}
	return changed, deleted, nil
}

func sameOrder(before, after []any, key string) (bool, error) {
	if len(before) != len(after) {
		return false, nil
	}
	for i := range after {
		if same, err := sameKey(before[i], after[i], key); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

// keyText is what items are sorted by: their key, or themselves, as text.
func keyText(x any, key string) string { return fmt.Sprint(object.ToAny(keyOf(x, key))) }

// sortedBy sorts a copy. The order of equal items is that of the original's
// sort, which is not stable.
func sortedBy(list []any, key string) []any {
	out := append([]any(nil), list...)
	sort.Slice(out, func(i, j int) bool { return keyText(out[i], key) <= keyText(out[j], key) })
	return out
}
