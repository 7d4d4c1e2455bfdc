package app

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// File is one file of the editor.
type File struct {
	Name, Text string
	// Stored is the text as the engine keeps it.
	Stored string
	// Applied is the text as it was applied last from this page, or as it was
	// when the page opened.
	Applied string
	// edits are the words after kubectl edit that opened the file, if they are known.
	edits  string
	edit   int
	wanted *wanted
}

// Lang is the language of the file by its name.
func (f *File) Lang() string { return LangOf(f.Name) }

// LangOf is the language that the editor knows for a file's name.
func LangOf(name string) string {
	switch {
	case strings.HasSuffix(name, ".sh"):
		return "shell"
	case strings.HasSuffix(name, ".yaml"), strings.HasSuffix(name, ".yml"), strings.HasSuffix(name, ".json"):
		return "yaml"
	}
	return "text"
}

// Files is the editor's pane.
type Files struct {
	List []*File
	// Open is the name of the file in the editor.
	Open string
	// Error is what was said to the last apply of Of; nil after a success.
	Error *engine.Error
	Of    string
	// Doubts are what is doubtful in the program of Of that runs.
	Doubts []engine.Mark
	// Done is what the last apply changed; nil before one.
	Done     []Applied
	Applying bool
}

// Applied is one object that an apply sent. What is created, configured or
// unchanged.
type Applied struct{ Ref, What, Before, After string }

// Get returns the file with a name, nil where there is none.
func (f *Files) Get(name string) *File {
	for _, file := range f.List {
		if file.Name == name {
			return file
		}
	}
	return nil
}

// Current is the file in the editor, nil where there is none.
func (f *Files) Current() *File { return f.Get(f.Open) }

// Refusal is what was said about the file in the editor; nil where nothing was. What several files were told together
// is about each of them.
func (f *Files) Refusal() *engine.Error {
	if f.Of != "" && f.Of != f.Open {
		return nil
	}
	return f.Error
}

// updateFiles takes the acts on files.
func (m *Model) updateFiles(msg Msg) ([]Effect, bool) {
	switch msg := msg.(type) {
	case Edited:
		return m.edited(msg.Text), true
	case Apply:
		if f := m.Files.Current(); f != nil {
			return m.apply(f), true
		}
		return nil, true
	case ApplyFiles:
		return m.applyFiles(msg.Names), true
	case OpenFile:
		return append(m.openFile(msg.Name), EditorFocus{}), true
	case AddFile:
		return m.askName(), true
	case NameFile:
		m.Sheet.About, m.Sheet.Note = msg.Name, ""
		return nil, true
	case MakeFile:
		return m.makeFile(), true
	case AddScript:
		return m.addScript(), true
	case RemoveFile:
		if !msg.Sure {
			return m.ask("removeFile", msg.Name, RemoveFile{msg.Name, true}), true
		}
		return m.removeFile(msg.Name), true
	case Leaving:
		return m.leaving(), true
	case SaveFile:
		return m.saveFile(msg), true
	case Revert:
		return m.revert(), true
	}
	return nil, false
}

// takeFiles takes the files as the engine keeps them. What the person has
// typed since stays.
func (m *Model) takeFiles(files []engine.File) []Effect {
	list := make([]*File, len(files))
	for i, f := range files {
		list[i] = &File{Name: f.Name, Text: f.Text, Stored: f.Text, Applied: f.Applied}
		if f.Applied == "" && !list[i].IsScript() {
			list[i].Applied = f.Text
		}
		if old := m.Files.Get(f.Name); old != nil && old.Text != old.Stored && m.Ready {
			list[i].Text = old.Text
		}
		if old := m.Files.Get(f.Name); old != nil && m.Ready {
			list[i].edit, list[i].edits = old.edit, old.edits
			// Which script runs the engine knows.
			if !old.IsScript() {
				list[i].Applied = old.Applied
			}
		}
	}
	shown := ""
	if f := m.Files.Current(); f != nil {
		shown = f.Text
	}
	m.Files.List = list
	now := m.Files.Current()
	switch {
	case now == nil && m.Scenario.Kind == "lesson" && m.Files.Get(m.Scenario.Script) != nil:
		return m.openFile(m.Scenario.Script)
	case now == nil && len(list) > 0:
		return m.openFile(list[0].Name)
	case now != nil && now.Text != shown:
		return []Effect{EditorShow{now.Name, now.Text, true}}
	}
	return nil
}

