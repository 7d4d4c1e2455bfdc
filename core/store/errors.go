package store

import (
	"fmt"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Code says what kind an Error is, numbered as storage.ErrCode*.
type Code int

// The codes.
const (
	KeyNotFound Code = iota + 1
	KeyExists
	ResourceVersionConflict
	InvalidObject
	ResourceVersionSet
	Compacted
	Future
)

// Error is a refused read or write. Models storage.StorageError and the errors
// beside it.
type Error struct {
	Code Code
	Key  string
	// Message goes with InvalidObject.
	Message string
	// Revision is what was asked for, and Current the bound it broke, with
	// Compacted and Future.
	Revision, Current int64
}

// Error prints as the real store does; the API server passes the text of an
// InvalidObject on to clients.
func (e *Error) Error() string {
	name := ""
	switch e.Code {
	case KeyNotFound:
		name = "key not found"
	case KeyExists:
		name = "key exists"
	case ResourceVersionConflict:
		name = "resource version conflicts"
	case InvalidObject:
		name = "invalid object"
	case ResourceVersionSet:
		return "resourceVersion should not be set on objects to be created"
	case Compacted:
		return fmt.Sprintf("too old resource version: %d (%d)", e.Revision, e.Current)
	case Future:
		return fmt.Sprintf("Too large resource version: %d, current: %d", e.Revision, e.Current)
	}
	return fmt.Sprintf("StorageError: %s, Code: %d, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: %s", name, int(e.Code), e.Key, e.Message)
}

// Preconditions must hold of the stored object before a write. Empty fields
// ask nothing.
type Preconditions struct {
	UID             string
	ResourceVersion string
}

// Check returns an error of code InvalidObject where o breaks the
// preconditions.
func (p Preconditions) Check(key string, o object.Object) error {
	if p.UID != "" && p.UID != o.UID() {
		return &Error{Code: InvalidObject, Key: key,
			Message: fmt.Sprintf("Precondition failed: UID in precondition: %s, UID in object meta: %s", p.UID, o.UID())}
	}
	if p.ResourceVersion != "" && p.ResourceVersion != o.ResourceVersion() {
		return &Error{Code: InvalidObject, Key: key,
			Message: fmt.Sprintf("Precondition failed: ResourceVersion in precondition: %s, ResourceVersion in object meta: %s", p.ResourceVersion, o.ResourceVersion())}
	}
	return nil
}
