package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

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
	// metaBranches is the list of kept branches.
	metaBranches = "branches"
)

// stored is what storage was given last, so that a commit holds the rest.
type stored struct {
	choices  int
	ledger   int
	revision int64
	objects  map[string]*object.Map
	files    []string
}

// head is the part of a cluster that every step changes.
type head struct {
	// Step is how many choices the timeline has.
	Step     int          `json:"step"`
	Snapshot sim.Snapshot `json:"snapshot"`
}

func record(store, key string, v any) Record {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("engine: %s/%s does not encode: %v", store, key, err))
	}
	return Record{Store: store, Key: key, Value: string(text)}
}

func choiceKey(n int) string { return fmt.Sprintf("%08d", n) }

// commitStep stores one step, in one transaction: the choice, the objects that
// it changed, what the cloud did, and the head.
func (e *Engine) commitStep(ev sim.Event) {
	w := e.line.Tip()
	batch := []Record{record(storeChoices, choiceKey(ev.N), ev.Action), e.head(w)}
	if w.Server().Revision() != e.stored.revision {
		for _, c := range w.Server().Changes(e.stored.revision) {
			key := w.Server().StorageKey(c.GVR, c.Object.Key())
			if c.Type == api.Deleted {
				delete(e.stored.objects, key)
				batch = append(batch, Record{Store: storeObjects, Key: key, Delete: true})
			} else {
				e.stored.objects[key] = c.Object.Root()
				batch = append(batch, record(storeObjects, key, c.Object))
			}
		}
		e.stored.revision = w.Server().Revision()
	}
	batch = e.appendLedger(batch, w)
	e.stored.choices = ev.N
	e.commit(batch)
}

func (e *Engine) appendLedger(batch []Record, w *sim.World) []Record {
	for _, entry := range w.Cloud().Ledger(e.stored.ledger) {
		batch = append(batch, record(storeCloud, choiceKey(entry.N), entry))
	}
	e.stored.ledger = w.Cloud().Changes()
	return batch
}

func (e *Engine) head(w *sim.World) Record {
	return record(storeMeta, metaHead, head{Step: e.line.Len(), Snapshot: sim.Snapshot{Now: w.Now(), Server: w.Server().Head()}})
}

// commitAll makes what is stored equal to the timeline's tip, whatever was
// stored before: after a branch, or when a cluster was loaded.
func (e *Engine) commitAll() error {
	w := e.line.Tip()
	base := record(storeMeta, metaBase, e.base)
	batch := []Record{record(storeMeta, metaScenario, string(e.scenario.Source())), base, e.head(w)}
	for n := e.line.Len() + 1; n <= e.stored.choices; n++ {
		batch = append(batch, Record{Store: storeChoices, Key: choiceKey(n), Delete: true})
	}
	for i, c := range e.line.Choices() {
		batch = append(batch, record(storeChoices, choiceKey(i+1), c))
	}
	objects := objectsOf(w)
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		if e.stored.objects[key] != objects[key] {
			batch = append(batch, record(storeObjects, key, objects[key]))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(e.stored.objects)) {
		if objects[key] == nil {
			batch = append(batch, Record{Store: storeObjects, Key: key, Delete: true})
		}
	}
	for n := 1; n <= e.stored.ledger; n++ {
		batch = append(batch, Record{Store: storeCloud, Key: choiceKey(n), Delete: true})
	}
	e.stored.ledger = 0
	batch = e.appendLedger(batch, w)
	batch = append(batch, record(storeMeta, metaBranches, e.line.Branches()))
	batch = append(batch, e.fileRecords()...)
	e.stored.choices, e.stored.revision, e.stored.objects = e.line.Len(), w.Server().Revision(), objects
	return e.commit(batch)
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

// commit writes a batch. A refused one is storage's to tell the page about; the
// engine goes on in memory.
func (e *Engine) commit(batch []Record) error {
	if err := e.port.Commit(batch); err != nil {
		return &Error{Message: err.Error(), Reason: "Storage"}
	}
	return nil
}

// cluster is what was stored, read back.
type cluster struct {
	scenario string
	base     *sim.Snapshot
	head     head
	objects  map[string]object.Object
	ledger   []cloud.Entry
	choices  []string
	branches []timeline.Branch
	files    []File
}

// readCluster takes stored records apart. ok is false where nothing is stored.
func readCluster(records []Record) (c cluster, ok bool, err error) {
	c.objects = map[string]object.Object{}
	for _, r := range records {
		if err = c.read(r); err != nil {
			return c, false, fmt.Errorf("record %s/%s: %w", r.Store, r.Key, err)
		}
	}
	return c, c.scenario != "", nil
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
		case metaBranches:
			return json.Unmarshal(text, &c.branches)
		}
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
