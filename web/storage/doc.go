// Package storage keeps the cluster in the browser's IndexedDB, through go-indexeddb. It lives in the
// Web Worker, beside the engine.
//
// # Contract
//
// One [DB.Commit] is one transaction: all of its records are stored or none. It returns nil once the
// transaction has completed, asked for with strict durability; what was acknowledged so is there after the
// page, the browser or the machine has been killed.
//
// [Open] never fails. A DB that cannot store says why in its [State] and goes on in memory: the caller
// runs the same way in every state. Nothing that was stored is ever deleted or overwritten because it
// could not be read: data that is damaged, or of a newer format, stays as it is, can be exported with
// [DB.Raw], and goes only with [DB.Reset].
//
// # What is stored
//
// Database "reconcile", version 1, one object store per name in [Stores], out-of-line string keys, values
// that are JSON text. Two keys of the store "meta" belong to this package and are hidden from Load:
//
//	format  {"version":1}
//	commit  {"n":12,"holder":"5f3a...","opened":"2026-01-02T03:04:05Z","count":345,"sum":"9c41..."}
//
// Every transaction replaces commit: n is one more than before, count the number of records and sum the
// exclusive or of a hash of each. Opening compares them with what is there, so a record that was lost,
// changed or left over is noticed, whatever happened to the files below. The hash guards against
// accidents, not against forgery.
//
// # Two tabs
//
// One tab at a time holds the cluster. Every transaction first reads commit and aborts where it is not the
// one that this DB wrote last: a tab that has been taken over cannot overwrite anything, however late its
// transaction comes. On top of that a Web Lock, where the browser has them (pages served over https or
// from localhost), tells at once whether another tab holds the cluster and that this one was taken over.
// Without Web Locks the tab that was opened last holds it.
package storage
