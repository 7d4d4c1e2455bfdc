package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

// foreignTab is the state of a storage that another tab holds.
const foreignTab = "foreign-tab"

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
		err = e.reopen(c, state != nil && state.State == foreignTab)
	} else if err == nil {
		err = e.pick("lab")
	}
	r := Reply{ID: id, Done: true}
	if err != nil {
		r.Error = wireError(err)
	} else {
		r.Delta = e.delta(true)
		r.Delta.Storage = state
	}
	e.post(r)
	return err
}

func (e *Engine) reopen(c cluster, foreign bool) error {
	s, err := scenario.ParseText(c.scenario)
	if err != nil {
		return err
	}
	if err := playable(c.choices); err != nil {
		return err
	}
	line, err := begin(s, c.base)
	if err != nil {
		return err
	}
	watch, replay := play(s, line, c.choices)
	e.scenario, e.base, e.line, e.files, e.aside, e.lessons, e.watch = s, c.base, line, c.files, c.aside, c.progress, watch
	e.lastKept = c.lastKept
	for _, k := range c.aside {
		e.lastKept = max(e.lastKept, k.ID)
	}
	e.remember(c)
	if replay != nil || !c.same(line.Tip()) {
		return e.objectsWin(c, replay)
	}
	line.Restore(c.branches)
	if foreign {
		// The controller's memory is alive in the other tab: nothing was reloaded.
		return nil
	}
	e.notice = &Notice{Code: "reloaded", N: line.Len()}
	_, err = e.choose(sim.Act("reload"))
	return err
}

// remember notes what is stored already. The trees of the objects are those of
// the world where it is the stored one, so that they are not written again.
func (e *Engine) remember(c cluster) {
	e.stored = stored{scenario: c.scenario, choices: slices.Clone(c.choices), branches: len(c.branches), archived: c.archived, objects: map[string]*object.Map{}}
	for _, entry := range c.ledger {
		e.stored.ledger = append(e.stored.ledger, entry.String())
	}
	for key := range c.objects {
		e.stored.objects[key] = nil
	}
	if w := e.line.Tip(); c.same(w) {
		e.stored.objects, e.stored.revision = objectsOf(w), w.Server().Revision()
	}
	for i := range c.files {
		e.stored.files = append(e.stored.files, fileKey(i))
	}
}

// objectsWin begins a new timeline from the stored objects. The old one is
// archived in the same transaction, with its branches.
func (e *Engine) objectsWin(c cluster, replay error) error {
	base := c.snapshot()
	line, err := begin(e.scenario, &base)
	if err != nil {
		return fmt.Errorf("the stored objects make no cluster: %w", err)
	}
	e.base, e.line, e.watch = &base, line, follower{}
	e.notice = differs(len(c.choices), c.semantics, replay)
	e.stored.archived++
	return e.commitAll(record(storeArchive, timelinePrefix+choiceKey(e.stored.archived), archived{
		Scenario: c.scenario, Semantics: c.semantics, Base: c.base, Choices: c.choices, Branches: c.branches,
	}))
}

// archived is a timeline that no longer repeats, kept for whoever exports it.
type archived struct {
	Scenario  string            `json:"scenario"`
	Semantics string            `json:"semantics"`
	Base      *sim.Snapshot     `json:"base,omitempty"`
	Choices   []string          `json:"choices"`
	Branches  []timeline.Branch `json:"branches,omitempty"`
}

// differs says that choices no longer give the cluster that they gave.
func differs(choices int, semantics string, replay error) *Notice {
	n := &Notice{Code: "replay-differs", N: choices, Detail: "the objects differ after the last step"}
	if replay != nil {
		n.Detail = replay.Error()
	}
	if now := strconv.Itoa(sim.Semantics); semantics != "" && semantics != now {
		n.Detail += fmt.Sprintf(" (recorded by version %s of the rules, played by version %s)", semantics, now)
	}
	return n
}

