package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/cloud"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/store"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

// The stores, and the keys of meta.
const (
	storeMeta    = "meta"
	storeObjects = "objects"
	storeCloud   = "cloud"
	storeFiles   = "files"
	storeChoices = "choices"
	storeArchive = "archive"

	// metaScenario is the document, metaBase the cluster that the timeline
	// starts from (null for the scenario's own), metaHead what changes with
	// every step beside the objects and the ledger.
	metaScenario = "scenario"
	metaBase     = "base"
	metaHead     = "head"
	// metaSemantics is the version of the rules by which the choices were played.
	metaSemantics = "semantics"
	// metaProgress is how far a person has come with the lessons: it is no
	// cluster's, and no scenario takes its place.
	metaProgress = "progress"
	// metaKept is the ID of the run that was put aside last.
	metaKept = "kept"

	// Keys of archive: a kept branch each, and timelines that no longer repeat;
	// keptPrefix has the runs that others took the place of.
	branchPrefix   = "branch-"
	timelinePrefix = "timeline-"
)

// stored is what storage was given last, so that a commit holds the rest.
type stored struct {
	// dirty says that a commit failed: the next one writes everything.
	dirty    bool
	scenario string
	choices  []string
	ledger   []string
	revision int64
	objects  map[string]*object.Map
	files    []string
	branches int
	// archived counts the timelines in the archive.
	archived int
}

// head is the part of a cluster that every step changes.
type head struct {
	// Step is how many choices the timeline has.
	Step     int          `json:"step"`
	Snapshot sim.Snapshot `json:"snapshot"`
}

func record(store, key string, v any) Record {
	if text, ok := v.(string); ok {
		return Record{Store: store, Key: key, Later: laterText(text)}
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("engine: %s/%s does not encode: %v", store, key, err))
	}
	return Record{Store: store, Key: key, Value: string(text)}
}

func choiceKey(n int) string { return fmt.Sprintf("%08d", n) }

// commitStep stores one step, in one transaction: the choice, the objects that
// it changed, what the cloud did, and the head.
func (e *Engine) commitStep(ev sim.Event) error {
	if e.stored.dirty {
		return e.commitAll()
	}
	w := e.line.Tip()
	batch := []Record{record(storeChoices, choiceKey(ev.N), ev.Action), e.head(w)}
	if w.Server().Revision() != e.stored.revision {
		for _, c := range w.Server().Changes(e.stored.revision) {
			if c.Type == api.Deleted {
				delete(e.stored.objects, c.Key)
				batch = append(batch, Record{Store: storeObjects, Key: c.Key, Delete: true})
			} else {
				e.stored.objects[c.Key] = c.Object.Root()
				batch = append(batch, Record{Store: storeObjects, Key: c.Key, Later: later{c.Object.Root()}})
			}
		}
		e.stored.revision = w.Server().Revision()
	}
	for _, entry := range w.Cloud().Ledger(len(e.stored.ledger)) {
		batch = append(batch, record(storeCloud, choiceKey(entry.N), entry))
		e.stored.ledger = append(e.stored.ledger, entry.String())
	}
	e.stored.choices = append(e.stored.choices, ev.Action)
	return e.commit(batch)
}

func (e *Engine) head(w *sim.World) Record {
	return record(storeMeta, metaHead, head{Step: e.line.Len(), Snapshot: sim.Snapshot{Now: w.Now(), Server: w.Server().Head(), Awaited: w.Awaited()}})
}

