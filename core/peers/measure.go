package peers

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

// Operations are the calls that are timed, in the order of the table.
var Operations = []string{"get", "create", "update", "status update", "merge patch", "apply", "list by label", "delete"}

// IsWrite reports whether an operation changes the cluster.
func IsWrite(op string) bool { return op != "get" && op != "list by label" }

// batch is how many calls of an operation are timed together.
func batch(op string) int {
	switch op {
	case "list by label":
		return 2
	case "get":
		return 50
	}
	return 10
}

// bench is one peer being measured.
type bench struct {
	peer Peer
	// filled is how many WebApps it holds.
	filled int
	// round counts the batches, n the calls: they choose names and messages.
	round, n int
	times    []time.Duration
}

// prepare does what a batch needs and is not timed.
func (b *bench) prepare(op string) error {
	b.round++
	switch op {
	case "update", "status update", "merge patch", "apply":
		return b.peer.Hold(nameOf(b.round * 7919 % b.filled))
	case "delete":
		return b.each(op, b.peer.Create)
	}
	return nil
}

// each calls f with the names that are the batch's own.
func (b *bench) each(op string, f func(name string) error) error {
	for i := range batch(op) {
		if err := f(fmt.Sprintf("new-%d-%d", b.round, i)); err != nil {
			return err
		}
	}
	return nil
}

// run makes the calls of a batch.
func (b *bench) run(op string) error {
	p := b.peer
	switch op {
	case "create":
		return b.each(op, p.Create)
	case "delete":
		return b.each(op, p.Delete)
	}
	for i := range batch(op) {
		b.n++
		var err error
		switch op {
		case "get":
			err = p.Get(nameOf((b.round*104729 + i*7919) % b.filled))
		case "update":
			err = p.Update(b.n)
		case "status update":
			err = p.UpdateStatus(b.n)
		case "merge patch":
			err = p.MergePatch(b.n)
		case "apply":
			err = p.Apply(b.n)
		case "list by label":
			var found int
			if found, err = p.ListByLabel((b.round*31 + i) % (b.filled / groupSize)); err == nil && found != groupSize {
				err = fmt.Errorf("%d found", found)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Run makes one batch of calls and returns how long one call took.
func (b *bench) Run(op string) (time.Duration, error) {
	if err := b.prepare(op); err != nil {
		return 0, fmt.Errorf("%s: preparing %s: %w", b.peer.Name(), op, err)
	}
	began := clock()
	err := b.run(op)
	took := clock() - began
	if err == nil && op == "create" {
		err = b.each(op, b.peer.Delete)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %s: %w", b.peer.Name(), op, err)
	}
	return took / time.Duration(batch(op)), nil
}

// Row is what one operation costs each peer, in the order of the peers.
type Row struct {
	Operation string
	Objects   int
	// PerCall are medians of batches.
	PerCall []time.Duration
}

// Measure fills each peer with n WebApps and times every operation on all of
// them in turns, so that whatever else the machine does hits all alike. A peer
// gets about the given time for each operation.
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
		began := time.Now()
		for round := 0; round < 3 || time.Since(began) < each*time.Duration(len(benches)) && round < 2000; round++ {
			for _, b := range benches {
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
