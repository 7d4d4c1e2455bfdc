package explore

import (
	"cmp"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/digest"
	"github.com/reconcile-playground/reconcile/core/judge"
)

// Result is what came of an exploration.
type Result struct {
	Bounds Bounds `json:"bounds"`
	// Findings are grouped by cause, each with its shortest choices.
	Findings []judge.Finding `json:"findings"`
	// Stopped are the runs after which the reconciler says that it needs a person:
	// a verdict of its own.
	Stopped []judge.Finding `json:"stopped"`
	Matrix  Matrix          `json:"matrix"`
}

// Bounds are what an exploration went through: it says nothing about what is
// beyond them.
type Bounds struct {
	Faults []string `json:"faults"`
	Depth  int      `json:"depth"`
	// Near and Sample are those of runs with two faults.
	Near   int    `json:"near,omitempty"`
	Sample int    `json:"sample,omitempty"`
	Seed   uint64 `json:"seed"`
	// Schedules are the kinds of other orders that were tried, Orders in how many
	// runs.
	Schedules []string `json:"schedules"`
	Orders    int      `json:"orders"`
	// Places is how many calls, lists and deliveries the baseline has, Passes how
	// many passes, Acts how long the life is.
	Places int `json:"places"`
	Passes int `json:"passes"`
	Acts   int `json:"acts"`
	// Runs is how many runs were made, States how many states at rest were told
	// apart, over all of them.
	Runs   int `json:"runs"`
	States int `json:"states"`
	// Restless says that the baseline itself does not come to rest: no fault was
	// made.
	Restless bool `json:"restless,omitempty"`
}

// Matrix has a row for each call site and a column for each fault and each kind of
// schedule.
type Matrix struct {
	Faults []string `json:"faults"`
	Rows   []Row    `json:"rows"`
}

// Row is one call site: where the call stands in the reconciler, its verb and its
// kind.
type Row struct {
	Site string `json:"site"`
	// Kind is that of the object that the call is about; empty where it is none.
	Kind  string `json:"kind,omitempty"`
	Cells []Cell `json:"cells"`
}

// Cell is one fault at one call site: how many runs, and how they came out. One
// without runs was not reachable.
type Cell struct {
	Runs    int `json:"runs"`
	Found   int `json:"found"`
	Stopped int `json:"stopped"`
	// Shows is which finding shows what went wrong here, counted from 1 among the
	// findings or, where none was found, among those that stopped; 0 for none.
	Shows int `json:"shows,omitempty"`
}

// Outcomes returns the runs made so far: what a worker hands over.
func (x *Explorer) Outcomes() []Outcome { return slices.Clip(x.runs) }