// begin makes the timeline of a scenario, from a cluster or from its own.
func begin(s *scenario.Scenario, base *sim.Snapshot) (*timeline.Timeline, error) {
	if base == nil {
		return timeline.New(s.World), nil
	}
	config := s.World().Config()
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

// named reads a scenario of the library.
func named(name string) (*scenario.Scenario, error) {
	s, err := scenario.Load(name)
	if errors.Is(err, scenario.ErrUnknown) {
		return nil, badInput("%v", err)
	}
	return s, err
}

// pick starts a scenario of the library; what was there is kept.
func (e *Engine) pick(name string) error {
	s, err := named(name)
	if err != nil {
		return err
	}
	return e.install(s)
}

// load takes a scenario document, the name of one of the library, or an exported
// cluster; what was there is kept.
func (e *Engine) load(text string) (any, error) {
	if slices.Contains(scenario.Names(), text) {
		return nil, e.pick(text)
	}
	if len(text) > 0 && text[0] == '{' {
		return nil, e.loadExport([]byte(text))
	}
	s, err := scenario.ParseText(text)
	if err != nil {
		return nil, err
	}
	return nil, e.install(s)
}

// install starts a scenario in place of everything, which is kept. An error leaves everything as it was, unless it is the storage's.
func (e *Engine) install(s *scenario.Scenario) error {
	if err := playable(s.Start); err != nil {
		return err
	}
	line, err := begin(s, nil)
	if err != nil {
		return err
	}
	watch, err := play(s, line, s.Start)
	if err != nil {
		return err
	}
	e.keep()
	return e.take(s, nil, line, watch, nil)
}

// take replaces everything by a timeline, as far as watch has followed it.
func (e *Engine) take(s *scenario.Scenario, base *sim.Snapshot, line *timeline.Timeline, watch follower, files []File) error {
	if files == nil {
		for _, f := range s.Files {
			files = append(files, File{Name: f.Name, Text: f.Text, Applied: f.Text})
		}
		for _, f := range s.Scripts {
			file := File{Name: f.Name, Text: f.Text}
			if s.Hides(f.Name) {
				continue // it is shown to whoever asks for it
			}
			// The others are at hand to be rolled out.
			if slices.ContainsFunc(s.Controllers, func(c scenario.Controller) bool { return c.Script == f.Name }) {
				file.Applied = f.Text
			}
			files = append(files, file)
		}
		files = withDeployed(files, line.Choices(), true)
	} else {
		files = withDeployed(files, line.Choices(), false)
	}
	e.scenario, e.base, e.line, e.files = s, base, line, files
	e.told, e.watch, e.armed = told{}, watch, ""
	return e.commitAll()
}

// exported is a whole cluster as one file.
type exported struct {
	Format string `json:"format"`
	Sum    string `json:"sum"`
	// Semantics is the version of the rules by which the choices were played.
	Semantics string `json:"semantics"`

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
		Format: exportFormat, Semantics: strconv.Itoa(sim.Semantics), Scenario: e.scenario.Source(), Base: e.base,
		Choices: e.line.Choices(), Branches: e.line.Branches(), Files: e.files, Cluster: e.line.Tip().Snapshot(),
	}
	x.Sum = x.sum()
	text, err := json.MarshalIndent(x, "", " ")
	return string(text), err
}

func (e *Engine) loadExport(text []byte) error {
	x, err := readExport(text)
	if err != nil {
		return err
	}
	s, err := scenario.ParseText(x.Scenario)
	if err != nil {
		return err
	}
	if x.Files == nil {
		x.Files = []File{}
	}
	if err := playable(x.Choices); err != nil {
		return err
	}
	line, err := begin(s, x.Base)
	if err != nil {
		return err
	}
	watch, replay := play(s, line, x.Choices)
	if replay == nil && sameCluster(line.Tip().Snapshot(), x.Cluster) {
		line.Restore(x.Branches)
		e.keep()
		e.notice = &Notice{Code: "imported", N: len(x.Choices)}
		return e.take(s, x.Base, line, watch, x.Files)
	}
	// The cluster in the file wins over what its choices give here.
	if line, err = begin(s, &x.Cluster); err != nil {
		return err
	}
	e.keep()
	e.notice = differs(len(x.Choices), x.Semantics, replay)
	return e.take(s, &x.Cluster, line, follower{}, x.Files)
}
