package peers

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
)

// Operations are the calls that are timed, in the order of the table.
var Operations = []string{"get", "create", "update", "status update", "merge patch", "apply", "list by label", "delete"}

// batch is how many calls of an operation are made together. The first fifth is
// not timed: it brings back into the processor's caches what the peer before
// pushed out.
func batch(op string) int {
	if op == "list by label" {
		return 10
	}
	return 50
}

// bench is one peer being measured.
type bench struct {
	peer Peer
	// filled is how many WebApps it holds.
	filled int
	// round counts the batches, which choose names and messages.
	round int
	times []time.Duration
}

// each makes the calls of an operation ready on the names that are the batch's own.
func (b *bench) each(op string) (calls []func() error, err error) {
	for i := range batch(op) {
		name := nameOf((b.round*7919 + i*104729) % b.filled)
		if op == "create" || op == "delete" {
			name = fmt.Sprintf("new-%d-%d", b.round, i)
		}
		call, err := b.peer.Ready(op, name, b.round*batch(op)+i)
		if err != nil {
			return nil, err
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// untimed does an operation on the names that are the batch's own.
func (b *bench) untimed(op string) error {
	calls, err := b.each(op)
	if err != nil {
		return err
	}
	return run(calls)
}

func run(calls []func() error) error {
	for _, call := range calls {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// Run makes one batch of calls and returns how long one call took.
func (b *bench) Run(op string) (took time.Duration, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %s: %w", b.peer.Name(), op, err)
		}
	}()
	b.round++
	if op == "delete" {
		if err := b.untimed("create"); err != nil {
			return 0, err
		}
	}
	calls, err := b.each(op)
	if err != nil {
		return 0, err
	}
	warm := len(calls) / 5
	if err := run(calls[:warm]); err != nil {
		return 0, err
	}
	began := clock()
	err = run(calls[warm:])
	took = clock() - began
	if err == nil && op == "create" {
		err = b.untimed("delete")
	}
	return took / time.Duration(len(calls)-warm), err
}

// Row is what one operation costs each peer, in the order of the peers.
type Row struct {
	Operation string
	Objects   int
	// PerCall are medians of batches.
	PerCall []time.Duration
}

// Measure fills each peer with n WebApps and times every operation on all of
// them in rounds, so that whatever else the machine does hits all alike. The order
// is drawn for each round: who comes after the fake client of a whole scheme, which
// makes a hundred megabytes of garbage in a batch, has cold caches and the
// collector beside it, and that is not to be always the same one. A peer gets about
// the given time for each operation.
func Measure(peers []Peer, n int, each time.Duration, operations []string) ([]Row, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	benches := make([]*bench, len(peers))
	for i, p := range peers {
		if err := p.Fill(n); err != nil {
			return nil, fmt.Errorf("%s: filling: %w", p.Name(), err)
		}
		benches[i] = &bench{peer: p, filled: n}
	}
	var rows []Row
	for _, op := range operations {
		row := Row{Operation: op, Objects: n}
		for _, b := range benches {
			b.times = nil
		}
		order, began := rand.New(rand.NewPCG(1, 1)), time.Now()
		for round := 0; round < 3 || time.Since(began) < each*time.Duration(len(benches)) && round < 2000; round++ {
			for _, i := range order.Perm(len(benches)) {
				b := benches[i]
				t, err := b.Run(op)
				if err != nil {
					return rows, err
				}
				b.times = append(b.times, t)
			}
		}
		for _, b := range benches {
			slices.Sort(b.times)
			row.PerCall = append(row.PerCall, b.times[len(b.times)/2])
		}
		rows = append(rows, row)
	}
	return rows, nil
}
