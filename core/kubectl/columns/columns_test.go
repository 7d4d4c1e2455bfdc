package columns

import (
	"strings"
	"testing"
	"text/tabwriter"

	"pgregory.net/rapid"
)

func TestTableRemembers(t *testing.T) {
	var b strings.Builder
	w := Table(&b)
	w.WriteString("NAME\tAGE\na\t1s\n")
	w.Flush()
	w.WriteString("much-longer\t2s\n")
	w.Flush()
	w.WriteString("b\t3s\n")
	w.Flush()
	w.Forget()
	w.WriteString("c\t4s\n")
	w.Flush()
	want := "NAME   AGE\na      1s\nmuch-longer   2s\nb             3s\nc     4s\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPlainIsTabwriter: without memory it is the standard library's.
func TestPlainIsTabwriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("aé \t\t\n\n")), 0, 60, -1).Draw(t, "text")
		var got, want strings.Builder
		w := Plain(&got)
		w.WriteString(text)
		w.Flush()
		std := tabwriter.NewWriter(&want, 0, 8, 2, ' ', 0)
		_, _ = std.Write([]byte(text))
		std.Flush()
		if got.String() != want.String() {
			t.Fatalf("%q: got %q, want %q", text, got.String(), want.String())
		}
	})
}

func TestEscape(t *testing.T) {
	if got := Escape("a\x1b[31m\r"); got != `a^[[31m\r` {
		t.Errorf("%q", got)
	}
}
