package tool

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/tree"
)

// errno is an error with libc's text that is also one of io/fs's.
type errno struct {
	text string
	is   error
}

func (e *errno) Error() string        { return e.text }
func (e *errno) Is(target error) bool { return e.is != nil && target == e.is }

var (
	errNotExist = &errno{"no such file or directory", fs.ErrNotExist}
	errExist    = &errno{"file exists", fs.ErrExist}
	errNotDir   = &errno{"not a directory", nil}
	errIsDir    = &errno{"is a directory", nil}
	errNotEmpty = &errno{"directory not empty", nil}
	errInvalid  = &errno{"invalid argument", fs.ErrInvalid}
	errBad      = &errno{"bad file descriptor", nil}
	errBusy     = &errno{"device or resource busy", nil}
	errClosed   = &errno{"file already closed", fs.ErrClosed}
)

// ErrFull is what a write fails with that would make the files of a tree larger
// than MaxBytes together.
var ErrFull = errors.New("no space left on device (the files of a script may hold 64 MiB)")

// MaxBytes is how much the files of a tree hold at most.
const MaxBytes = 64 << 20

// MaxFiles is how many files and directories a tree has at most.
const MaxFiles = 100_000

// node is a file or a directory. It is changed in place only by the tree that
// made it, since its last snapshot.
type node struct {
	mode  fs.FileMode
	mtime time.Time
	data  []byte
	owner *owner
}

// owner marks the nodes that a tree may change in place: those made since its
// last snapshot.
type owner struct{ _ byte }

// Tree is a file tree in memory. It has no links, and one user, root. /dev/null
// is always there. A Tree is not safe for concurrent use.
type Tree struct {
	nodes *tree.Map[*node]
	bytes int
	now   func() time.Time
	owner *owner
}

var _ Files = (*Tree)(nil)

// NewFiles returns a tree that has / and /tmp; now tells the time of changes.
func NewFiles(now func() time.Time) *Tree {
	t := &Tree{nodes: &tree.Map[*node]{}, now: now, owner: &owner{}}
	t.put("/", fs.ModeDir|0o755)
	t.put("/tmp", fs.ModeDir|fs.ModeSticky|0o777)
	return t
}

// state is what Snapshot returns.
type state struct {
	nodes *tree.Map[*node]
	bytes int
}

// Snapshot returns the tree as it is now, as a value that never changes. It takes
// constant time: what is written later is copied first.
func (t *Tree) Snapshot() any {
	t.owner = &owner{}
	return &state{t.nodes.Copy(), t.bytes}
}

// Restore returns a tree with what a snapshot holds; the snapshot stays as it is.
func Restore(snapshot any, now func() time.Time) *Tree {
	s := snapshot.(*state)
	return &Tree{nodes: s.nodes.Copy(), bytes: s.bytes, now: now, owner: &owner{}}
}

// Bytes is how much the files hold together.
func (t *Tree) Bytes() int { return t.bytes }

// Walk visits every file and directory in the order of their names. data is nil
// for a directory and must not be changed.
func (t *Tree) Walk(visit func(name string, mode fs.FileMode, data []byte)) {
	t.nodes.Scan(func(name string, n *node) bool {
		visit(name, n.mode, n.data)
		return true
	})
}

func (t *Tree) put(name string, mode fs.FileMode) *node {
	n := &node{mode: mode, mtime: t.now(), owner: t.owner}
	t.nodes.Set(name, n)
	return n
}

// own returns the node of a name ready to be changed in place.
func (t *Tree) own(name string, n *node) *node {
	if n.owner == t.owner {
		return n
	}
	copied := *n
	copied.owner = t.owner
	copied.data = slices.Clip(n.data)
	if there, ok := t.nodes.Get(name); ok && there == n {
		t.nodes.Set(name, &copied)
	}
	return &copied
}

