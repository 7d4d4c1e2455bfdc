//go:build js && wasm

package storage

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall/js"
	"time"
)

// Load returns the records of one store in the order of their keys. It works whenever the database can be
// read: also for a tab that does not hold the cluster, and for data that is damaged or of a newer format.
func (db *DB) Load(store string) ([]Record, error) {
	if !isStore(store) {
		return nil, fmt.Errorf("storage: no store %q", store)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.read != nil {
		records := db.read[store]
		delete(db.read, store)
		if len(db.read) == 0 {
			db.read = nil
		}
		if records != nil {
			return records, nil
		}
	}
	if db.conn == nil {
		return nil, nil
	}
	stored, err := readAll(db.raw, store)
	if err != nil {
		return nil, fmt.Errorf("storage: load %s: %w", store, err)
	}
	return stored.stores[store], nil
}

// Raw returns everything that is stored, as it is, reserved records included, as one JSON document:
//
//	{"format":"reconcile.raw/v1","exported":"2026-01-02T03:04:05Z","stores":{"meta":[["format","{...}"],...],...}}
//
// It is meant for rescue: it judges nothing.
func (db *DB) Raw() ([]byte, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.conn == nil {
		return nil, errors.New("storage: raw: the database is not open")
	}
	stored, err := readAll(db.raw)
	if err != nil {
		return nil, fmt.Errorf("storage: raw: %w", err)
	}
	stores := map[string][][2]string{}
	for _, name := range Stores() {
		stores[name] = [][2]string{}
		for _, r := range stored.stores[name] {
			stores[name] = append(stores[name], [2]string{r.Key, r.Value})
		}
	}
	for _, mark := range [...][2]string{{formatKey, stored.format}, {commitKey, stored.commit}} {
		if mark[1] != "" {
			stores[Meta] = append(stores[Meta], mark)
		}
	}
	return json.Marshal(map[string]any{
		"format":   "reconcile.raw/v1",
		"exported": time.Now().UTC().Format(time.RFC3339),
		"stores":   stores,
	})
}

// readAll reads the named stores, or all, in one transaction. go-indexeddb reads record by record, which
// takes ten times as long as getAll; so reading goes past it.
func readAll(raw js.Value, names ...string) (*contents, error) {
	if len(names) == 0 {
		names = Stores()
	}
	list := js.Global().Get("Array").New()
	for _, name := range names {
		list.Call("push", name)
	}
	tx, err := call(raw, "transaction", list, "readonly")
	if err != nil {
		return nil, err
	}
	requests := make([][2]js.Value, 0, len(names))
	for _, name := range names {
		store := tx.Call("objectStore", name)
		requests = append(requests, [2]js.Value{store.Call("getAllKeys"), store.Call("getAll")})
	}
	if err := completed(tx); err != nil {
		return nil, err
	}
	stored := newContents()
	for i, name := range names {
		keyArray, valueArray := requests[i][0].Get("result"), requests[i][1].Get("result")
		keys, values := texts(keyArray), texts(valueArray)
		if len(keys) != len(values) {
			// Damaged: slower, and as the browser prints it, but nothing is left out.
			stored.unreadable = name
			keys, values = eachText(keyArray), eachText(valueArray)
		}
		for j, key := range keys {
			stored.add(Record{Store: name, Key: key, Value: values[j]})
		}
	}
	return stored, nil
}

// texts returns the elements of an array as texts. Fetching 10,000 one by one takes a second, so they come
// as one text, cut at a character that no key and no JSON text contains.
func texts(array js.Value) []string {
	if array.Length() == 0 {
		return nil
	}
	return strings.Split(array.Call("join", separator).String(), separator)
}

func eachText(array js.Value) []string {
	all := make([]string, array.Length())
	for i := range all {
		all[i] = js.Global().Get("String").Invoke(array.Index(i)).String()
	}
	return all
}

// completed waits for the end of a transaction. The listeners must be in place before the event loop
// runs, so nothing may wait between the transaction's last request and this.
func completed(tx js.Value) error {
	ended := make(chan error, 1)
	done := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if args[0].Get("type").String() == "complete" {
			ended <- nil
			return nil
		}
		ended <- fmt.Errorf("the transaction was aborted: %s", tx.Get("error").Call("toString").String())
		return nil
	})
	defer done.Release()
	once := map[string]any{"once": true}
	tx.Call("addEventListener", "complete", done, once)
	tx.Call("addEventListener", "abort", done, once)
	return <-ended
}

// call calls a method that may throw.
func call(v js.Value, method string, args ...any) (result js.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			if thrown, ok := r.(js.Error); ok {
				err = thrown
				return
			}
			panic(r)
		}
	}()
	return v.Call(method, args...), nil
}

// Estimate returns how many bytes the origin uses and may use, as the browser estimates them; 0 where it
// does not say.
func Estimate() (used, quota int64) {
	navigator := js.Global().Get("navigator")
	if !navigator.Truthy() || !navigator.Get("storage").Truthy() || !navigator.Get("storage").Get("estimate").Truthy() {
		return 0, 0
	}
	ended := make(chan js.Value, 1)
	settled := js.FuncOf(func(_ js.Value, args []js.Value) any {
		ended <- args[0]
		return nil
	})
	defer settled.Release()
	navigator.Get("storage").Call("estimate").Call("then", settled, settled)
	estimate := <-ended
	number := func(name string) int64 {
		if v := estimate.Get(name); v.Type() == js.TypeNumber {
			return int64(v.Float())
		}
		return 0
	}
	return number("usage"), number("quota")
}
