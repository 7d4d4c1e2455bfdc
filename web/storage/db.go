//go:build js && wasm

package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall/js"
	"time"

	"github.com/hack-pad/go-indexeddb/idb"
)

const (
	databaseName    = "reconcile"
	databaseVersion = 1
	// answerIn is how long the browser may take to open the database or to find the end of a lock.
	answerIn = 10 * time.Second
)

// A DB is the stored cluster. Its methods may be called from any goroutine, but never from a js.Func
// callback itself: they wait for the event loop. There is one DB at a time in a worker.
type DB struct {
	onState func(State)
	holder  string
	opened  string

	// mu is held for the length of a transaction.
	mu      sync.Mutex
	conn    *idb.Database
	raw     js.Value
	ledger  *ledger
	mark    commitMark
	last    string // the text of meta/commit as this DB wrote it last; empty on a fresh database
	fresh   bool
	read    map[string][]Record // what Open has read and Load has not yet fetched
	pending []Record            // what did not fit
	lock    *lock

	stateMu sync.Mutex
	state   State
}

// Open opens the stored cluster and takes hold of it, unless another tab holds it already. It does not
// fail: State says what became of it.
//
// onState is called after each later change of the state, on a goroutine of its own; it may be nil.
func Open(onState func(State)) *DB {
	db := &DB{onState: onState, holder: randomID(), opened: time.Now().UTC().Format(time.RFC3339)}
	db.state = db.open(false)
	return db
}

// State says whether commits are stored.
func (db *DB) State() State {
	db.stateMu.Lock()
	defer db.stateMu.Unlock()
	return db.state
}

// setState notes a new state and tells of it.
func (db *DB) setState(state State) {
	db.stateMu.Lock()
	changed := db.state != state
	db.state = state
	db.stateMu.Unlock()
	if changed && db.onState != nil {
		go db.onState(state)
	}
}

// TakeOver takes the cluster from the tab that holds it, whose commits fail from then on. What is stored
// is read anew: everything that the caller knew from an earlier Load is void. Where the cluster cannot be
// held in this browser at all, the error is a *NotStoredError that says why.
func (db *DB) TakeOver() error {
	db.mu.Lock()
	db.disconnect()
	state := db.open(true)
	db.mu.Unlock()
	db.setState(state)
	if state.Name != Saved {
		return &NotStoredError{state}
	}
	return nil
}

// Refuse is for a caller that finds what it loaded to be unusable: nothing is stored from then on, what is
// there stays as it is, and the state says why: ReasonCorrupted, or what is missing.
func (db *DB) Refuse(reason, detail string) {
	db.setState(State{Name: Memory, Reason: reason, Detail: detail})
}

// Reset deletes everything that is stored and starts anew, empty. It works in every state in which the
// database can be opened; data of another tab is deleted too, and that tab is taken over.
func (db *DB) Reset() error {
	db.mu.Lock()
	db.disconnect()
	err := deleteDatabase()
	state := db.state
	if err == nil {
		state = db.open(true)
	}
	db.mu.Unlock()
	if err != nil {
		return fmt.Errorf("storage: reset: %w", err)
	}
	db.setState(state)
	if state.Name != Saved {
		return &NotStoredError{state}
	}
	return nil
}

// Close lets go of the cluster. The DB stores nothing after it.
func (db *DB) Close() {
	db.mu.Lock()
	db.disconnect()
	db.mu.Unlock()
	db.setState(State{Name: Memory, Reason: ReasonClosed})
}

func (db *DB) disconnect() {
	if db.lock != nil {
		db.lock.release()
		db.lock = nil
	}
	if db.conn != nil {
		// An error here means that the browser has closed it already.
		_ = db.conn.Close()
		db.conn = nil
	}
	db.read, db.pending = nil, nil
}

// open connects, reads, checks and takes hold. The caller holds mu, or is alone.
func (db *DB) open(steal bool) State {
	conn, raw, state := connect()
	if state.Name != Saved {
		return state
	}
	db.conn, db.raw = conn, raw
	db.watchClose(raw)
	held, free := db.takeLock(steal)
	db.lock = held
	stored, err := readAll(raw)
	if err != nil {
		return State{Name: Memory, Reason: ReasonBlocked, Detail: err.Error()}
	}
	db.read = stored.stores
	mark, fresh, reason, detail := stored.check()
	if reason != "" {
		return State{Name: Memory, Reason: reason, Detail: detail}
	}
	if !free {
		return State{Name: ForeignTab, Reason: ReasonOtherTab, Detail: "the cluster is held by a tab opened at " + mark.Opened}
	}
	db.ledger, db.mark, db.last, db.fresh = stored.ledger, mark, stored.commit, fresh
	// The first transaction writes only the marks: from here on the earlier holder's are refused.
	return db.store(nil)
}

