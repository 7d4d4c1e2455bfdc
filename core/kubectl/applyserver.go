package kubectl

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

const conflictAdvice = `
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the ` + "`--force-conflicts`" + ` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts`

// onServer applies an object on the server.
func (a *applying) onServer(i *info) error {
	force := a.flags.Bool("force-conflicts")
	w := a.write()
	w.force = &force
	body := i.object
	i.subresource = a.flags.Text("subresource")
	root, err := a.patch(i, api.ApplyPatch, body, w)
	if err != nil {
		if isReason(err, api.ReasonConflict) {
			return errorf("%v%s", err, conflictAdvice)
		}
		return err
	}
	i.refresh(root)
	a.migrate(i, body, w)
	a.warnOfDeletion(i)
	return a.say(i, "serverside-applied")
}

// migrate makes of an object that was applied on the client's side one that is
// applied on the server's: the annotation gets an owner, and what the client
// owned goes to who applies now. After an apply of a subresource all of that is
// sent to the subresource, where it has no effect. What fails is a warning.
func (a *applying) migrate(i *info, body *object.Map, w write) {
	const again = ". This is non-fatal and will be retried next time you apply. Error: "
	if err := a.ownAnnotation(i); err != nil {
		a.complain("Warning: failed to migrate " + lastApplied + " for Server-Side Apply" + again + err.Error() + "\n")
		return
	}
	moved, err := a.moveFields(i)
	if err != nil {
		a.complain("Warning: server rejected managed fields migration to Server-Side Apply" + again + err.Error() + "\n")
		return
	}
	if !moved {
		return
	}
	root, err := a.patch(i, api.ApplyPatch, body, w)
	if err != nil {
		a.complain("Warning: failed to re-apply configuration after performing Server-Side Apply migration" + again + err.Error() + "\n")
		return
	}
	i.refresh(root)
}

// ownAnnotation lets the manager kubectl-last-applied own the annotation, where
// nobody applied it.
func (a *applying) ownAnnotation(i *info) error {
	text, has := mapAt(i.object, "metadata", "annotations").Get(lastApplied)
	if a.manager != "kubectl" || !has || len(annotationOwners(i.object, "Apply")) > 0 {
		return nil
	}
	o := object.New(i.object)
	meta := object.NewMap(object.Field{Key: "name", Value: o.Name()},
		object.Field{Key: "annotations", Value: object.NewMap(object.Field{Key: lastApplied, Value: text})})
	if o.Namespace() != "" {
		meta = meta.With("namespace", o.Namespace())
	}
	body := object.NewMap(object.Field{Key: "apiVersion", Value: i.mapping.APIVersion()},
		object.Field{Key: "kind", Value: i.mapping.Kind}, object.Field{Key: "metadata", Value: meta})
	w := a.write()
	w.manager = "kubectl-last-applied"
	root, err := a.patch(i, api.ApplyPatch, body, w)
	if err != nil {
		return err
	}
	i.refresh(root)
	return nil
}

// managed are the entries of managedFields.
func managed(root *object.Map) []object.Object {
	var out []object.Object
	for _, v := range object.New(root).List("metadata", "managedFields").All() {
		m, _ := v.(*object.Map)
		out = append(out, object.New(m))
	}
	return out
}

// annotationOwners are the managers of the annotation by one operation.
func annotationOwners(root *object.Map, operation string) []string {
	var out []string
	for _, e := range managed(root) {
		if e.Str("operation") != operation || e.Str("subresource") != "" {
			continue
		}
		if _, ok := e.At("fieldsV1", "f:metadata", "f:annotations", "f:"+lastApplied); ok {
			out = append(out, e.Str("manager"))
		}
	}
	return out
}

// moveFields gives what the client's apply owned to the server's. Models
// csaupgrade.UpgradeManagedFieldsPatch.
func (a *applying) moveFields(i *info) (bool, error) {
	owners := annotationOwners(i.object, "Update")
	if len(owners) == 0 {
		return false, nil
	}
	for n := 0; n < tries; n++ {
		entries := upgraded(managed(i.object), owners, a.manager)
		if entries == nil {
			return false, nil
		}
		ops := object.NewList(
			object.FromAny(map[string]any{"op": "replace", "path": "/metadata/managedFields", "value": object.NewList(entries...)}),
			object.FromAny(map[string]any{"op": "replace", "path": "/metadata/resourceVersion", "value": object.New(i.object).ResourceVersion()}))
		root, err := a.patch(i, api.JSONPatch, ops, a.write())
		if err == nil {
			i.refresh(root)
			return true, nil
		}
		if !isReason(err, api.ReasonConflict) {
			return false, err
		}
		if err := a.get(i, api.Request{Live: true}); err != nil {
			return false, err
		}
	}
	return false, nil
}

// upgraded are the entries after the move; nil where there is nothing to move.
func upgraded(entries []object.Object, owners []string, manager string) []any {
	mine := func(e object.Object) bool {
		for _, o := range owners {
			if e.Str("manager") == o && e.Str("operation") == "Update" && e.Str("subresource") == "" {
				return true
			}
		}
		return false
	}
	at, found := -1, false
	var fields *object.Map
	for n, e := range entries {
		if e.Str("manager") == manager && e.Str("operation") == "Apply" && e.Str("subresource") == "" {
			at = n
		}
		if mine(e) {
			found = true
			fields = union(fields, e.Map("fieldsV1"))
		}
	}
	if !found {
		return nil
	}
	var out []any
	for n, e := range entries {
		switch {
		case n == at:
			out = append(out, e.Root().With("fieldsV1", union(e.Map("fieldsV1"), fields)))
		case mine(e) && at < 0:
			out = append(out, e.Root().With("manager", manager).With("operation", "Apply").With("fieldsV1", fields))
			at = len(entries)
		case mine(e):
		default:
			out = append(out, e.Root())
		}
	}
	return out
}

// union is all fields of two sets.
func union(a, b *object.Map) *object.Map {
	out := orEmpty(a)
	for k, v := range b.All() {
		m, _ := v.(*object.Map)
		cur, _ := out.Get(k)
		old, _ := cur.(*object.Map)
		out = out.With(k, union(old, m))
	}
	return out
}

// viewLastApplied prints what was applied last.
func (c *call) viewLastApplied() error {
	format := c.flags.Text("output")
	if format != "json" && format != "yaml" {
		return c.usage("Unexpected -o output mode: %s, the flag 'output' must be one of yaml|json", format)
	}
	q := c.query()
	q.everything, q.latest = true, true
	if c.flags.Bool("all") {
		// A type alone selects all of it: --all is one selector too many.
		if len(c.args) == 1 && !strings.Contains(c.args[0], "/") {
			return errNotEmpty
		}
		q.all = true
	}
	return q.do().each(func(i *info) error {
		m, has, err := original(i.object)
		if err != nil {
			return err
		}
		if !has {
			// The real one means to say so, and says nothing.
			return nil
		}
		if format == "json" {
			_, err = c.out.Write(append(appendTwo(nil, m), '\n'))
			return err
		}
		_, err = c.out.Write(object.EncodeFoldedYAML(m))
		return err
	})
}

// appendTwo prints JSON with two spaces.
func appendTwo(b []byte, v any) []byte {
	text := string(appendIndented(nil, v, 0, nil))
	for n, line := range strings.Split(text, "\n") {
		if n > 0 {
			b = append(b, '\n')
		}
		trimmed := strings.TrimLeft(line, " ")
		b = append(b, strings.Repeat(" ", (len(line)-len(trimmed))/2)...)
		b = append(b, trimmed...)
	}
	return b
}