// commitAll makes what is stored equal to the timeline, whatever was stored
// before: after a branch, when a cluster was loaded, or when a commit failed.
// What is stored already is not written again.
func (e *Engine) commitAll(more ...Record) error {
	if e.stored.dirty {
		// What is there is not known: everything is written, and nothing of what
		// may be left over is counted on.
		e.stored = stored{
			choices: make([]string, max(len(e.stored.choices), e.line.Len())), ledger: make([]string, len(e.stored.ledger)),
			objects: e.stored.objects, files: e.stored.files, archived: e.stored.archived, branches: e.stored.branches, dirty: true,
		}
		for key := range e.stored.objects {
			e.stored.objects[key] = nil
		}
		more = append(more, e.keptRecords()...)
		if e.lessons != nil {
			more = append(more, record(storeMeta, metaProgress, e.lessons))
		}
	}
	w := e.line.Tip()
	batch := append(more, record(storeMeta, metaBase, e.base), record(storeMeta, metaSemantics, strconv.Itoa(sim.Semantics)), e.head(w))
	if source := e.scenario.Source(); source != e.stored.scenario {
		batch = append(batch, Record{Store: storeMeta, Key: metaScenario, Later: laterText(source)})
		e.stored.scenario = source
	}
	batch = append(batch, e.choiceRecords()...)
	batch = append(batch, e.objectRecords(w)...)
	batch = append(batch, e.ledgerRecords(w)...)
	batch = append(batch, e.branchRecords()...)
	batch = append(batch, e.fileRecords()...)
	e.stored.dirty = false
	return e.commit(batch)
}

// choiceRecords stores the choices from the first that differs.
func (e *Engine) choiceRecords() []Record {
	var batch []Record
	now := e.line.Choices()
	for i, c := range now {
		if i >= len(e.stored.choices) || e.stored.choices[i] != c {
			batch = append(batch, record(storeChoices, choiceKey(i+1), c))
		}
	}
	for n := len(now) + 1; n <= len(e.stored.choices); n++ {
		batch = append(batch, Record{Store: storeChoices, Key: choiceKey(n), Delete: true})
	}
	e.stored.choices = slices.Clone(now)
	return batch
}

func (e *Engine) objectRecords(w *sim.World) []Record {
	var batch []Record
	objects := objectsOf(w)
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		if e.stored.objects[key] != objects[key] {
			batch = append(batch, Record{Store: storeObjects, Key: key, Later: later{objects[key]}})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(e.stored.objects)) {
		if objects[key] == nil {
			batch = append(batch, Record{Store: storeObjects, Key: key, Delete: true})
		}
	}
	e.stored.objects, e.stored.revision = objects, w.Server().Revision()
	return batch
}

func (e *Engine) ledgerRecords(w *sim.World) []Record {
	var batch []Record
	var now []string
	for i, entry := range w.Cloud().Ledger(0) {
		now = append(now, entry.String())
		if i >= len(e.stored.ledger) || e.stored.ledger[i] != now[i] {
			batch = append(batch, record(storeCloud, choiceKey(entry.N), entry))
		}
	}
	for n := len(now) + 1; n <= len(e.stored.ledger); n++ {
		batch = append(batch, Record{Store: storeCloud, Key: choiceKey(n), Delete: true})
	}
	e.stored.ledger = now
	return batch
}

// branchRecords stores the kept branches: the new ones where some were added,
// all of them where one was taken.
func (e *Engine) branchRecords() []Record {
	var batch []Record
	branches := e.line.Branches()
	from := e.stored.branches
	if e.stored.dirty || len(branches) <= from {
		from = 0
	}
	for i, b := range branches[from:] {
		batch = append(batch, record(storeArchive, branchPrefix+choiceKey(from+i+1), b))
	}
	for n := len(branches) + 1; n <= e.stored.branches; n++ {
		batch = append(batch, Record{Store: storeArchive, Key: branchPrefix + choiceKey(n), Delete: true})
	}
	e.stored.branches = len(branches)
	return batch
}

// objectsOf are the trees of all objects by their keys in the store.
func objectsOf(w *sim.World) map[string]*object.Map {
	objects := map[string]*object.Map{}
	for s := range w.Server().All() {
		objects[w.Server().StorageKey(s.GVR, s.Object.Key())] = s.Object.Root()
	}
	return objects
}

func fileKey(i int) string { return strconv.Itoa(1000 + i) }

func (e *Engine) commitFiles() error { return e.commit(e.fileRecords()) }