func (m *Model) openFile(name string) []Effect {
	f := m.Files.Get(name)
	if f == nil {
		return nil
	}
	m.Files.Open = name
	if m.Files.Of != name {
		m.Files.Done = nil
	}
	return append([]Effect{EditorShow{Name: name, Text: f.Text}}, m.marks()...)
}

// marks are the complaints about the file in the editor, or the doubts.
func (m *Model) marks() []Effect {
	switch {
	case m.Files.Of != m.Files.Open:
	case m.Files.Error != nil:
		return []Effect{EditorMarks{Marks: m.Files.Error.Marks}}
	case len(m.Files.Doubts) > 0:
		return []Effect{EditorMarks{Marks: m.Files.Doubts, Doubts: true}}
	}
	return []Effect{EditorMarks{}}
}

// saveAfter is how long after the last key a file is stored.
const saveAfter = 150 * time.Millisecond

func (m *Model) edited(text string) []Effect {
	f := m.Files.Current()
	if f == nil {
		return nil
	}
	f.Text = text
	f.edit++
	m.Files.Done = nil
	effects := []Effect{After{saveAfter, SaveFile{f.Name, f.edit}}}
	if (m.Files.Of == f.Name || m.Files.Of == "") && (m.Files.Error != nil || len(m.Files.Doubts) > 0) {
		m.Files.Error, m.Files.Doubts = nil, nil
		effects = append(effects, EditorMarks{})
	}
	return effects
}

// saveFile stores a file once the person has stopped typing.
func (m *Model) saveFile(s SaveFile) []Effect {
	f := m.Files.Get(s.Name)
	if f == nil || f.edit != s.Edit {
		return nil
	}
	return m.store(f)
}

func (m *Model) store(f *File) []Effect {
	if f.Text == f.Stored {
		return nil
	}
	f.Stored = f.Text
	return []Effect{m.send(engine.Command{Method: "file", Name: f.Name, Text: f.Text}, pending{})}
}

// storeAll stores what has been typed and not been stored.
func (m *Model) storeAll() []Effect {
	var effects []Effect
	for _, f := range m.Files.List {
		effects = append(effects, m.store(f)...)
	}
	return effects
}

// leaving keeps what would be lost with the page: what was typed, and which
// object is selected. The preferences it leaves alone: another tab may have
// stored other ones since.
func (m *Model) leaving() []Effect {
	effects := m.storeAll()
	if s := (Shown{m.Selected, !m.Follow}); s != m.shown {
		m.shown = s
		effects = append(effects, SaveShown{s})
	}
	return effects
}

// Unsaved reports whether something typed has not reached the storage.
func (m *Model) Unsaved() bool {
	return m.asked("file") > 0 || slices.ContainsFunc(m.Files.List, func(f *File) bool { return f.Text != f.Stored })
}

func (m *Model) apply(f *File) []Effect {
	if m.Files.Applying {
		return nil
	}
	if f.IsScript() {
		return m.rollOut(f)
	}
	m.Files.Applying, m.Files.Of, m.Files.Error, m.Files.Done, m.Files.Doubts = true, f.Name, nil, nil, nil
	effects := append(m.dropEvidence(), m.store(f)...)
	if f.Name == editFile {
		return append(effects, m.applyEdit(f)...)
	}
	return append(effects, EditorMarks{}, m.send(engine.Command{Method: "apply", Text: f.Text, Name: f.Name}, pending{act: true, file: f.Name, text: f.Text}))
}

// applyFiles applies several files as one.
func (m *Model) applyFiles(names []string) []Effect {
	if len(names) == 1 {
		f := m.Files.Get(names[0])
		if f == nil {
			return nil
		}
		return append(m.openFile(f.Name), m.apply(f)...)
	}
	var texts []string
	for _, name := range names {
		if f := m.Files.Get(name); f != nil {
			texts = append(texts, strings.TrimSuffix(f.Text, "\n"))
		}
	}
	m.Files.Applying, m.Files.Of, m.Files.Error, m.Files.Done = true, "", nil, nil
	return append(m.dropEvidence(), m.send(engine.Command{Method: "apply", Text: strings.Join(texts, "\n---\n") + "\n"}, pending{act: true}))
}