// connect opens the database.
func connect() (*idb.Database, js.Value, State) {
	none := js.Null()
	indexedDB, err := get(js.Global(), "indexedDB")
	if err != nil {
		return nil, none, State{Name: Memory, Reason: ReasonBlocked, Detail: err.Error()}
	}
	if !indexedDB.Truthy() {
		return nil, none, State{Name: Memory, Reason: ReasonUnavailable, Detail: "this browser offers no IndexedDB here"}
	}
	factory, err := idb.WrapFactory(indexedDB)
	if err != nil {
		return nil, none, State{Name: Memory, Reason: ReasonBlocked, Detail: err.Error()}
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerIn)
	defer cancel()
	request, err := factory.Open(ctx, databaseName, databaseVersion, createStores)
	if err != nil {
		return nil, none, openFailed(err)
	}
	conn, err := request.Await(ctx)
	// An Await whose context has ended returns no error of its own.
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("the browser did not open the database in %v", answerIn)
	}
	if err != nil {
		return nil, none, openFailed(err)
	}
	raw, err := request.Request.Result()
	if err != nil {
		return nil, none, openFailed(err)
	}
	if missing := missingStores(conn); missing != "" {
		_ = conn.Close()
		return nil, none, State{Name: Memory, Reason: ReasonCorrupted, Detail: missing}
	}
	return conn, raw, State{Name: Saved}
}

func openFailed(err error) State {
	reason := ReasonBlocked
	switch {
	case errors.Is(err, idb.NewDOMException("VersionError")):
		reason = ReasonNewerFormat
	case errors.Is(err, idb.NewDOMException("QuotaExceededError")):
		reason = ReasonQuota
	}
	return State{Name: Memory, Reason: reason, Detail: err.Error()}
}

// createStores makes the object stores of a new database. An error returned from an upgrader ends the
// whole program, so it returns none: what is missing afterwards is noticed by missingStores.
func createStores(conn *idb.Database, _, _ uint) error {
	for _, name := range Stores() {
		if _, err := conn.CreateObjectStore(name, idb.ObjectStoreOptions{}); err != nil {
			fmt.Println("storage: creating", name+":", err)
		}
	}
	return nil
}

func missingStores(conn *idb.Database) string {
	names, err := conn.ObjectStoreNames()
	if err != nil {
		return err.Error()
	}
	for _, name := range Stores() {
		if !slices.Contains(names, name) {
			return "the store " + name + " is missing"
		}
	}
	return ""
}

func deleteDatabase() error {
	indexedDB, err := get(js.Global(), "indexedDB")
	if err != nil || !indexedDB.Truthy() {
		return errors.Join(err, errors.New("this browser offers no IndexedDB here"))
	}
	factory, err := idb.WrapFactory(indexedDB)
	if err != nil {
		return err
	}
	request, err := factory.DeleteDatabase(databaseName)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerIn)
	defer cancel()
	if err := request.Await(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errors.New("another tab holds the database open; close it and try again")
	}
	return nil
}

// watchClose notices that the browser closes the connection: by force (site data cleared, disk gone), or
// since another tab deletes the database, for which go-indexeddb closes it without a word.
func (db *DB) watchClose(raw js.Value) {
	// Never released: it may be called as long as the connection lives, and there are few connections.
	closed := js.FuncOf(func(js.Value, []js.Value) any {
		go db.lost(raw)
		return nil
	})
	raw.Call("addEventListener", "close", closed)
	raw.Call("addEventListener", "versionchange", closed)
}

func (db *DB) lost(raw js.Value) {
	db.mu.Lock()
	current := db.conn != nil && db.raw.Equal(raw)
	db.mu.Unlock()
	if current {
		db.setState(State{Name: Memory, Reason: ReasonClosed, Detail: "the browser closed the database; site data may have been cleared"})
	}
}

// get reads a property whose getter may throw, as indexedDB's does in some sandboxed frames. A plain
// Value.Get would let the exception end the program.
func get(from js.Value, name string) (js.Value, error) {
	return call(js.Global().Get("Reflect"), "get", from, name)
}

func randomID() string {
	bytes := js.Global().Get("Uint8Array").New(8)
	js.Global().Get("crypto").Call("getRandomValues", bytes)
	id := ""
	for i := range 8 {
		id += fmt.Sprintf("%02x", bytes.Index(i).Int())
	}
	return id
}