// find returns a node, or says which part of its path is not there.
func (t *Tree) find(name string) (*node, error) {
	if n, ok := t.nodes.Get(name); ok {
		return n, nil
	}
	return nil, t.missing(name)
}

func (t *Tree) missing(name string) error {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if n, ok := t.nodes.Get(dir); ok {
			if !n.mode.IsDir() {
				return errNotDir
			}
			return errNotExist
		}
	}
}

// room checks that a name may be made: its directory is there.
func (t *Tree) room(name string) error {
	dir, ok := t.nodes.Get(path.Dir(name))
	switch {
	case !ok:
		return t.missing(name)
	case !dir.mode.IsDir():
		return errNotDir
	case t.nodes.Len() >= MaxFiles:
		return ErrFull
	}
	return nil
}

// touched notes that a directory has another entry, or one less.
func (t *Tree) touched(name string) {
	dir := path.Dir(name)
	if n, ok := t.nodes.Get(dir); ok {
		t.own(dir, n).mtime = t.now()
	}
}

func fail(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// Open opens a file. Directories open for reading alone.
func (t *Tree) Open(name string, flag int, perm fs.FileMode) (File, error) {
	if name == nullDevice {
		return null{t.now()}, nil
	}
	n, ok := t.nodes.Get(name)
	writes := flag&(WriteOnly|ReadWrite) != 0
	switch {
	case ok && flag&Create != 0 && flag&Exclusive != 0:
		return nil, fail("open", name, errExist)
	case ok && n.mode.IsDir() && (writes || flag&Create != 0):
		return nil, fail("open", name, errIsDir)
	case !ok && flag&Create == 0:
		return nil, fail("open", name, t.missing(name))
	case !ok:
		if err := t.room(name); err != nil {
			return nil, fail("open", name, err)
		}
		n = t.put(name, perm.Perm())
		t.touched(name)
	case writes && flag&Truncate != 0:
		n = t.own(name, n)
		t.bytes -= len(n.data)
		n.data, n.mtime = nil, t.now()
	}
	return &handle{tree: t, name: name, node: n, flag: flag}, nil
}

// Stat describes a file.
func (t *Tree) Stat(name string) (fs.FileInfo, error) {
	if name == nullDevice {
		return null{t.now()}.Stat()
	}
	n, err := t.find(name)
	if err != nil {
		return nil, fail("stat", name, err)
	}
	return n.info(name), nil
}

// ReadDir lists a directory by name, sorted.
func (t *Tree) ReadDir(name string) ([]fs.FileInfo, error) {
	n, err := t.find(name)
	if err == nil && !n.mode.IsDir() {
		err = errNotDir
	}
	if err != nil {
		return nil, fail("open", name, err)
	}
	var list []fs.FileInfo
	prefix := strings.TrimSuffix(name, "/") + "/"
	t.nodes.Ascend(prefix, func(key string, n *node) bool {
		rest, inside := strings.CutPrefix(key, prefix)
		if inside && rest != "" && !strings.Contains(rest, "/") {
			list = append(list, n.info(key))
		}
		return inside
	})
	slices.SortFunc(list, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

// Mkdir makes a directory in one that is there.
func (t *Tree) Mkdir(name string, perm fs.FileMode) error {
	if _, ok := t.nodes.Get(name); ok {
		return fail("mkdir", name, errExist)
	}
	if err := t.room(name); err != nil {
		return fail("mkdir", name, err)
	}
	t.put(name, fs.ModeDir|perm&(fs.ModePerm|fs.ModeSticky))
	t.touched(name)
	return nil
}

// MkdirAll makes a directory and those above it.
func (t *Tree) MkdirAll(name string, perm fs.FileMode) error {
	if n, ok := t.nodes.Get(name); ok {
		if n.mode.IsDir() {
			return nil
		}
		return fail("mkdir", name, errNotDir)
	}
	if err := t.MkdirAll(path.Dir(name), perm); err != nil {
		return err
	}
	return t.Mkdir(name, perm)
}

// Remove takes away a file or an empty directory.
func (t *Tree) Remove(name string) error {
	n, err := t.find(name)
	switch {
	case err != nil:
		return fail("remove", name, err)
	case name == "/":
		return fail("remove", name, errBusy)
	case n.mode.IsDir() && t.hasEntries(name):
		return fail("remove", name, errNotEmpty)
	}
	t.nodes.Delete(name)
	t.bytes -= len(n.data)
	t.touched(name)
	return nil
}

func (t *Tree) hasEntries(name string) bool {
	found := false
	prefix := strings.TrimSuffix(name, "/") + "/"
	t.nodes.Ascend(prefix, func(key string, _ *node) bool {
		found = strings.HasPrefix(key, prefix) && key != prefix
		return false
	})
	return found
}

// Rename moves a file or a directory, in place of what has that name.
func (t *Tree) Rename(from, to string) error {
	n, err := t.find(from)
	if err != nil {
		return fail("rename", from, err)
	}
	if from == to {
		return nil
	}
	if strings.HasPrefix(to, strings.TrimSuffix(from, "/")+"/") {
		return fail("rename", from, errInvalid)
	}
	if there, ok := t.nodes.Get(to); ok {
		switch {
		case there.mode.IsDir() && !n.mode.IsDir():
			return fail("rename", from, errIsDir)
		case !there.mode.IsDir() && n.mode.IsDir():
			return fail("rename", from, errNotDir)
		case there.mode.IsDir() && t.hasEntries(to):
			return fail("rename", from, errNotEmpty)
		}
		t.nodes.Delete(to)
		t.bytes -= len(there.data)
	} else if err := t.room(to); err != nil {
		return fail("rename", from, err)
	}
	t.move(from, to)
	t.touched(from)
	t.touched(to)
	return nil
}

func (t *Tree) move(from, to string) {
	var names []string
	t.nodes.Ascend(from, func(key string, _ *node) bool {
		if key == from || strings.HasPrefix(key, from+"/") {
			names = append(names, key)
		}
		return strings.HasPrefix(key, from)
	})
	for _, name := range names {
		n, _ := t.nodes.Delete(name)
		t.nodes.Set(to+strings.TrimPrefix(name, from), n)
	}
}

// Chmod sets the permission bits.
func (t *Tree) Chmod(name string, mode fs.FileMode) error {
	n, err := t.find(name)
	if err != nil {
		return fail("chmod", name, err)
	}
	const bits = fs.ModePerm | fs.ModeSticky | fs.ModeSetuid | fs.ModeSetgid
	n = t.own(name, n)
	n.mode = n.mode&^bits | mode&bits
	return nil
}

// Chtimes sets the time of the last change.
func (t *Tree) Chtimes(name string, mtime time.Time) error {
	n, err := t.find(name)
	if err != nil {
		return fail("chtimes", name, err)
	}
	t.own(name, n).mtime = mtime
	return nil
}

// ReadFile returns what a file holds. The bytes must not be changed.
func (t *Tree) ReadFile(name string) ([]byte, error) {
	if name == nullDevice {
		return nil, nil
	}
	n, err := t.find(name)
	if err == nil && n.mode.IsDir() {
		err = errIsDir
	}
	if err != nil {
		return nil, fail("open", name, err)
	}
	return slices.Clip(n.data), nil
}

// WriteFile makes a file hold data, which is copied.
func (t *Tree) WriteFile(name string, data []byte, perm fs.FileMode) error {
	f, err := t.Open(name, WriteOnly|Create|Truncate, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// info describes a node.
func (n *node) info(name string) fs.FileInfo {
	return info{path.Base(name), int64(len(n.data)), n.mode, n.mtime}
}

type info struct {
	name  string
	size  int64
	mode  fs.FileMode
	mtime time.Time
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.mtime }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
