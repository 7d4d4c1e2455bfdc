package apiserver

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// wrongValue is a value that does not fit, by its path.
type wrongValue struct {
	path string
	err  error
	// ends is set where a type decodes its JSON itself: nothing after it is read.
	ends bool
}

// wrongValues are what of a text does not fit, in the order of its fields' names.
type wrongValues []wrongValue

// Error is that of the one that encoding/json tells of.
func (w wrongValues) Error() string {
	first := w[0]
	for _, x := range w {
		if x.ends {
			first = x
			break
		}
	}
	return first.err.Error()
}

// inOrder sorts what does not fit by where it stands in a text.
func (w wrongValues) inOrder(text []byte) wrongValues {
	paths := object.FieldPaths(text)
	at := func(x wrongValue) int {
		for strings.HasSuffix(x.path, "]") {
			// An item stands where its list does.
			x.path = x.path[:strings.LastIndex(x.path, "[")]
		}
		return slices.Index(paths, x.path)
	}
	slices.SortStableFunc(w, func(a, b wrongValue) int { return at(a) - at(b) })
	return w
}
