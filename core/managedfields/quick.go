package managedfields

import (
	"cmp"
	"slices"

	"github.com/reconcile-playground/reconcile/core/object"
)

// stripTree is stripped as fieldsV1 writes it.
var stripTree = encodeFields(stripped)

// quick is Update for the usual case, without decoding a set: all entries are of
// this version and fit its type, and they are not too many. It gives what slow
// gives, or false where it cannot.
func (f *FieldManager) quick(live, o object.Object, list *object.List, manager, now string) (*object.List, bool) {
	var room [256]byte
	found, ok := f.differences(room[:0], live, o)
	if !ok {
		return nil, false
	}
	return f.change(list, found, manager, now)
}

// differences appends what a differ finds; false where it cannot tell.
func (f *FieldManager) differences(found []byte, live, o object.Object) ([]byte, bool) {
	d := differ{schema: f.typ.schema, lost: f.typ.compound}
	found = d.diff(found, f.typ.ref, side{f.filled(live), true}, side{f.filled(o), true})
	return found, !d.lost
}

// entriesFit reports whether all entries are of this version and fit its type.
func (f *FieldManager) entriesFit(list *object.List) bool {
	for _, v := range list.All() {
		m, _ := v.(*object.Map)
		e := object.New(m)
		fields, given := e.At("fieldsV1")
		set, isSet := fields.(*object.Map)
		if e.APIVersion() != f.version || given && !isSet || !f.fits(set) {
			return false
		}
	}
	return true
}

// changed makes of a list of entries what it is after a write that changes what
// a differ has found.
func (f *FieldManager) changed(list *object.List, found []byte, manager, now string) (*object.List, bool) {
	if !f.entriesFit(list) {
		return nil, false
	}
	gained, removed := trees(found)
	for _, name := range f.Reset[f.version] {
		gained, removed = gained.Without("f:"+name), removed.Without("f:"+name)
	}
	by, own := f.owner(manager, opUpdate), minus(gained, stripTree)
	out, mine := takeFrom(list, plus(gained, removed), by, own)
	if own.Len() > 0 {
		// The object changed, so this manager has done it now.
		if mine < 0 {
			out = append(out, by.entry(own, now))
		} else {
			was, _ := out[mine].Get("fieldsV1")
			out[mine] = out[mine].WithAll(object.Field{Key: "fieldsV1", Value: plus(was.(*object.Map), own)}, object.Field{Key: "time", Value: now})
		}
	}
	out = slices.DeleteFunc(out, func(e *object.Map) bool {
		set, _ := e.Get("fieldsV1")
		return set.(*object.Map).Len() == 0
	})
	if len(out) > maxUpdateManagers {
		return nil, false
	}
	slices.SortStableFunc(out, compareEntries)
	return listOf(out, list), true
}

// takeFrom takes fields from all entries, but from the owner's own entry not what
// it gets back. mine is the place of that entry, -1 where there is none.
func takeFrom(list *object.List, fields *object.Map, by owner, own *object.Map) (out []*object.Map, mine int) {
	mine = -1
	out = make([]*object.Map, 0, list.Len()+1)
	for i, v := range list.All() {
		m := v.(*object.Map)
		e := object.New(m)
		if e.Str("operation") == by.operation && e.Str("manager") == by.manager && e.Str("subresource") == by.subresource {
			mine = i
			out = append(out, m.With("fieldsV1", minus(e.Map("fieldsV1"), minus(fields, own))))
			continue
		}
		out = append(out, m.With("fieldsV1", minus(e.Map("fieldsV1"), fields)))
	}
	return out, mine
}

// listOf makes a list of entries, which is was where it has the same.
func listOf(entries []*object.Map, was *object.List) *object.List {
	same := len(entries) == was.Len()
	items := make([]any, len(entries))
	for i, e := range entries {
		items[i] = e
		same = same && object.Same(e, was.At(i))
	}
	switch {
	case len(entries) == 0:
		return nil
	case same:
		return was
	}
	return object.NewList(items...)
}

// entry writes an entry of managedFields.
func (o owner) entry(set *object.Map, time string) *object.Map {
	fields := []object.Field{
		{Key: "apiVersion", Value: o.apiVersion}, {Key: "fieldsType", Value: "FieldsV1"}, {Key: "fieldsV1", Value: set},
		{Key: "manager", Value: o.manager}, {Key: "operation", Value: o.operation},
		{Key: "subresource", Value: o.subresource}, {Key: "time", Value: time},
	}
	return object.NewMap(slices.DeleteFunc(fields, func(f object.Field) bool { return f.Value == "" })...)
}

// compareEntries is the order of managedFields: by operation, time in whole
// seconds (none comes first), manager, version, subresource. Models
// sortEncodedManagedFields.
func compareEntries(a, b *object.Map) int {
	p, q := object.New(a), object.New(b)
	return cmp.Or(
		cmp.Compare(p.Str("operation"), q.Str("operation")), compareTimes(p.Str("time"), q.Str("time")),
		cmp.Compare(p.Str("manager"), q.Str("manager")), cmp.Compare(p.APIVersion(), q.APIVersion()),
		cmp.Compare(p.Str("subresource"), q.Str("subresource")))
}
