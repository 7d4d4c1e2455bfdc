package scenario

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/tools/txtar"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

// Scenario is a document that has been read. It is not changed after Parse.
type Scenario struct {
	Settings
	// Story is the archive's comment, without white space around it.
	Story string
	// Files are those of files/, in the order of the archive, by their names
	// there: plain.yaml.
	Files []File
	// Scripts are those of scripts/, in the order of the archive, by their names
	// there: reconcile.sh.
	Scripts []File
	// Downloads are those of download/, by their paths there: what the scenario
	// gives to take away, and does not use.
	Downloads []File
	// Start are the choices made when the scenario is opened, as their printed
	// names.
	Start []string
	// Life are the user's actions that follow, each made once the world is quiet.
	Life []string
	// Checks are what desired.yaml asks of the state.
	Checks []Check
	// Steps is the test, as written; Line is where it begins in the document.
	Steps     string
	StepsLine int

	source string
	head   Head
	// clusters are the texts of cluster/*.yaml, in the order of the archive.
	clusters []string
	// objects are those that were read of them, until the world has its own.
	objects []object.Object
	// scriptLines are the lines of the members of Scripts; programs are the
	// scripts of the controllers, nil for one in Go.
	scriptLines []int
	programs    []Script
	// first is the world of step 0; it is only copied.
	first *sim.World
}

// File is one file for the editor.
type File struct{ Name, Text string }

// Settings are the fields of scenario.yaml.
type Settings struct {
	// Name is a word; Title is for people and defaults to Name.
	Name, Title string
	// Seed is 1 where not given.
	Seed uint64
	// Clock is when the run begins: 2026-01-01T00:00:00Z where not given.
	Clock time.Time
	// Latency is what each API or cloud call takes: 5ms where not given.
	Latency time.Duration
	// Edit is the merge patch that the user makes of what is reconciled in the
	// fault edit; Conflict is what someone else makes of an object in the fault
	// conflict: nil for an annotation.
	Edit, Conflict *object.Map
	// Controllers are the processes; at least one.
	Controllers []Controller
	Teaching
}

// Controller is one controller process of the settings.
type Controller struct {
	// Name is a word, "controller" where not given.
	Name string
	// For is the resource that is reconciled, such as webapps.lab.example.com
	// or configmaps.
	For string
	// Owns are the resources whose objects bring their controlling owner back
	// into the queue; Watches those that are mapped to what is reconciled.
	Owns, Watches []sim.Source
	// Predicates narrow the events of all sources, ForPredicates those of For.
	Predicates, ForPredicates []string
	// Resync is the period of the informers' resync, 0 for none.
	Resync time.Duration
	// Queue are the options of the work queue.
	Queue workqueue.Options
	// Reconciler names one in Go, or is script.
	Reconciler string
	// Script names one of Scripts.
	Script string
	// Reads is cache or live: where not given, live for a script and cache for
	// any other.
	Reads string
	// Workers is how many keys are worked on at a time: 1 where not given.
	Workers int
}

// Error is a document that is no scenario: where, and why.
type Error struct {
	// File is the archive's member; empty for the archive itself.
	File string
	// Line and Col count from 1 within the document; Col 0 is the whole line.
	Line, Col int
	// Field is the path within the settings or the object.
	Field   string
	Message string
	err     error
}

// Unwrap returns the cause where it is more than the message.
func (e *Error) Unwrap() error { return e.err }

// Error prints file:line:column: field: message, what is known of it.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		b.WriteByte(':')
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:", e.Line)
	}
	if e.Col > 0 {
		fmt.Fprintf(&b, "%d:", e.Col)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	if e.Field != "" {
		b.WriteString(e.Field)
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	return b.String()
}

// Parse reads a scenario document. Errors are *Error: the place is that of the
// whole document, so that an editor can mark it. The world is built once, so
// that a document that parses also opens.
func Parse(doc []byte) (*Scenario, error) { return ParseText(string(doc)) }

// ParseText is Parse for a document that is a text already, which it keeps.
func ParseText(text string) (*Scenario, error) {
	// Nobody writes to it: a copy of megabytes would be there for as long as the world is built.
	doc := unsafe.Slice(unsafe.StringData(text), len(text))
	archive := txtar.Parse(doc)
	s := &Scenario{source: text, head: headOf(archive)}
	s.Story = strings.TrimSpace(string(archive.Comment))
	lines := memberLines(doc)
	settings := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "scenario.yaml" })
	seen := map[string]bool{}
	for i, f := range archive.Files {
		if seen[f.Name] {
			return nil, &Error{File: f.Name, Line: lines[i], Message: "stands twice in the archive"}
		}
		seen[f.Name] = true
		if err := s.member(f, textOf(f), lines[i]); err != nil {
			return nil, at(err, f.Name, lines[i])
		}
	}
	if settings < 0 {
		return nil, &Error{Line: 1, Message: "scenario.yaml is missing: a scenario is a txtar archive with a member of that name"}
	}
	for i, f := range archive.Files {
		if err := s.choices(f, lines[i]); err != nil {
			return nil, err
		}
	}
	err := s.checkTeaching()
	if err == nil {
		err = s.compileAll()
	}
	if err != nil {
		if e := err.(*Error); e.File == "scenario.yaml" {
			e.Line = lines[settings]
		}
		return nil, err
	}
	s.first, err = s.world(s.objects)
	s.objects = nil
	if err != nil {
		return nil, err
	}
	return s, nil
}

