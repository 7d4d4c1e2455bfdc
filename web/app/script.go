package app

import (
	"strings"

	"github.com/reconcile-playground/reconcile/web/engine"
)

// AddScript makes a first reconciler in bash to start from.
type AddScript struct{}

// starter reads what is wanted and what is there, and creates the child where it
// is missing: what is left to do is the lesson.
const starter = `#!/bin/bash
# Called with a key, such as default/plain, and nothing else.
set -euo pipefail
namespace=${1%/*} name=${1#*/}

wanted=$(kubectl get "$PLURAL" "$name" -n "$namespace" -o json --ignore-not-found)
if [ -z "$wanted" ]; then
  exit 0 # it is gone, and there is nothing to do
fi

message=$(jq -r .spec.message <<<"$wanted")
there=$(kubectl get configmap "$name-config" -n "$namespace" -o json --ignore-not-found)
if [ -z "$there" ]; then
  kubectl create configmap "$name-config" -n "$namespace" --from-literal="message=$message"
fi
`

// IsScript reports whether the file is a program, to be rolled out.
func (f *File) IsScript() bool { return f.Lang() == "shell" }

// HasScript reports whether there is a program among the files.
func (m *Model) HasScript() bool {
	for _, f := range m.Files.List {
		if f.IsScript() {
			return true
		}
	}
	return false
}

// addScript adds a program to the files.
func (m *Model) addScript() []Effect {
	if m.HasScript() {
		return nil
	}
	m.Files.List = append(m.Files.List, &File{Name: engine.ScriptName, Text: starter, Stored: starter})
	save := m.send(engine.Command{Method: "file", Name: engine.ScriptName, Text: starter}, pending{})
	return append(append([]Effect{save}, m.openFile(engine.ScriptName)...), EditorFocus{})
}

// rollOut gives the controller another program.
func (m *Model) rollOut(f *File) []Effect { return m.rollOutThen(f, nil) }

func (m *Model) rollOutThen(f *File, then Msg) []Effect {
	m.Files.Applying, m.Files.Of, m.Files.Error, m.Files.Done, m.Files.Doubts = true, f.Name, nil, nil, nil
	effects := append(m.dropEvidence(), m.store(f)...)
	return append(effects, EditorMarks{}, m.send(engine.Command{Method: "setScript", Text: f.Text, Name: f.Name}, pending{act: true, file: f.Name, text: f.Text, then: then}))
}

// rolledOut takes that the program runs, and what is doubtful in it.
func (m *Model) rolledOut(p pending, doubts []engine.Mark) []Effect {
	m.Files.Applying = false
	m.Files.Doubts = doubts
	if f := m.Files.Get(p.file); f != nil {
		f.Applied = p.text
	}
	m.Files.Done = []Applied{{What: "rolledOut"}}
	return append(m.say(), m.marks()...)
}

// scriptState says how a program stands to the one that runs.
func scriptState(f *File) FileState {
	switch strings.TrimSpace(f.Applied) {
	case "":
		return FileNotApplied
	case strings.TrimSpace(f.Text):
		return FileApplied
	}
	return FileEdited
}

// ScriptsLoading says how far what runs scripts has come, in per cent.
type ScriptsLoading struct{ Percent int }
