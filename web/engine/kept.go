package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// KeptRun is a run that another one took the place of: it can be taken up again.
type KeptRun struct {
	// ID tells it from the others for good.
	ID int `json:"id"`
	// Name and Title are its scenario's; Steps is how long it is.
	Name  string `json:"name"`
	Title string `json:"title"`
	Steps int    `json:"steps"`
}

// kept is a run that another one took the place of, as an exported cluster.
type kept struct {
	KeptRun
	Cluster string `json:"cluster"`
}

const keptPrefix = "kept-"

// mostKept is how many runs are kept: the oldest gives way to one more.
const mostKept = 30

func (k kept) key() string { return keptPrefix + choiceKey(k.ID) }

// touched reports whether the person has made anything of the current run: a
// choice beyond those that the scenario starts with and those of its story, or a
// text.
func (e *Engine) touched() bool {
	if e.base != nil || len(e.line.Branches()) > 0 {
		return true
	}
	begun, story := 0, e.onStory()
	for _, c := range e.line.Choices() {
		switch {
		case story, c == "reload":
		case begun < len(e.scenario.Start) && c == e.scenario.Start[begun]:
			begun++
		default:
			return true
		}
	}
	known := map[string]string{}
	for _, f := range slices.Concat(e.scenario.Files, e.scenario.Scripts) {
		if !e.scenario.Hides(f.Name) {
			known[f.Name] = f.Text
		}
	}
	for _, f := range e.files {
		if e.scenario.Hides(f.Name) {
			return true
		}
		if text, ok := known[f.Name]; !ok || text != f.Text {
			return true
		}
	}
	return len(e.files) != len(known)
}

// keep puts the current run aside before another one takes its place. A run
// that nobody touched is not kept.
func (e *Engine) keep() {
	if e.line == nil || !e.touched() {
		return
	}
	text, err := e.export()
	if err != nil {
		panic(fmt.Sprintf("engine: a cluster does not encode: %v", err)) // it is made of plain values
	}
	k := kept{Cluster: text.(string)}
	e.lastKept++
	k.ID, k.Name, k.Title, k.Steps = e.lastKept, e.scenario.Name, e.scenario.Title, e.line.Len()
	batch := []Record{record(storeArchive, k.key(), k), record(storeMeta, metaKept, e.lastKept)}
	e.aside = append(slices.Clip(e.aside), k)
	for ; len(e.aside) > mostKept; e.aside = e.aside[1:] {
		batch = append(batch, Record{Store: storeArchive, Key: e.aside[0].key(), Delete: true})
	}
	e.told.aside = false
	e.lost(e.commit(batch))
}

// takeUp makes a kept run the current one; the one it replaces is kept in turn.
func (e *Engine) takeUp(id int) error {
	i := slices.IndexFunc(e.aside, func(k kept) bool { return k.ID == id })
	if i < 0 {
		return badInput("there is no kept run %d", id)
	}
	k := e.aside[i]
	if err := e.loadExport([]byte(k.Cluster)); err != nil {
		return err
	}
	e.resay("imported", "taken-up")
	if len(e.aside) > 0 && e.aside[0].ID > k.ID {
		return nil // it was the oldest of too many, and has given way already
	}
	return e.dropKept(k.ID)
}

// dropKept forgets a kept run.
func (e *Engine) dropKept(id int) error {
	i := slices.IndexFunc(e.aside, func(k kept) bool { return k.ID == id })
	if i < 0 {
		return badInput("there is no kept run %d", id)
	}
	k := e.aside[i]
	e.aside = slices.Delete(slices.Clone(e.aside), i, i+1)
	e.told.aside = false
	return e.commit([]Record{{Store: storeArchive, Key: k.key(), Delete: true}})
}

// readKept reads one record of a kept run.
func readKept(r Record) (k kept, ok bool, err error) {
	if !strings.HasPrefix(r.Key, keptPrefix) {
		return k, false, nil
	}
	err = json.Unmarshal([]byte(r.Value), &k)
	return k, true, err
}

// keptRecords stores all kept runs.
func (e *Engine) keptRecords() []Record {
	batch := []Record{record(storeMeta, metaKept, e.lastKept)}
	for _, k := range e.aside {
		batch = append(batch, record(storeArchive, k.key(), k))
	}
	return batch
}

// keptRuns are the kept runs as the page lists them.
func (e *Engine) keptRuns() []KeptRun {
	out := []KeptRun{}
	for _, k := range e.aside {
		out = append(out, k.KeptRun)
	}
	return out
}