// written are the objects that an apply created or changed.
func written(result json.RawMessage) []Applied {
	var done []Applied
	for _, e := range events(result) {
		for _, f := range e.Facts {
			switch {
			case f.Kind == sim.FactWrite && f.Verb == "created":
				done = append(done, Applied{f.Ref, "created", f.Before, f.After})
			case f.Kind == sim.FactWrite && f.Verb == "updated":
				done = append(done, Applied{f.Ref, "configured", f.Before, f.After})
			}
		}
	}
	return done
}

// applied takes what an apply did.
func (m *Model) applied(p pending, result json.RawMessage) []Effect {
	if p.token == 0 {
		m.Files.Applying = false
	}
	done := written(result)
	m.Files.Done = done
	if len(done) == 0 {
		m.Files.Done = []Applied{{What: "unchanged"}}
	}
	if f := m.Files.Get(p.file); f != nil {
		f.Applied = p.text
	}
	if len(done) > 0 {
		m.Selected = done[0].Ref
	}
	return m.say()
}

// applyRefused shows what was said, at its place in the text.
func (m *Model) applyRefused(p pending, err *engine.Error) []Effect {
	if p.token != 0 {
		return nil
	}
	m.Files.Applying = false
	m.Files.Error = err
	m.Said = err.Message
	if p.file == "" || p.file != m.Files.Open {
		return nil
	}
	return m.marks()
}

func (m *Model) removeFile(name string) []Effect {
	m.Files.List = slices.DeleteFunc(m.Files.List, func(f *File) bool { return f.Name == name })
	if m.Files.Of == name && !m.Files.Applying {
		m.Files.Of, m.Files.Error, m.Files.Doubts = "", nil, nil
	}
	effects := []Effect{m.send(engine.Command{Method: "file", Name: name, Remove: true}, pending{})}
	if m.Files.Open == name {
		m.Files.Open = ""
		if len(m.Files.List) > 0 {
			return append(effects, m.openFile(m.Files.List[0].Name)...)
		}
		return append(effects, EditorShow{})
	}
	return effects
}

func (m *Model) revert() []Effect {
	f := m.Files.Current()
	if f == nil || m.StateOf(f) != FileEdited {
		return nil
	}
	f.Text = m.lastText(f)
	if m.Files.Refusal() != nil {
		m.Files.Error = nil
	}
	return append(m.store(f), EditorShow{f.Name, f.Text, true}, EditorMarks{})
}

// Refs are the objects that a file's documents name, as Kind/namespace/name:
// read off the lines, since the page only wants to say whether they are in the
// cluster. Text that it does not understand names nothing.
func (f *File) Refs() []string {
	var refs []string
	for doc := range strings.SplitSeq("\n"+f.Text, "\n---") {
		if ref := refOf(doc); ref != "" {
			refs = append(refs, ref)
		}
	}
	return refs
}

func refOf(doc string) string {
	var kind, name, namespace string
	inMetadata := false
	for line := range strings.SplitSeq(doc, "\n") {
		k, v, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		v, _, _ = strings.Cut(v, " #")
		v = strings.Trim(strings.TrimSpace(v), `"'`)
		switch {
		case k == "kind":
			kind = v
		case !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "#"):
			inMetadata = k == "metadata"
		case inMetadata && k == "  name":
			name = v
		case inMetadata && k == "  namespace":
			namespace = v
		}
	}
	if kind == "" || name == "" {
		return ""
	}
	if namespace == "" {
		namespace = "default"
	}
	return kind + "/" + namespace + "/" + name
}

// InCluster reports whether all that the file names is on the server; known is
// false where it names nothing that can be told.
func (m *Model) InCluster(f *File) (in, known bool) {
	refs := f.Refs()
	for _, ref := range refs {
		e := m.Objects.Get(ref)
		if e == nil {
			// A cluster-scoped object has no namespace in its key.
			kind, rest, _ := strings.Cut(ref, "/")
			e = m.Objects.Get(kind + "/" + strings.TrimPrefix(rest, "default/"))
		}
		if e == nil || e.Gone() {
			return false, true
		}
	}
	return true, len(refs) > 0
}
