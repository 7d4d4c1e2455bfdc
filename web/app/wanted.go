package app

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// FileState says how a file's text stands to the cluster.
type FileState string

// The states of a file. It is edited where the cluster has its objects and they
// were applied last from something else than the text says; FileOther is a text
// of which nothing can be told.
const (
	FileOther      FileState = ""
	FileApplied    FileState = "applied"
	FileEdited     FileState = "edited"
	FileNotApplied FileState = "notApplied"
)

// lastApplied is where kubectl apply keeps what it sent last.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// wanted is what a text asks for, read once.
type wanted struct {
	text string
	docs []object.Object
	ok   bool
	// state was found when the objects stood at versions.
	versions string
	state    FileState
}

// StateOf tells how a file stands to the cluster: by what its text says, not by
// how it is written, and not by what happened in this page before.
func (m *Model) StateOf(f *File) FileState {
	if f.IsScript() {
		return scriptState(f)
	}
	if f.wanted == nil || f.wanted.text != f.Text {
		f.wanted = want(f.Text)
	}
	w := f.wanted
	if !w.ok {
		in, known := m.InCluster(f)
		switch {
		case in && known, !known && m.textState(f.Applied) == FileApplied:
			return FileEdited
		case known:
			return FileNotApplied
		}
		return FileOther
	}
	if versions := m.versionsOf(w); versions != w.versions {
		w.versions, w.state = versions, m.compare(w)
	}
	return w.state
}

// textState is the state of a file that had the text.
func (m *Model) textState(text string) FileState {
	if w := want(text); w.ok {
		return m.compare(w)
	}
	return FileOther
}

// want reads a text; ok is false where it is no list of objects.
func want(text string) *wanted {
	w := &wanted{text: text}
	docs, err := object.DecodeYAML([]byte(text))
	if err != nil {
		return w
	}
	for _, d := range docs {
		root, ok := d.Value.(*object.Map)
		if !ok || object.New(root).Kind() == "" || object.New(root).Name() == "" {
			return w
		}
		w.docs = append(w.docs, object.New(root))
	}
	w.ok = len(w.docs) > 0
	return w
}

// entryOf is the entry of the object that a document names, nil where the
// cluster does not have it.
func (m *Model) entryOf(doc object.Object) *Entry {
	namespace := doc.Namespace()
	if namespace == "" {
		namespace = "default"
	}
	for _, key := range []string{doc.Kind() + "/" + namespace + "/" + doc.Name(), doc.Kind() + "/" + doc.Name()} {
		if e := m.Objects.Get(key); e != nil && !e.Gone() {
			return e
		}
	}
	return nil
}

func (m *Model) versionsOf(w *wanted) string {
	var b strings.Builder
	b.WriteByte('@')
	for _, doc := range w.docs {
		if e := m.entryOf(doc); e != nil {
			b.WriteString(e.Server.UID() + e.Server.ResourceVersion())
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func (m *Model) compare(w *wanted) FileState {
	state := FileApplied
	for _, doc := range w.docs {
		e := m.entryOf(doc)
		if e == nil {
			return FileNotApplied
		}
		last, err := object.DecodeObject([]byte(e.Server.Str("metadata", "annotations", lastApplied)))
		switch {
		case err != nil:
			// Somebody else made it, and nobody has applied it yet.
			return FileNotApplied
		case !bare(last, e.Namespace).Equal(bare(doc, e.Namespace)):
			state = FileEdited
		}
	}
	return state
}

// bare is an object as apply sends it, but for what apply itself adds.
func bare(o object.Object, namespace string) object.Object {
	if namespace != "" {
		o = o.Set(namespace, "metadata", "namespace")
	}
	o = o.Unset("metadata", "annotations", lastApplied)
	if a := o.Annotations(); a != nil && a.Len() == 0 {
		o = o.Unset("metadata", "annotations")
	}
	return o
}

// lastText is what to take an edited file back to: its own text where that is
// what was applied last, or else what the cluster remembers of it.
func (m *Model) lastText(f *File) string {
	if f.IsScript() {
		return f.Applied
	}
	if m.textState(f.Applied) == FileApplied {
		return f.Applied
	}
	var docs []string
	for _, ref := range f.Refs() {
		e := m.Objects.Get(ref)
		if e == nil {
			kind, rest, _ := strings.Cut(ref, "/")
			e = m.Objects.Get(kind + "/" + strings.TrimPrefix(rest, "default/"))
		}
		if e == nil {
			continue
		}
		if last, err := object.DecodeObject([]byte(e.Server.Str("metadata", "annotations", lastApplied))); err == nil {
			docs = append(docs, string(object.EncodeYAML(bare(last, "").Root())))
		}
	}
	if len(docs) == 0 {
		return f.Text
	}
	return strings.Join(docs, "---\n")
}
