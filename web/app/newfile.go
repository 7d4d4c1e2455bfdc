package app

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/web/engine"
)

// The acts on a file that is to be made.
type (
	// AddFile asks for the name of a new file.
	AddFile struct{}
	// NameFile is the name as it is typed; MakeFile makes the file, or says why the
	// name is refused.
	NameFile struct{ Name string }
	MakeFile struct{}
)

// WithValue sets the name.
func (NameFile) WithValue(v string) Msg { return NameFile{v} }

// FileNameID is the element in which the name is typed.
const FileNameID = "file-name"

// fileEndings are those that a file's name may have; one without gets the first.
var fileEndings = []string{".yaml", ".yml", ".json", ".sh"}

// longestFileName is how many characters a file's name may have.
const longestFileName = 63

// askName opens the sheet that asks for a name, with one that can be taken as it is.
func (m *Model) askName() []Effect {
	name := m.Words.NewFileName() + fileEndings[0]
	for n := 2; m.Files.Get(name) != nil; n++ {
		name = m.Words.NewFileName() + "-" + strconv.Itoa(n) + fileEndings[0]
	}
	m.Menu, m.Why = "", ""
	m.Sheet = Sheet{Kind: "file", About: name, Back: "new-file"}
	return []Effect{Focus{FileNameID}}
}

// makeFile makes the file with the name that was typed.
func (m *Model) makeFile() []Effect {
	if m.Sheet.Kind != "file" {
		return nil
	}
	name := strings.TrimSpace(m.Sheet.About)
	if name != "" && !strings.Contains(name, ".") {
		name += fileEndings[0]
	}
	if why := m.refusedName(name); why != "" {
		m.Sheet.Note = m.Words.FileNameRefused(why, name)
		return []Effect{Focus{FileNameID}}
	}
	m.Sheet = Sheet{}
	f := &File{Name: name}
	f.Text = "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: " + objectName(name) + "\n  namespace: default\nspec:\n  message: hello\n"
	f.Applied = f.Text
	if f.IsScript() {
		f.Text, f.Applied = starter, ""
	}
	f.Stored = f.Text
	m.Files.List = append(m.Files.List, f)
	save := m.send(engine.Command{Method: "file", Name: name, Text: f.Text}, pending{})
	return append(append([]Effect{save}, m.openFile(name)...), EditorFocus{})
}

// refusedName says why a file cannot have a name: none, taken or bad; empty where it
// can. A name is a word for the terminal, too.
func (m *Model) refusedName(name string) string {
	in := func(r rune, more string) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(more, r)
	}
	switch {
	case name == "":
		return "none"
	case m.Files.Get(name) != nil || name == editFile:
		return "taken"
	case len(name) > longestFileName, !in(rune(name[0]), ""), strings.ContainsFunc(name, func(r rune) bool { return !in(r, "-_.") }),
		!slices.ContainsFunc(fileEndings, func(e string) bool { return strings.HasSuffix(name, e) }):
		return "bad"
	}
	return ""
}

// objectName is the name of the object of a new file: that of the file as Kubernetes
// takes names.
func objectName(file string) string {
	stem, _, _ := strings.Cut(strings.ToLower(file), ".")
	return strings.Trim(strings.ReplaceAll(stem, "_", "-"), "-")
}