// fileRecords stores the files in their order.
func (e *Engine) fileRecords() []Record {
	var batch []Record
	var keys []string
	for i, f := range e.files {
		key := fileKey(i)
		keys = append(keys, key)
		batch = append(batch, record(storeFiles, key, f))
	}
	for _, key := range e.stored.files {
		if !slices.Contains(keys, key) {
			batch = append(batch, Record{Store: storeFiles, Key: key, Delete: true})
		}
	}
	e.stored.files = keys
	return batch
}

// commit writes a batch. After one that was refused the next writes everything,
// so that what is stored never has a hole.
func (e *Engine) commit(batch []Record) error {
	if err := e.port.Commit(batch); err != nil {
		e.stored.dirty = true
		return &Error{Message: err.Error(), Reason: "Storage"}
	}
	return nil
}

// cluster is what was stored, read back.
type cluster struct {
	scenario  string
	semantics string
	base      *sim.Snapshot
	head      head
	archived  int
	objects   map[string]object.Object
	ledger    []cloud.Entry
	choices   []string
	branches  []timeline.Branch
	files     []File
	aside     []kept
	lastKept  int
	progress  json.RawMessage
}

// readCluster takes stored records apart. ok is false where nothing is stored.
func readCluster(records []Record) (c cluster, ok bool, err error) {
	c.objects = map[string]object.Object{}
	for _, r := range records {
		if err = c.read(r); err != nil {
			return c, false, fmt.Errorf("record %s/%s: %w", r.Store, r.Key, err)
		}
	}
	if c.scenario != "" && c.head.Step != len(c.choices) {
		err = fmt.Errorf("%d choices are stored, and the last step is %d", len(c.choices), c.head.Step)
	}
	return c, c.scenario != "" && err == nil, err
}

func (c *cluster) read(r Record) error {
	text := []byte(r.Value)
	switch r.Store {
	case storeMeta:
		switch r.Key {
		case metaScenario:
			return json.Unmarshal(text, &c.scenario)
		case metaBase:
			return json.Unmarshal(text, &c.base)
		case metaHead:
			return json.Unmarshal(text, &c.head)
		case metaSemantics:
			return json.Unmarshal(text, &c.semantics)
		case metaProgress:
			c.progress = text
		case metaKept:
			return json.Unmarshal(text, &c.lastKept)
		}
	case storeArchive:
		if k, ok, err := readKept(r); ok {
			c.aside = append(c.aside, k)
			return err
		}
		if !strings.HasPrefix(r.Key, branchPrefix) {
			c.archived++
			return nil
		}
		var b timeline.Branch
		err := json.Unmarshal(text, &b)
		c.branches = append(c.branches, b)
		return err
	case storeObjects:
		o, err := object.DecodeObject(text)
		c.objects[r.Key] = o
		return err
	case storeCloud:
		var entry cloud.Entry
		err := json.Unmarshal(text, &entry)
		c.ledger = append(c.ledger, entry)
		return err
	case storeChoices:
		var choice string
		err := json.Unmarshal(text, &choice)
		c.choices = append(c.choices, choice)
		return err
	case storeFiles:
		var f File
		err := json.Unmarshal(text, &f)
		c.files = append(c.files, f)
		return err
	}
	return nil
}

// same reports whether a world is the one that was stored.
func (c *cluster) same(w *sim.World) bool {
	if w.Server().Revision() != c.head.Snapshot.Server.Store.Revision || !w.Now().Equal(c.head.Snapshot.Now) || w.Cloud().Changes() != len(c.ledger) {
		return false
	}
	n := 0
	for s := range w.Server().All() {
		n++
		if !c.objects[w.Server().StorageKey(s.GVR, s.Object.Key())].Equal(s.Object) {
			return false
		}
	}
	return n == len(c.objects)
}

// snapshot is the stored cluster without its history.
func (c *cluster) snapshot() sim.Snapshot {
	s := c.head.Snapshot
	s.Cloud = cloud.Snapshot{Ledger: c.ledger}
	s.Server.Store.Compacted = s.Server.Store.Revision
	for _, key := range slices.Sorted(maps.Keys(c.objects)) {
		s.Server.Store.Objects = append(s.Server.Store.Objects, store.Entry{Key: key, Object: c.objects[key]})
	}
	return s
}
