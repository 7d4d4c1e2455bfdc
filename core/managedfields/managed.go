package managedfields

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/reconcile-playground/reconcile/core/object"
)

// The operations of an entry.
const (
	opApply  = "Apply"
	opUpdate = "Update"
)

// owner is what tells an entry of managedFields from others. An Apply entry's
// apiVersion does not: it moves with the version that was applied last.
type owner struct {
	manager, operation, apiVersion, subresource string
}

// id is the owner as the real server writes it: its entries are told apart, and
// in places sorted, by this text. Models BuildManagerIdentifier.
func (o owner) id() string {
	var b []byte
	add := func(key, v string) {
		if v == "" {
			return
		}
		sep := byte(',')
		if len(b) == 0 {
			sep = '{'
		}
		b = append(append(append(b, sep, '"'), key...), `":`...)
		if quoted, err := json.Marshal(v); err == nil {
			b = append(b, quoted...)
		}
	}
	add("manager", o.manager)
	add("operation", o.operation)
	if o.operation != opApply {
		add("apiVersion", o.apiVersion)
	}
	add("subresource", o.subresource)
	return string(append(b, '}'))
}

// managed are the entries of one object, decoded.
type managed struct {
	// list is what was read.
	list   *object.List
	fields fieldpath.ManagedFields
	owners map[string]owner
	// times are as they are written; there is none for an entry without.
	times map[string]string
	// was are the entries as they were read, which a set still belongs to where
	// nothing changed it.
	was map[string]entry
}

type entry struct {
	tree *object.Map
	set  fieldpath.VersionedSet
	time string
}

func newManaged(n int) *managed {
	return &managed{fields: make(fieldpath.ManagedFields, n), owners: make(map[string]owner, n), times: make(map[string]string, n), was: make(map[string]entry, n)}
}

// decodeManaged reads metadata.managedFields. Models DecodeManagedFields.
func decodeManaged(list *object.List) (*managed, error) {
	m := newManaged(list.Len())
	m.list = list
	for i, v := range list.All() {
		tree, _ := v.(*object.Map)
		e := object.New(tree)
		o := owner{e.Str("manager"), e.Str("operation"), e.Str("apiVersion"), e.Str("subresource")}
		switch {
		case o.operation != opApply && o.operation != opUpdate:
			return nil, errors.New("operation must be `Apply` or `Update`")
		case o.apiVersion == "":
			return nil, errors.New("apiVersion must not be empty")
		case e.Str("fieldsType") == "":
			return nil, fmt.Errorf("missing fieldsType in managed fields entry %d", i)
		case e.Str("fieldsType") != "FieldsV1":
			return nil, fmt.Errorf("invalid fieldsType %q in managed fields entry %d", e.Str("fieldsType"), i)
		}
		fields, _ := e.At("fieldsV1")
		set, err := decodeFields(fields)
		if err != nil {
			return nil, err
		}
		id := o.id()
		m.owners[id] = o
		m.fields[id] = fieldpath.NewVersionedSet(set, fieldpath.APIVersion(o.apiVersion), o.operation == opApply)
		m.times[id] = e.Str("time")
		m.was[id] = entry{tree, m.fields[id], e.Str("time")}
	}
	return m, nil
}

// encode writes the entries, sorted; nil where there are none. Models
// encodeManagedFields.
func (m *managed) encode() *object.List {
	entries := make([]*object.Map, 0, len(m.fields))
	for _, id := range m.ids() {
		entries = append(entries, m.encodeEntry(id))
	}
	slices.SortStableFunc(entries, compareEntries)
	return listOf(entries, m.list)
}

func (m *managed) encodeEntry(id string) *object.Map {
	set, time, was := m.fields[id], m.times[id], m.was[id]
	if was.tree != nil && was.time == time && sameSet(was.set, set) {
		return was.tree
	}
	o := m.owners[id]
	o.apiVersion = string(set.APIVersion())
	return o.entry(encodeFields(set.Set()), time)
}

// sameSet reports whether two are one, without looking into them.
func sameSet(a, b fieldpath.VersionedSet) bool {
	return a.Set() == b.Set() && a.APIVersion() == b.APIVersion()
}

// compareTimes orders times as written, in whole seconds; none is the year 1970.
func compareTimes(a, b string) int {
	const zero = "1970-01-01T00:00:00Z"
	return cmp.Compare(cmp.Or(a, zero), cmp.Or(b, zero))
}
