package script

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/digest"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/script/shell"
	"github.com/reconcile-playground/reconcile/core/script/tool"
)

// maxCalls is how many calls of the API and the cloud a pass may make.
const maxCalls = 1_000

// session is one run over a wire: its files, and its calls.
type session struct {
	wire  reconcile.Wire
	tree  *tool.Tree
	files *tracked
	calls int
	// start is what the process remembered at the start; nil in a fresh one.
	start *memory
	// fresh are the files of a process that just started; ages says that their times
	// may matter.
	fresh any
	ages  bool
}

// memory is what a process remembers between passes: its files. It is immutable.
type memory struct {
	snapshot any
	sum      [16]byte
}

// Sum is a fingerprint of the files.
func (m *memory) Sum() ([16]byte, bool) { return m.sum, true }

// Part tells apart what the files are in one respect, as tracked names it.
func (m *memory) Part(name string) string {
	t := tool.Restore(m.snapshot, func() time.Time { return epoch })
	how, file, _ := strings.Cut(name, " ")
	info, err := t.Stat(file)
	if err != nil {
		return "no"
	}
	out := info.Mode().String()
	switch {
	case how == has && !info.IsDir():
		data, _ := t.ReadFile(file)
		sum := digest.SHA256(data)
		out += string(sum[:])
	case how == lists:
		all, _ := t.ReadDir(file)
		for _, f := range all {
			out += "\n" + f.Name() + " " + f.Mode().String() + strconv.FormatInt(f.Size(), 10)
		}
	case how == everything:
		out += string(m.sum[:])
	}
	return out
}

// clean is path.Clean.
func clean(name string) string { return path.Clean(name) }

func newSession(w reconcile.Wire, start any, ages bool) *session {
	s := &session{wire: w, fresh: start, ages: ages}
	now := w.Now
	if !ages {
		now = func() time.Time { return epoch }
	}
	if m, ok := w.Memory().(*memory); ok {
		s.start = m
		s.tree = tool.Restore(m.snapshot, now)
	} else {
		s.tree = tool.Restore(start, now)
	}
	s.files = &tracked{Files: s.tree, made: map[string]bool{}}
	s.files.wire, _ = w.(reconcile.Attentive)
	return s
}

// agesMatter finds what may look at the times of files. A script without it has
// files of one time, so that its passes do not depend on the clock.
var agesMatter = regexp.MustCompile(`\b(stat|find|ls|touch)\b|-nt|-ot|\bdate\b[^\n|;&]*\s(-\w*r|--ref)|\b(cp|mv)\b[^\n|;&]*\s(-\w*u|--up)`)

// fresh makes the files of a process that just started: the folders, and the
// script, where there is one.
func fresh(text string) any {
	made := tool.NewFiles(func() time.Time { return epoch })
	for _, dir := range []string{home, "/root/op", folder, "/usr", "/usr/bin", "/etc", "/var", "/var/tmp"} {
		_ = made.Mkdir(dir, 0o755)
	}
	if text != "" {
		_ = made.WriteFile(folder+"/"+scriptName, []byte(text), 0o755)
	}
	return made.Snapshot()
}

// config is a shell's configuration with all but its streams and arguments.
func (s *session) config(name string) shell.Config {
	var random *rand.Rand
	draw := func() uint64 {
		if random == nil {
			random = rand.New(rand.NewPCG(s.wire.Seed(), 0x9e3779b97f4a7c15))
		}
		return random.Uint64()
	}
	c := shell.Config{
		Name: name, Dir: folder, Files: s.files, Now: s.wire.Now, Sleep: s.wire.Sleep, Rand: draw, Program: s.program,
	}
	if w, ok := s.wire.(reconcile.Interruptible); ok {
		c.Await, c.Over = w.Await, w.Interrupted
	}
	return c
}

