package kubectl

import (
	"fmt"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// lastApplied is the annotation in which apply keeps what it applied.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// original is what was applied last; nil where nothing says so. bad holds where
// the annotation is no object.
func original(root *object.Map) (m *object.Map, has bool, err error) {
	text, ok := mapAt(root, "metadata", "annotations").Get(lastApplied)
	s, _ := text.(string)
	if !ok {
		return nil, false, nil
	}
	v, err := object.DecodeJSON([]byte(s))
	if err != nil {
		return nil, true, err
	}
	m, _ = v.(*object.Map)
	return m, true, nil
}

// appliedText is the object as the annotation keeps it: without the annotation
// itself. typed is the order of keys of what kubectl made itself.
func appliedText(root *object.Map, typed bool) string {
	notes := mapAt(root, "metadata", "annotations")
	if typed {
		if notes = notes.Without(lastApplied); notes.Len() == 0 {
			root = object.Unset(root, "metadata", "annotations")
		} else {
			root = object.Set(root, notes, "metadata", "annotations")
		}
		return string(appendCompact(nil, root, typedShape)) + "\n"
	}
	root = object.Set(root, orEmpty(notes.Without(lastApplied)), "metadata", "annotations")
	return compactJSON(root) + "\n"
}

func orEmpty(m *object.Map) *object.Map {
	if m == nil {
		return object.NewMap()
	}
	return m
}

// withApplied is the object with the annotation.
func withApplied(root *object.Map, typed bool) *object.Map {
	return object.Set(root, appliedText(root, typed), "metadata", "annotations", lastApplied)
}

// setLastApplied makes the annotation say what stands in files.
func (c *call) setLastApplied() error {
	d, err := c.dryRunOr()
	if err != nil {
		return err
	}
	p, err := c.operationPrinter("configured", false)
	if err != nil {
		return err
	}
	var wrong []*info
	var patches []any
	err = c.query().do().each(func(i *info) error {
		given := i.object
		if err := c.get(i, api.Request{Live: true}); err != nil {
			return err
		}
		m, has, err := original(i.object)
		switch {
		case err != nil:
			return err
		case !has && !c.flags.Bool("create-annotation"):
			return errorf("no last-applied-configuration annotation found on resource: %s, to create the annotation, run the command with --create-annotation", i.name)
		case has && object.Equal(m, given):
			fmt.Fprintf(c.out, "set-last-applied %s: no changes required.\n", i.name)
			return nil
		}
		wrong, patches = append(wrong, i), append(patches, object.Set(nil, compactJSON(given)+"\n", "metadata", "annotations", lastApplied))
		return nil
	})
	for n, i := range wrong {
		if err != nil {
			return err
		}
		root := i.object
		if d != dryClient {
			if root, err = c.patch(i, api.MergePatch, patches[n], write{dryRun: d == dryServer}); err != nil {
				return err
			}
		}
		err = p.print(c.out, "", root)
	}
	return err
}

// annotated is the object of create or replace: with the annotation where save
// is set or where it has one. Models util.CreateOrUpdateAnnotation.
func annotated(root *object.Map, save, typed bool) *object.Map {
	if save || mapAt(root, "metadata", "annotations").Has(lastApplied) {
		return withApplied(root, typed)
	}
	return root
}

// appendCompact prints a value on one line with the keys in the order of a
// shape.
func appendCompact(b []byte, v any, s *shape) []byte {
	switch v := v.(type) {
	case *object.Map:
		b = append(b, '{')
		first := true
		for k, x := range s.fields(v) {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(appendScalar(b, k), ':')
			b = appendCompact(b, x, s.under(k))
		}
		return append(b, '}')
	case *object.List:
		b = append(b, '[')
		for i, x := range v.All() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendCompact(b, x, s)
		}
		return append(b, ']')
	}
	return appendScalar(b, v)
}