// textOf is the text of a member, of which the document is not copied.
func textOf(f txtar.File) string { return unsafe.String(unsafe.SliceData(f.Data), len(f.Data)) }

// member reads a member that needs no other. The lines of its errors count
// within the member.
func (s *Scenario) member(f txtar.File, text string, line int) (err error) {
	switch dir, base := path.Split(f.Name); {
	case f.Name == "scenario.yaml":
		s.Settings, err = parseSettings(f.Data)
	case f.Name == "desired.yaml":
		s.Checks, err = parseChecks(f.Data)
		for k := range s.Checks {
			s.Checks[k].Line += line
		}
	case f.Name == "start" || f.Name == "life" || f.Name == "steps" || dir == "steps/":
	case dir == "cluster/" && strings.HasSuffix(base, ".yaml"):
		err = s.addObjects(text)
	case dir == "files/" && base != "":
		s.Files = append(s.Files, File{base, text})
	case strings.HasPrefix(dir, "download/") && base != "":
		s.Downloads = append(s.Downloads, File{strings.TrimPrefix(f.Name, "download/"), text})
	case dir == "scripts/" && base != "":
		s.Scripts = append(s.Scripts, File{base, text})
		s.scriptLines = append(s.scriptLines, line)
	default:
		err = &Error{Message: "no such part of a scenario: scenario.yaml, cluster/NAME.yaml, files/NAME, scripts/NAME, download/PATH, start, life, desired.yaml, steps and steps/CURE are known"}
	}
	return err
}

// choices reads a member that needs the others.
func (s *Scenario) choices(f txtar.File, line int) error {
	cure, ofCure := strings.CutPrefix(f.Name, "steps/")
	switch {
	case f.Name == "start" || f.Name == "life":
		choices, err := s.parseChoices(f, line)
		if err != nil {
			return err
		}
		if f.Name == "start" {
			s.Start = choices
		} else {
			s.Life = choices
		}
	case f.Name == "steps":
		s.Steps, s.StepsLine = string(f.Data), line+1
	case ofCure:
		return s.addSteps(cure, string(f.Data), line)
	}
	return nil
}

// Source returns the document as it was given to Parse.
func (s *Scenario) Source() string { return s.source }

// File returns the text of an editor file.
func (s *Scenario) File(name string) (string, bool) {
	for _, f := range s.Files {
		if f.Name == name {
			return f.Text, true
		}
	}
	return "", false
}

// memberLines returns the line of each member's marker, from 1.
func memberLines(doc []byte) (lines []int) {
	for i := 0; len(doc) > 0; i++ {
		line, rest, _ := bytes.Cut(doc, []byte("\n"))
		doc = rest
		if !bytes.HasPrefix(line, []byte("-- ")) {
			continue
		}
		l := strings.TrimSuffix(string(line), "\r")
		if name := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(l, "-- "), " --")); strings.HasPrefix(l, "-- ") && strings.HasSuffix(l, " --") && len(l) >= len("-- x --") && name != "" {
			lines = append(lines, i+1)
		}
	}
	return lines
}

// at moves an error's place from a member to the document.
func at(err error, file string, line int) error {
	e, ok := err.(*Error)
	if !ok {
		e = &Error{Message: err.Error()}
	}
	e.File = file
	e.Line += line
	return e
}

// Objects are those of cluster/*.yaml, in the order of the archive. They are read
// anew: their world has what it keeps of them.
func (s *Scenario) Objects() []object.Object {
	var again Scenario
	for _, text := range s.clusters {
		if err := again.addObjects(text); err != nil {
			panic(err) // it was read once
		}
	}
	return again.objects
}

func (s *Scenario) addObjects(text string) error {
	docs, err := object.DecodeYAMLText(text)
	if err != nil {
		return yamlError(err)
	}
	s.clusters = append(s.clusters, text)
	for _, d := range docs {
		m, ok := d.Value.(*object.Map)
		if !ok || object.New(m).Kind() == "" || object.New(m).APIVersion() == "" {
			return &Error{Line: d.Line, Message: "an object needs apiVersion and kind"}
		}
		s.objects = append(s.objects, object.New(m))
	}
	return nil
}

func yamlError(err error) error {
	if y, ok := err.(*object.YAMLError); ok {
		return &Error{Line: y.Line, Col: y.Col, Message: y.Message}
	}
	return err
}
