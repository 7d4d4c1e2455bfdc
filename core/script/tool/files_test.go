package tool

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"
)

func newTree() *Tree {
	return NewFiles(func() time.Time { return time.Unix(0, 0).UTC() })
}

func content(t *testing.T, f Files, name string) string {
	t.Helper()
	b, err := f.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What a snapshot holds stays, whatever is written later: to the tree, to trees
// restored from it, by appending, by overwriting, through handles opened before.
func TestSnapshotsStay(t *testing.T) {
	a := newTree()
	must(t, a.WriteFile("/f", []byte("one"), 0o644))
	open, err := a.Open("/f", ReadWrite|Append, 0)
	must(t, err)
	snapshot := a.Snapshot()
	_, err = io.WriteString(open, "+a")
	must(t, err)
	b, c := Restore(snapshot, a.now), Restore(snapshot, a.now)
	for _, w := range []struct {
		tree *Tree
		flag int
		text string
	}{{b, WriteOnly | Append, "+b"}, {c, WriteOnly, "C"}, {c, WriteOnly, "D"}} {
		h, err := w.tree.Open("/f", w.flag, 0)
		must(t, err)
		_, err = io.WriteString(h, w.text)
		must(t, err)
	}
	must(t, b.Remove("/tmp"))
	for _, tc := range []struct {
		tree *Tree
		want string
	}{{a, "one+a"}, {b, "one+b"}, {c, "Dne"}, {Restore(snapshot, a.now), "one"}} {
		if got := content(t, tc.tree, "/f"); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
	if _, err := c.Stat("/tmp"); err != nil {
		t.Error("a directory removed in one tree is gone in another")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFileErrors(t *testing.T) {
	f := newTree()
	must(t, f.WriteFile("/file", []byte("x"), 0o644))
	must(t, f.Mkdir("/d", 0o755))
	must(t, f.WriteFile("/d/e", nil, 0o644))
	open := func(name string, flag int) error {
		_, err := f.Open(name, flag, 0o644)
		return err
	}
	for _, tc := range []struct {
		err  error
		want string
		is   error
	}{
		{open("/no", ReadOnly), "open /no: no such file or directory", fs.ErrNotExist},
		{open("/no/no", WriteOnly|Create), "open /no/no: no such file or directory", fs.ErrNotExist},
		{open("/file/x", ReadOnly), "open /file/x: not a directory", nil},
		{open("/d", WriteOnly), "open /d: is a directory", nil},
		{open("/file", WriteOnly|Create|Exclusive), "open /file: file exists", fs.ErrExist},
		{f.Remove("/d"), "remove /d: directory not empty", nil},
		{f.Rename("/d", "/d/x"), "rename /d: invalid argument", nil},
		{f.Rename("/file", "/d"), "rename /file: is a directory", nil},
		{f.Mkdir("/file", 0), "mkdir /file: file exists", fs.ErrExist},
		{f.MkdirAll("/file/a/b", 0), "mkdir /file: not a directory", nil},
	} {
		if tc.err == nil || tc.err.Error() != tc.want || tc.is != nil && !errors.Is(tc.err, tc.is) {
			t.Errorf("got %v, want %s", tc.err, tc.want)
		}
	}
}

// A tree refuses what would make it larger than it may be, and counts what is
// taken away.
func TestFilesAreBounded(t *testing.T) {
	f := newTree()
	big := make([]byte, MaxBytes-10)
	must(t, f.WriteFile("/big", big, 0o644))
	if err := f.WriteFile("/more", make([]byte, 11), 0o644); !errors.Is(err, ErrFull) {
		t.Errorf("one byte too many: %v", err)
	}
	must(t, f.WriteFile("/big", nil, 0o644))
	must(t, f.WriteFile("/big2", big, 0o644))
	must(t, f.Remove("/big2"))
	if f.Bytes() != 0 {
		t.Errorf("%d bytes left", f.Bytes())
	}
}

func TestRenameMovesWhatIsBelow(t *testing.T) {
	f := newTree()
	must(t, f.MkdirAll("/a/b", 0o755))
	must(t, f.WriteFile("/a/b/c", []byte("deep"), 0o644))
	must(t, f.WriteFile("/ab", []byte("beside"), 0o644))
	must(t, f.Rename("/a", "/z"))
	if content(t, f, "/z/b/c") != "deep" || content(t, f, "/ab") != "beside" {
		t.Error("what was below or beside did not stay whole")
	}
	list, err := f.ReadDir("/")
	must(t, err)
	var names []string
	for _, i := range list {
		names = append(names, i.Name())
	}
	if got := strings.Join(names, " "); got != "ab tmp z" {
		t.Errorf("got %s", got)
	}
}
