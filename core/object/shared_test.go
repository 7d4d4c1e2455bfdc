package object

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"
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

// TestWithin: what is long in a tree lies in the text that the tree is printed as, where it stands there as it is, and
// the tree is as it was.
func TestWithin(t *testing.T) {
	long := func(c string) string { return strings.Repeat(c, longText) }
	m := FromAny(map[string]any{
		"a": long("x"), "b": "short", "c": []any{long("y"), map[string]any{"d": long("z")}}, "e": long("\n"), "f": long("x"),
	}).(*Map)
	text := string(EncodeJSON(m))
	in := Within(text, m)
	if !Equal(in, m) || string(EncodeJSON(in)) != text {
		t.Fatalf("%s became %s", text, EncodeJSON(in))
	}
	from := uintptr(unsafe.Pointer(unsafe.StringData(text)))
	lies := func(v any) bool {
		at := uintptr(unsafe.Pointer(unsafe.StringData(v.(string))))
		return at >= from && at < from+uintptr(len(text))
	}
	list, _ := in.Get("c")
	inner := list.(*List).At(1).(*Map)
	for name, v := range map[string]any{"a": in.fields[0].Value, "the item": list.(*List).At(0), "d": inner.fields[0].Value, "f": in.fields[4].Value} {
		if !lies(v) {
			t.Errorf("%s is there twice", name)
		}
	}
	if lies(in.fields[1].Value) || lies(in.fields[3].Value) {
		t.Error("what is short or stands there in another way is part of the text")
	}
	if lies(m.fields[0].Value) {
		t.Error("the tree that was given has changed")
	}
}
