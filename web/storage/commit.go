//go:build js && wasm

package storage

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"syscall/js"

	"github.com/hack-pad/go-indexeddb/idb"
)

// Commit stores the records in one transaction and returns nil once it has completed. Of several records
// under one key the last one wins.
//
// Otherwise the error is a *NotStoredError whose State is also the DB's from then on. When the storage is
// full, the records are kept and tried again together with those of the next Commit, so that what is
// stored is always one whole step, never one with a hole. An unknown store, a reserved key
// and a NUL character are programming errors: plain errors that change nothing.
func (db *DB) Commit(records []Record) error {
	for _, r := range records {
		if !isStore(r.Store) {
			return fmt.Errorf("storage: no store %q", r.Store)
		}
		if reserved(r) {
			return fmt.Errorf("storage: the key %s/%s is reserved", r.Store, r.Key)
		}
		if strings.Contains(r.Key, separator) || strings.Contains(r.Value, separator) {
			return fmt.Errorf("storage: %s/%q holds a NUL character", r.Store, r.Key)
		}
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	state := db.State()
	if state.Name == Memory || state.Name == ForeignTab {
		return &NotStoredError{state}
	}
	db.read = nil
	records = merge(db.pending, records)
	state = db.store(records)
	db.pending = nil
	if state.Name == Full {
		db.pending = records
	}
	db.setState(state)
	if state.Name != Saved {
		return &NotStoredError{state}
	}
	return nil
}

// store runs one transaction over records, no two of one place, and the marks.
func (db *DB) store(records []Record) State {
	mark := db.mark
	mark.N++
	mark.Holder, mark.Opened = db.holder, db.opened
	count, sum := db.ledger.after(records)
	mark.Count, mark.Sum = count, sumText(sum)
	marks := []Record{{Store: Meta, Key: commitKey, Value: mark.text()}}
	if db.fresh {
		marks = append(marks, Record{Store: Meta, Key: formatKey, Value: formatMark{FormatVersion}.text()})
	}
	foreign, err := db.transact(marks, records)
	switch {
	case foreign:
		return State{Name: ForeignTab, Reason: ReasonOtherTab, Detail: "another tab has written since"}
	case err != nil:
		return failed(err)
	}
	db.mark, db.last, db.fresh = mark, mark.text(), false
	for _, r := range records {
		db.ledger.set(r)
	}
	return State{Name: Saved}
}

func failed(err error) State {
	switch {
	case errors.Is(err, idb.NewDOMException("QuotaExceededError")):
		return State{Name: Full, Reason: ReasonQuota, Detail: err.Error()}
	case errors.Is(err, idb.NewDOMException("InvalidStateError")):
		return State{Name: Memory, Reason: ReasonClosed, Detail: err.Error()}
	}
	return State{Name: Memory, Reason: ReasonFailed, Detail: err.Error()}
}

// transact puts and deletes records in one transaction, unless meta/commit is not what this DB wrote last:
// then foreign is true and nothing is stored.
//
// All requests are issued before anything waits: a transaction completes as soon as the event loop runs
// with none outstanding, and waiting for one that has completed never ends.
func (db *DB) transact(marks, records []Record) (foreign bool, err error) {
	names := []string{Meta}
	for _, r := range records {
		if !slices.Contains(names, r.Store) {
			names = append(names, r.Store)
		}
	}
	tx, err := db.conn.TransactionWithOptions(
		idb.TransactionOptions{Mode: idb.TransactionReadWrite, Durability: idb.DurabilityStrict}, names[0], names[1:]...)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := db.fence(ctx, tx, &foreign); err != nil {
		_ = tx.Abort()
		return false, err
	}
	for _, list := range [][]Record{marks, records} {
		for i := range list {
			// In a browser the collector runs only while others wait. Nothing else runs before the last request is made.
			runtime.Gosched()
			if err := request(tx, &list[i]); err != nil {
				_ = tx.Abort()
				return false, err
			}
		}
	}
	err = tx.Await(ctx)
	// A transaction that was aborted on purpose ends without an error.
	if foreign {
		return true, nil
	}
	return false, err
}

// fence asks for meta/commit as the transaction's first request and aborts it where another tab wrote
// that last. The other requests need not wait for the answer: they are undone.
func (db *DB) fence(ctx context.Context, tx *idb.Transaction, foreign *bool) error {
	store, err := tx.ObjectStore(Meta)
	if err != nil {
		return err
	}
	get, err := store.Get(js.ValueOf(commitKey))
	if err != nil {
		return err
	}
	return get.ListenSuccess(ctx, func() {
		value, err := get.Result()
		mine := err == nil && (value.Type() == js.TypeString && value.String() == db.last || db.fresh && value.IsUndefined())
		if !mine {
			*foreign = true
			_ = tx.Abort()
		}
	})
}

// value is the value of the record, put together where the browser has room for it.
func (r *Record) value() js.Value {
	if r.Later == nil {
		return js.ValueOf(r.Value)
	}
	array := js.Global().Get("Array").New()
	r.parts(func(part string) { array.Call("push", part) })
	return array.Call("join", "")
}

func request(tx *idb.Transaction, r *Record) error {
	store, err := tx.ObjectStore(r.Store)
	if err != nil {
		return err
	}
	if r.Delete {
		_, err = store.Delete(js.ValueOf(r.Key))
		return err
	}
	_, err = store.PutKey(js.ValueOf(r.Key), r.value())
	return err
}