// States returns the states at rest that were told apart, by their digests in hex.
func (x *Explorer) States() []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(x.nodes)) {
		for _, n := range x.nodes[k] {
			p := n.goesBy(x.processes())
			sum := digest.SHA256([]byte(string(k) + strings.Join(p.names, "\n") + p.values))
			out = append(out, hex.EncodeToString(sum[:16]))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Take takes in what another worker made, of another shard of the same plan.
func (x *Explorer) Take(runs []Outcome, states []string) {
	x.runs = append(x.runs, runs...)
	for _, s := range states {
		x.others[s] = true
	}
}

// told is how many states were told apart, by whichever worker.
func (x *Explorer) told() int {
	all := maps.Clone(x.others)
	for _, s := range x.States() {
		all[s] = true
	}
	return len(all)
}

// Result is what came of the runs, in the order of the plan, once all of them are
// made.
func (x *Explorer) Result() (*Result, error) {
	x.sort()
	o := x.options
	r := &Result{Findings: []judge.Finding{}, Stopped: []judge.Finding{}}
	r.Bounds = Bounds{
		Faults: o.Faults, Depth: o.Depth, Seed: o.Seed, Schedules: o.Schedules, Passes: x.passes, Acts: len(x.subject.Life),
		Runs: len(x.runs) + 1, States: x.told(), Restless: x.restless,
	}
	for _, p := range x.spots {
		if p.action.Verb == "call" || p.action.Verb == "list" || p.action.Verb == "deliver" {
			r.Bounds.Places++
		}
	}
	for _, run := range x.runs {
		if slices.Contains(ScheduleKinds, run.Moves[0].Kind) {
			r.Bounds.Orders++
		}
	}
	if o.Depth > 1 {
		r.Bounds.Near, r.Bounds.Sample = o.Near, o.Sample
	}
	r.Matrix = x.matrix()
	for {
		done, err := x.Tell()
		if err != nil {
			return nil, err
		}
		if done {
			break
		}
	}
	r.Findings, r.Stopped = append(r.Findings, x.account.findings...), append(r.Stopped, x.account.stopped...)
	slices.SortStableFunc(r.Findings, func(a, b judge.Finding) int {
		return cmp.Or(cmp.Compare(judge.Rank(a.Finding), judge.Rank(b.Finding)), cmp.Compare(len(a.Choices), len(b.Choices)))
	})
	for _, g := range x.account.groups {
		r.Matrix.shows(g, r)
	}
	return r, nil
}

// shows notes in the cells of a group which finding shows what went wrong there:
// the first of several.
func (m Matrix) shows(g *group, r *Result) {
	all := r.Findings
	if g.finding == judge.Stopped {
		all = r.Stopped
	}
	n := 1 + slices.IndexFunc(all, func(f judge.Finding) bool { return f.Sentence == g.told.Sentence && f.Object == g.told.Object })
	for _, run := range g.runs {
		row := slices.IndexFunc(m.Rows, func(row Row) bool { return row.Site == run.Site })
		at := &m.Rows[row].Cells[slices.Index(m.Faults, run.Moves[0].Kind)]
		if (at.Found > 0) == (g.finding != judge.Stopped) && (at.Shows == 0 || n < at.Shows) {
			at.Shows = n
		}
	}
}

// sort puts the runs in the order of the plan, whoever made them.
func (x *Explorer) sort() {
	slices.SortStableFunc(x.runs, func(a, b Outcome) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Pair, b.Pair))
	})
}

// account is what is told of the runs, as far as it is worked out.
type account struct {
	own               []judge.Finding
	groups            []*group
	next              int
	findings, stopped []judge.Finding
}

// Tell works out what Result tells, one finding at a time, once all runs are made:
// the shortest choices of each are looked for. It reports whether that is done.
func (x *Explorer) Tell() (done bool, err error) {
	if x.account == nil {
		x.sort()
		own, err := x.ownFindings()
		if err != nil {
			return false, err
		}
		x.account = &account{own: own, groups: x.groups()}
	}
	a := x.account
	if i := len(a.findings); i < len(a.own) {
		a.findings = append(a.findings, x.shortenOwn(a.own[i]))
		return len(a.findings) == len(a.own) && len(a.groups) == 0, nil
	}
	if a.next == len(a.groups) {
		return true, nil
	}
	g := a.groups[a.next]
	a.next++
	f, err := x.shortest(g)
	if err != nil {
		return false, err
	}
	g.told = f
	if g.finding == judge.Stopped {
		a.stopped = append(a.stopped, f)
	} else {
		a.findings = append(a.findings, f)
	}
	return a.next == len(a.groups), nil
}

// matrix counts the runs by site and fault.
func (x *Explorer) matrix() Matrix {
	m := Matrix{Faults: slices.Concat(x.options.Faults, x.options.Schedules), Rows: []Row{}}
	at := map[string]int{}
	for _, e := range x.plan {
		if site := x.spots[e.spot].site; at[site] == 0 {
			m.Rows = append(m.Rows, Row{Site: site, Kind: x.spots[e.spot].kind, Cells: make([]Cell, len(m.Faults))})
			at[site] = len(m.Rows)
		}
	}
	for _, run := range x.runs {
		c := &m.Rows[at[run.Site]-1].Cells[slices.Index(m.Faults, run.Moves[0].Kind)]
		c.Runs++
		switch {
		case len(run.Found) > 0:
			c.Found++
		case run.Stopped != "":
			c.Stopped++
		}
	}
	return m
}
