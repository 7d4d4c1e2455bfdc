package object

import (
	"fmt"
	"strings"
	"testing"
)

// Equal trees of owners are one, whatever was read in between; others are not
// taken for them.
func TestOwnersAreShared(t *testing.T) {
	text := func(name, field string) string {
		return fmt.Sprintf(`{"metadata":{"managedFields": [{"fieldsV1":{"f:spec":{"f:%s":{}}},"manager":"m"}],"name":%q}}`, field, name)
	}
	read := func(text string) Object {
		o, err := DecodeObject([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(EncodeJSON(o.Root())); got != strings.ReplaceAll(text, `: [`, `:[`) {
			t.Fatalf("%s is read as %s", text, got)
		}
		return o
	}
	first := read(text("a", "x"))
	for i := range 5 {
		read(text("b", fmt.Sprint("y", i)))
	}
	again, other := read(text("c", "x")), read(text("d", "xx"))
	if again.List("metadata", "managedFields") != first.List("metadata", "managedFields") {
		t.Error("equal owners are two trees")
	}
	if other.List("metadata", "managedFields").At(0).(*Map) == first.List("metadata", "managedFields").At(0).(*Map) {
		t.Error("other owners are the same tree")
	}
	for _, broken := range []string{
		strings.Replace(text("a", "x"), `}],`, `}]`, 1), strings.Replace(text("a", "x"), `{}}}`, `{}}`, 1),
	} {
		if o, err := DecodeObject([]byte(broken)); err == nil {
			t.Errorf("%s is read as %s", broken, EncodeJSON(o.Root()))
		}
	}
}
