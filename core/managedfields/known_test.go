package managedfields

import (
	"fmt"
	"testing"

	"github.com/reconcile-playground/reconcile/core/object"
)

// wide is a Thing with n fields of its own, whose names begin with what is given.
func wide(t *testing.T, names string, n int) object.Object {
	o := thingOf(t, "")
	for i := range n {
		o = o.Set("v", "spec", "labels", fmt.Sprintf("%s-%d", names, i))
	}
	return o
}

func TestWhatIsKnownIsBounded(t *testing.T) {
	const now = "2026-01-01T00:00:00Z"
	for _, c := range []struct {
		name           string
		objects, width int
		kept           bool
	}{
		{"small", 3, 4, true}, {"large", 20, 2000, false}, {"many", 2000, 20, true},
	} {
		f := thingManager(t, "")
		k := f.known
		for i := range c.objects {
			o := f.Update(object.Object{}, wide(t, fmt.Sprintf("%s-%d", c.name, i), c.width), "one", now).Set("u", "metadata", "uid")
			f.Update(o, o.Set("x", "spec", "text"), "two", now)
			if own := o.List("metadata", "managedFields"); own.Len() != 1 {
				t.Fatalf("%s: entries %v", c.name, own)
			}
		}
		long := 0
		for text := range k.shapes {
			long += len(text)
		}
		if long != k.long || long > maxTexts || cap(k.text) > 4*maxText {
			t.Errorf("%s: texts of %d bytes are kept, counted as %d; room for the next is %d", c.name, long, k.long, cap(k.text))
		}
		fields := 0
		for change, list := range k.changes {
			fields += 2*maxFields - fewer(change.list, maxFields) - fewer(list, maxFields)
		}
		if fields > len(k.changes)*maxFields || len(k.changes) > maxKnown {
			t.Errorf("%s: %d changes are kept, with %d fields", c.name, len(k.changes), fields)
		}
		if kept := len(k.shapes) > 0 && len(k.changes) > 0; kept != c.kept {
			t.Errorf("%s: %d shapes and %d changes are kept", c.name, len(k.shapes), len(k.changes))
		}
	}
}
