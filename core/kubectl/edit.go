package kubectl

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/patch"
)

const editHeader = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`

// editing is one run of kubectl edit. Models cmd/util/editor.
type editing struct {
	*call
	infos      []*info
	validation string
	// reasons say why the text is shown again.
	reasons []string
	shown   string
	// applied: what is edited is what was applied last.
	applied bool
	// given: the text was edited before, and is not shown again.
	given bool
}

// editedBefore is the value of KUBE_EDITOR with which kubectl edit opens no editor: standard input has the text as it
// was shown, the line editedMark, and what became of it. Nothing is read of the server then, so what others have
// changed meanwhile stays.
const (
	editedBefore = "-"
	editedMark   = "======= edited ======="
)

const appliedHeader = `# Please edit the 'last-applied-configuration' annotations below.
# Lines beginning with a '#' will be ignored, and an empty file will abort the edit.
#
`

// editLastApplied edits what objects say was applied last.
func (c *call) editLastApplied() error { return (&editing{call: c, applied: true}).run() }

func (c *call) edit() error {
	e := &editing{call: c}
	if c.getenv("KUBE_EDITOR") == editedBefore {
		return e.compare()
	}
	return e.run()
}

// compare carries out an edit that was made before.
func (e *editing) compare() error {
	text, err := e.readStdin()
	if err != nil {
		return err
	}
	original, edited, ok := strings.Cut(string(text), "\n"+editedMark+"\n")
	if !ok {
		return errorf("with KUBE_EDITOR=%s standard input has the text, the line %q and the edited text", editedBefore, editedMark)
	}
	original += "\n"
	if e.validation, err = e.call.validation(); err != nil {
		return err
	}
	if e.infos, err = e.parse(original); err != nil {
		return err
	}
	e.given, e.shown = true, original
	if again, err := e.take(original, original, edited); err != nil || !again {
		return err
	}
	return &exit{code: 1}
}

// parse are the objects of a text that was shown. They carry the subresource that is edited.
func (e *editing) parse(text string) ([]*info, error) {
	q := e.query()
	if !e.applied {
		q.subresource = e.flags.Text("subresource")
	}
	var list []*info
	for _, d := range documents("edited-file", []byte(text)) {
		items, err := q.objects(d)
		if err != nil {
			return nil, err
		}
		list = append(list, items...)
	}
	return list, nil
}

func (e *editing) run() error {
	c := e.call
	q := c.query()
	q.everything, q.latest = true, true
	if !e.applied {
		q.subresource = c.flags.Text("subresource")
	}
	infos, err := q.do().infos()
	if err != nil {
		return err
	}
	if e.validation, err = c.validation(); err != nil {
		return err
	}
	if len(infos) == 0 {
		return errorf("edit cancelled, no objects found")
	}
	if e.applied {
		if infos, err = lastOf(infos); err != nil {
			return err
		}
	}
	if c.env.Edit == nil {
		return errorf("there is no editor here: kubectl edit opens it as a line of its own in the terminal; use kubectl apply, or kubectl patch")
	}
	e.infos = infos
	root := withoutManaged(infos[0].object)
	if len(infos) > 1 {
		root = withoutManaged(listTree(infos, object.NewMap()))
	}
	original := string(object.EncodeFoldedYAML(root))
	e.shown = original
	for {
		again, err := e.once(original)
		if err != nil || !again {
			return err
		}
	}
}

// once shows the text and carries out what became of it. again says that it has
// to be shown once more.
func (e *editing) once(original string) (again bool, err error) {
	text := editHeader
	if e.applied {
		text = appliedHeader
	}
	for _, r := range e.reasons {
		text += "# " + strings.ReplaceAll(r, "\n", "\n# ") + "\n#\n"
	}
	before := e.shown
	edited, err := e.env.Edit(text + e.shown)
	if err != nil {
		return false, err
	}
	return e.take(original, before, edited)
}

// take carries out what became of the text before.
func (e *editing) take(original, before, edited string) (again bool, err error) {
	e.shown = stripComments(edited)
	switch {
	case len(e.reasons) > 0 && e.shown == stripComments(before):
		return false, errorf("Edit cancelled, no valid changes were saved.")
	case e.shown == stripComments(original):
		e.complain("Edit cancelled, no changes made.\n")
		return false, nil
	case strings.TrimSpace(e.shown) == "":
		e.complain("Edit cancelled, saved file was empty.\n")
		return false, nil
	}
	e.reasons = nil
	list, err := e.parse(e.shown)
	if err != nil {
		e.reasons = append(e.reasons, "The edited file had a syntax error: "+err.Error())
		if e.given {
			e.complain("error: " + e.reasons[0] + "\n")
		}
		return true, nil
	}
	for _, i := range list {
		if err := e.send(i); err != nil {
			return false, err
		}
	}
	return len(e.reasons) > 0, nil
}

// stripComments drops lines that begin with a '#'.
func stripComments(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// lastOf are the objects as they were applied last; those that do not say so are
// left out.
func lastOf(infos []*info) ([]*info, error) {
	var out []*info
	for _, i := range infos {
		m, has, err := original(i.object)
		if err != nil {
			return nil, err
		}
		if has {
			last := *i
			last.object = m
			out = append(out, &last)
		}
	}
	if len(out) == 0 {
		return nil, errorf("no last-applied-configuration annotation found on resources, to create the annotation, use command `kubectl apply set-last-applied --create-annotation`")
	}
	return out, nil
}

// annotate makes the annotation say what was edited.
func (e *editing) annotate(i *info) error {
	note := object.Set(nil, compactJSON(i.object)+"\n", "metadata", "annotations", lastApplied)
	if _, err := e.patch(i, api.MergePatch, note, write{manager: e.flags.Text("field-manager")}); err != nil {
		return err
	}
	return e.say("edited", i.object)
}

func (e *editing) send(i *info) error {
	if e.applied {
		return e.annotate(i)
	}
	var before *info
	for _, o := range e.infos {
		if object.New(o.object).UID() == object.New(i.object).UID() {
			before = o
		}
	}
	if before == nil {
		return errorf("no original object found for %s", i.objectName())
	}
	if e.flags.Bool("save-config") {
		i.object = withApplied(i.object, false)
	}
	was := withoutManaged(before.object)
	if object.Equal(was, i.object) {
		return e.say("skipped", i.object)
	}
	made := patch.CreateMerge(was, i.object)
	for _, key := range []string{"apiVersion", "kind"} {
		if made.Has(key) {
			return errorf("At least one of apiVersion, kind and name was changed")
		}
	}
	if mapAt(made, "metadata").Has("name") {
		return errorf("At least one of apiVersion, kind and name was changed")
	}
	kind := api.MergePatch
	if strategic(i.mapping) {
		var err error
		kind = api.StrategicMergePatch
		if made, err = patch.ThreeWayStrategic(was, i.object, was, patch.MergingOf(i.mapping.gvk())); err != nil {
			return err
		}
	}
	if e.flags.Bool("output-patch") {
		_, _ = e.out.WriteString("Patch: " + compactJSON(made) + "\n")
	}
	to := *before
	root, err := e.patch(&to, kind, made, write{manager: e.flags.Text("field-manager"), validation: e.validation})
	if err != nil {
		text := e.failureText(err, before)
		e.complain(text + "\n")
		e.reasons = append(e.reasons, text)
		return nil
	}
	before.object = root
	return e.say("edited", root)
}

// failureText says why an edit was refused.
func (e *editing) failureText(err error, i *info) string {
	name := i.mapping.GroupResource() + " \"" + i.name + "\""
	if s, ok := err.(*api.Status); ok && s.Reason == api.ReasonInvalid && s.Details != nil {
		text := "error: " + name + " is invalid"
		for _, c := range s.Details.Causes {
			text += "\n* " + c.Field + ": " + c.Message
		}
		return text
	}
	if s, ok := err.(*api.Status); ok && s.Reason == api.ReasonNotFound {
		return "error: " + name + " could not be found on the server"
	}
	return "error: " + name + " could not be patched: " + err.Error()
}

func (e *editing) say(operation string, root *object.Map) error {
	p, err := e.operationPrinter(operation, false)
	if err != nil {
		return err
	}
	return p.print(e.out, "", root)
}