// over reports whether somebody has interrupted the session.
func (s *session) over() bool {
	w, ok := s.wire.(reconcile.Interruptible)
	return ok && w.Interrupted()
}

// program finds what stands on the PATH.
func (s *session) program(name string) (tool.Program, bool) {
	switch name {
	case "cloud":
		return s.cloud, true
	case "kubectl":
		return s.kubectl, true
	}
	return tool.Lookup(name)
}

// interrupted is the reason of a shell.Stop by interruption.
const interrupted = "interrupt"

// count counts a call, which nobody makes any more once it is interrupted.
func (s *session) count() {
	if s.over() {
		shell.Halt(interrupted, "interrupted")
	}
	if s.calls++; s.calls > maxCalls {
		shell.Halt("budget", "stopped after 1,000 calls to the API server and the cloud: a loop without end?")
	}
}

// client is the wire as kubectl sees it.
type client struct {
	*session
	proc *tool.Proc
}

// Do makes one request.
func (c client) Do(req api.Request) api.Response {
	if req.Verb != api.Discover {
		c.count()
	}
	resp := c.wire.Do(req)
	c.late()
	return resp
}

// Events reads a watch.
func (c client) Events(req api.Request, after int64) ([]api.WatchEvent, error) {
	c.count()
	events, err := c.wire.Events(req, after)
	c.late()
	return events, err
}

// Now is the virtual time.
func (c client) Now() time.Time { return c.wire.Now() }

// Sleep lets virtual time pass, until the deadline of a timeout at most.
func (c client) Sleep(d time.Duration) { c.proc.Sleep(d) }

// Await is Sleep, until there is something to see.
func (c client) Await(d time.Duration) bool {
	c.proc.Await(d)
	return !c.over()
}

// late ends a program whose time is up.
func (c client) late() { _ = c.proc.Step() }

// remember keeps the files for the next pass of the process, where they changed.
// Where another pass has changed files meanwhile, only this one's own changes are
// made to those.
func (s *session) remember() {
	if !s.files.dirty {
		return
	}
	mine := &memory{snapshot: s.tree.Snapshot()}
	mine.sum = sumOf(s.tree)
	start, ages := s.start, s.ages
	s.wire.Remember(func(now any) any {
		current, _ := now.(*memory)
		if current == start || current != nil && start != nil && !ages && current.sum == start.sum {
			return mine
		}
		return merge(start, mine, current, s.fresh)
	})
}

// merge makes the changes between two states of files to a third.
func merge(from, to, onto *memory, start any) any {
	at := func() time.Time { return epoch }
	tree := func(m *memory) *tool.Tree {
		if m == nil {
			return tool.Restore(start, at)
		}
		return tool.Restore(m.snapshot, at)
	}
	old, result := tree(from), tree(onto)
	var names []string
	tree(to).Walk(func(name string, mode fs.FileMode, data []byte) {
		names = append(names, name)
		was, err := old.ReadFile(name)
		_, there := old.Stat(name)
		switch {
		case mode.IsDir() && there != nil:
			_ = result.Mkdir(name, mode.Perm())
		case !mode.IsDir() && (err != nil || !bytes.Equal(was, data)):
			_ = result.WriteFile(name, data, mode.Perm())
		}
	})
	var gone []string
	old.Walk(func(name string, _ fs.FileMode, _ []byte) {
		if _, kept := slices.BinarySearch(names, name); !kept {
			gone = append(gone, name)
		}
	})
	for _, name := range slices.Backward(gone) {
		_ = result.Remove(name)
	}
	return &memory{snapshot: result.Snapshot(), sum: sumOf(result)}
}

// sumOf is a fingerprint of names, modes and contents.
func sumOf(t *tool.Tree) (sum [16]byte) {
	var b []byte
	t.Walk(func(name string, mode fs.FileMode, data []byte) {
		b = append(append(b, name...), 0)
		b = append(b, mode.String()...)
		one := digest.SHA256(data)
		b = append(b, one[:]...)
	})
	all := digest.SHA256(b)
	copy(sum[:], all[:])
	return sum
}

