package engine

import (
	"encoding/json"
	"fmt"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

// Open takes what is stored, or the lab where nothing is, and posts a full
// delta as the answer to command id. The stored choices are played again; where
// that gives the stored cluster, the reload becomes the next choice: the
// controller's memory was lost with the page. Where it does not, the stored
// objects win: they become the beginning of a new timeline, and the old one is
// archived. The error says what of the records does not parse; then nothing is
// open.
func (e *Engine) Open(id int64, records []Record, state *StorageState) error {
	c, ok, err := readCluster(records)
	if err == nil && ok {
		err = e.reopen(c)
	} else if err == nil {
		err = e.loadNamed("lab")
	}
	r := Reply{ID: id, Done: true}
	if err != nil {
		r.Error = wireError(err)
	} else {
		r.Delta = e.delta(true)
		r.Delta.Storage = state
	}
	e.port.Post(r)
	return err
}

func (e *Engine) reopen(c cluster) error {
	s, err := scenario.Parse([]byte(c.scenario))
	if err != nil {
		return err
	}
	line, err := begin(s, c.base)
	if err != nil {
		return err
	}
	replay := line.Replay(c.choices)
	e.scenario, e.base, e.line, e.files = s, c.base, line, c.files
	e.remember(c)
	if replay != nil || !c.same(line.Tip()) {
		return e.objectsWin(c, replay)
	}
	line.Restore(c.branches)
	e.notice = &Notice{Code: "reloaded", N: line.Len()}
	_, err = e.choose(sim.Act("reload"))
	return err
}

// remember notes what is stored already.
func (e *Engine) remember(c cluster) {
	e.stored = stored{choices: len(c.choices), ledger: len(c.ledger)}
	e.stored.objects = nil
	w := e.line.Tip()
	if !c.same(w) {
		return
	}
	e.stored.revision = w.Server().Revision()
	e.stored.objects = objectsOf(w)
	for i := range c.files {
		e.stored.files = append(e.stored.files, fileKey(i))
	}
}

// objectsWin begins a new timeline from the stored objects.
func (e *Engine) objectsWin(c cluster, replay error) error {
	base := c.snapshot()
	line, err := begin(e.scenario, &base)
	if err != nil {
		return fmt.Errorf("the stored objects make no cluster: %w", err)
	}
	e.base, e.line = &base, line
	detail := "the objects differ after the last step"
	if replay != nil {
		detail = replay.Error()
	}
	e.notice = &Notice{Code: "replay-differs", Detail: detail, N: len(c.choices)}
	e.archive(c)
	return e.commitAll()
}

// archive keeps a timeline that no longer repeats, for whoever exports it.
func (e *Engine) archive(c cluster) {
	e.commit([]Record{record(storeArchive, fmt.Sprintf("%s-%08d", c.head.Snapshot.Now.Format("20060102T150405"), len(c.choices)), struct {
		Scenario string        `json:"scenario"`
		Base     *sim.Snapshot `json:"base"`
		Choices  []string      `json:"choices"`
	}{c.scenario, c.base, c.choices})})
}

// begin makes the timeline of a scenario, from a cluster or from its own.
func begin(s *scenario.Scenario, base *sim.Snapshot) (*timeline.Timeline, error) {
	if base == nil {
		return timeline.New(s.World), nil
	}
	config := s.Config()
	if _, err := sim.Restore(config, *base); err != nil {
		return nil, err
	}
	return timeline.New(func() *sim.World {
		w, err := sim.Restore(config, *base)
		if err != nil {
			panic(err) // it was restored once
		}
		return w
	}), nil
}

func (e *Engine) loadNamed(name string) error {
	s, err := scenario.Load(name)
	if err != nil {
		return badInput("%v", err)
	}
	return e.install(s, nil, s.Start, nil, nil)
}

// load takes a scenario document, or an exported cluster.
func (e *Engine) load(text string) (any, error) {
	if len(text) > 0 && text[0] == '{' {
		return nil, e.loadExport([]byte(text))
	}
	s, err := scenario.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	return nil, e.install(s, nil, s.Start, nil, nil)
}

// install replaces everything by a scenario and choices; files nil are the
// scenario's own. An error leaves everything as it was.
func (e *Engine) install(s *scenario.Scenario, base *sim.Snapshot, choices []string, branches []timeline.Branch, files []File) error {
	line, err := begin(s, base)
	if err != nil {
		return err
	}
	if err := line.Replay(choices); err != nil {
		return err
	}
	line.Restore(branches)
	if files == nil {
		for _, f := range s.Files {
			files = append(files, File{f.Name, f.Text})
		}
	}
	e.scenario, e.base, e.line, e.files = s, base, line, files
	e.told = told{}
	return e.commitAll()
}

// exported is a whole cluster as one file.
type exported struct {
	Format   string            `json:"format"`
	Sum      string            `json:"sum"`
	Scenario string            `json:"scenario"`
	Base     *sim.Snapshot     `json:"base,omitempty"`
	Choices  []string          `json:"choices"`
	Branches []timeline.Branch `json:"branches,omitempty"`
	Files    []File            `json:"files"`
	// Cluster is what replaying gives: it wins where a later version replays
	// otherwise.
	Cluster sim.Snapshot `json:"cluster"`
}

// exportFormat names format and version of an exported cluster.
const exportFormat = "reconcile.cluster/v1"

func (x exported) sum() string {
	x.Sum = ""
	text, err := json.Marshal(x)
	if err != nil {
		panic(err) // it is made of plain values
	}
	return checksum(text)
}

// export returns the whole cluster as one file's text.
func (e *Engine) export() (any, error) {
	x := exported{
		Format: exportFormat, Scenario: string(e.scenario.Source()), Base: e.base,
		Choices: e.line.Choices(), Branches: e.line.Branches(), Files: e.files, Cluster: e.line.Tip().Snapshot(),
	}
	x.Sum = x.sum()
	text, err := json.MarshalIndent(x, "", " ")
	return string(text), err
}

func (e *Engine) loadExport(text []byte) error {
	var x exported
	if err := json.Unmarshal(text, &x); err != nil {
		return badInput("the file is no exported cluster: %v", err)
	}
	if x.Format != exportFormat {
		return badInput("the file's format is %q; this version reads %q", x.Format, exportFormat)
	}
	if sum := x.sum(); sum != x.Sum {
		return badInput("the file is damaged: its checksum is %s and should be %s; nothing was changed", sum, x.Sum)
	}
	s, err := scenario.Parse([]byte(x.Scenario))
	if err != nil {
		return err
	}
	if x.Files == nil {
		x.Files = []File{}
	}
	err = e.install(s, x.Base, x.Choices, x.Branches, x.Files)
	var differs *timeline.ReplayError
	switch {
	case err == nil && sameCluster(e.line.Tip().Snapshot(), x.Cluster):
		e.notice = &Notice{Code: "imported", N: len(x.Choices)}
		return nil
	case err != nil && !asReplay(err, &differs):
		return err
	}
	if err := e.install(s, &x.Cluster, nil, nil, x.Files); err != nil {
		return err
	}
	e.notice = &Notice{Code: "replay-differs", N: len(x.Choices)}
	if differs != nil {
		e.notice.Detail = differs.Error()
	}
	return nil
}