// tracked notes whether files were changed, and what of the files that were there
// before the pass went by.
type tracked struct {
	tool.Files
	dirty bool
	wire  reconcile.Attentive
	// made are the files that this pass has made, changed or removed itself.
	made map[string]bool
}

// The respects in which a pass can go by a file: what stands in it; whether it is
// there, and is a folder; what a folder holds; all files.
const (
	has        = "has"
	is         = "is"
	lists      = "lists"
	everything = "all"
)

// goes notes that the pass goes by a file of before.
func (t *tracked) goes(how, name string) {
	if t.wire != nil && !t.made[name] {
		t.wire.Uses(how + " " + name)
	}
}

// makes notes that the pass makes a file itself: what was there before no longer
// matters, but for whether there was one, and its folder.
func (t *tracked) makes(name string) {
	t.goes(is, path.Dir(name))
	t.goes(is, name)
	t.made[name] = true
}

func (t *tracked) changed(err error) error {
	t.dirty = t.dirty || err == nil
	return err
}

// Open implements tool.Files.
func (t *tracked) Open(name string, flag int, perm fs.FileMode) (tool.File, error) {
	const access = tool.ReadOnly | tool.WriteOnly | tool.ReadWrite
	switch {
	case name == "/dev/null":
	case flag&access == tool.WriteOnly && flag&(tool.Truncate|tool.Exclusive) != 0:
		t.makes(name)
	default:
		t.goes(is, path.Dir(name))
		t.goes(has, name)
	}
	f, err := t.Files.Open(name, flag, perm)
	if flag != tool.ReadOnly && name != "/dev/null" {
		t.dirty = true
	}
	return f, err
}

// Stat implements tool.Files.
func (t *tracked) Stat(name string) (fs.FileInfo, error) {
	t.goes(has, name)
	return t.Files.Stat(name)
}

// ReadDir implements tool.Files.
func (t *tracked) ReadDir(name string) ([]fs.FileInfo, error) {
	if t.wire != nil {
		t.wire.Uses(lists + " " + name)
	}
	return t.Files.ReadDir(name)
}

// ReadFile implements tool.Files.
func (t *tracked) ReadFile(name string) ([]byte, error) {
	t.goes(has, name)
	return t.Files.ReadFile(name)
}

// Mkdir implements tool.Files.
func (t *tracked) Mkdir(name string, perm fs.FileMode) error {
	t.makes(name)
	return t.changed(t.Files.Mkdir(name, perm))
}

// Remove implements tool.Files.
func (t *tracked) Remove(name string) error {
	if info, err := t.Files.Stat(name); err == nil && info.IsDir() && t.wire != nil {
		t.wire.Uses(lists + " " + name)
	}
	t.makes(name)
	return t.changed(t.Files.Remove(name))
}

// Rename implements tool.Files.
func (t *tracked) Rename(from, to string) error {
	if info, err := t.Files.Stat(from); err == nil && info.IsDir() && t.wire != nil {
		t.wire.Uses(everything + " /")
	}
	t.goes(has, from)
	t.makes(from)
	t.makes(to)
	return t.changed(t.Files.Rename(from, to))
}

// Chmod implements tool.Files.
func (t *tracked) Chmod(name string, mode fs.FileMode) error {
	t.goes(has, name)
	return t.changed(t.Files.Chmod(name, mode))
}

// Chtimes implements tool.Files.
func (t *tracked) Chtimes(name string, mtime time.Time) error {
	t.goes(has, name)
	return t.changed(t.Files.Chtimes(name, mtime))
}

// WriteFile implements tool.Files.
func (t *tracked) WriteFile(name string, data []byte, perm fs.FileMode) error {
	t.makes(name)
	return t.changed(t.Files.WriteFile(name, data, perm))
}
