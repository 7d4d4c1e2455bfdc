package shell

import (
	"io"
	"io/fs"
	"strings"

	"github.com/reconcile-playground/reconcile/core/script/tool"
	"mvdan.cc/sh/v3/syntax"
)

// savedFd is a descriptor as it was before a redirection.
type savedFd struct {
	n   int
	old *stream
}

// redirect carries out redirections in order. It reports false, having said so,
// where one fails; what was done before is in saved. Models redir.c.
func (s *sh) redirect(list []*syntax.Redirect) (saved []savedFd, ok bool) {
	for _, r := range list {
		if !s.redirectOne(r, &saved) {
			return saved, false
		}
	}
	return saved, true
}

func (s *sh) undo(saved []savedFd) {
	for i := len(saved) - 1; i >= 0; i-- {
		now := s.fd(saved[i].n)
		s.setFd(saved[i].n, saved[i].old)
		now.release()
	}
}

func (s *sh) redirectOne(r *syntax.Redirect, saved *[]savedFd) bool {
	n := 1
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		n = 0
	}
	if r.N != nil {
		if strings.HasPrefix(r.N.Value, "{") {
			return s.redirectVar(r)
		}
		n, _ = number(r.N.Value)
	}
	if n > 255 {
		s.errorf("%d: Bad file descriptor", n)
		return false
	}
	put := func(n int, f *stream) {
		*saved = append(*saved, savedFd{n, s.fd(n)})
		s.setFd(n, f)
	}
	f, both, ok := s.target(r, n)
	if !ok {
		return false
	}
	put(n, f)
	if both {
		put(2, f.retain())
	}
	return true
}

// redirectVar is {name}>file: a new descriptor whose number is kept in name.
func (s *sh) redirectVar(r *syntax.Redirect) bool {
	name := strings.Trim(r.N.Value, "{}")
	if word, _ := plain(r.Word); word == "-" && (r.Op == syntax.DplIn || r.Op == syntax.DplOut) {
		n, ok := number(s.get(name))
		if !ok {
			s.errorf("%s: Bad file descriptor", name)
			return false
		}
		s.fd(n).release()
		s.setFd(n, nil)
		return true
	}
	n := 10
	for s.fd(n) != nil {
		n++
	}
	f, _, ok := s.target(r, n)
	if !ok {
		return false
	}
	s.setFd(n, f)
	return s.setVar(name, itoa(n))
}

// target opens what a redirection names. both: it is for standard error too.
func (s *sh) target(r *syntax.Redirect, n int) (f *stream, both, ok bool) {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		if s.unit.quoted[r] {
			return &stream{r: &memory{text: s.unit.verbatim(r)}}, false, true
		}
		if r.Hdoc == nil {
			return &stream{r: &memory{}}, false, true
		}
		return &stream{r: &memory{text: s.document(r.Hdoc)}}, false, true
	case syntax.WordHdoc:
		return &stream{r: &memory{text: s.string(r.Word) + "\n"}}, false, true
	}
	words := s.fields([]*syntax.Word{r.Word})
	if len(words) != 1 {
		s.errorf("%s: ambiguous redirect", s.unit.text[r.Word.Pos().Offset():r.Word.End().Offset()])
		return nil, false, false
	}
	name := words[0]
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		return s.duplicate(r, name)
	case syntax.RdrAll, syntax.AppAll:
		both = true
	}
	f, ok = s.open(name, flagsOf(r.Op), r.Op == syntax.RdrOut || r.Op == syntax.RdrAll)
	return f, both, ok
}

func flagsOf(op syntax.RedirOperator) int {
	switch op {
	case syntax.RdrIn:
		return tool.ReadOnly
	case syntax.RdrInOut:
		return tool.ReadWrite | tool.Create
	case syntax.AppOut, syntax.AppAll:
		return tool.WriteOnly | tool.Create | tool.Append
	}
	return tool.WriteOnly | tool.Create | tool.Truncate
}

// duplicate is >&n and its like: - closes, a digit with - moves.
func (s *sh) duplicate(r *syntax.Redirect, name string) (f *stream, both, ok bool) {
	if name == "-" {
		return nil, false, true
	}
	digits, move := strings.CutSuffix(name, "-")
	from, isNumber := number(digits)
	if !isNumber {
		if r.Op == syntax.DplOut && r.N == nil {
			f, ok = s.open(name, flagsOf(syntax.RdrOut), true)
			return f, true, ok
		}
		s.errorf("%s: ambiguous redirect", name)
		return nil, false, false
	}
	f = s.fd(from)
	if f == nil {
		s.errorf("%d: Bad file descriptor", from)
		return nil, false, false
	}
	if move {
		s.setFd(from, nil)
		return f, false, true
	}
	return f.retain(), false, true
}

// open opens a file for a redirection.
func (s *sh) open(name string, flags int, clobbers bool) (*stream, bool) {
	if n, ok := deviceFd(name); ok {
		if f := s.fd(n); f != nil {
			return f.retain(), true
		}
		s.errorf("%s: No such file or directory", name)
		return nil, false
	}
	if strings.HasPrefix(name, "/dev/tcp/") || strings.HasPrefix(name, "/dev/udp/") {
		s.e.stop("refused", "line %d: there is no network here but through kubectl: %s", s.line, name)
	}
	if name == "" {
		s.errorf("%s: No such file or directory", name)
		return nil, false
	}
	path := s.path(name)
	if clobbers && s.opts.noclobber {
		if info, err := s.e.Files.Stat(path); err == nil && info.Mode().IsRegular() {
			s.errorf("%s: cannot overwrite existing file", name)
			return nil, false
		}
	}
	if clobbers && strings.HasSuffix(name, "/") {
		s.errorf("%s: Is a directory", name)
		return nil, false
	}
	file, err := (devices{s.e.Files, s}).Open(path, flags, 0o666)
	if err != nil {
		s.errorf("%s: %s", name, errno(err))
		return nil, false
	}
	f := &stream{c: file}
	if flags&(tool.WriteOnly) == 0 {
		f.r = file
	}
	if flags&(tool.WriteOnly|tool.ReadWrite) != 0 {
		f.w = file
	}
	return f, true
}

func deviceFd(name string) (int, bool) {
	switch name {
	case "/dev/stdin":
		return 0, true
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	if digits, ok := strings.CutPrefix(name, "/dev/fd/"); ok {
		return number(digits)
	}
	return 0, false
}

// devices are the files with the descriptors of a shell beside them.
type devices struct {
	tool.Files
	s *sh
}

// Open implements tool.Files.
func (d devices) Open(name string, flag int, perm fs.FileMode) (tool.File, error) {
	n, ok := deviceFd(name)
	if !ok {
		return d.Files.Open(name, flag, perm&^fs.FileMode(d.s.umask))
	}
	if f := d.s.fd(n); f != nil {
		return deviceFile{f, name, d.s.e}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Mkdir implements tool.Files.
func (d devices) Mkdir(name string, perm fs.FileMode) error {
	return d.Files.Mkdir(name, perm&^fs.FileMode(d.s.umask))
}

// Stat implements tool.Files.
func (d devices) Stat(name string) (fs.FileInfo, error) {
	n, ok := deviceFd(name)
	if !ok {
		return d.Files.Stat(name)
	}
	if f := d.s.fd(n); f != nil {
		return d.Files.Stat("/dev/null")
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// ReadFile implements tool.Files.
func (d devices) ReadFile(name string) ([]byte, error) {
	n, ok := deviceFd(name)
	if !ok {
		return d.Files.ReadFile(name)
	}
	if f := d.s.fd(n); f != nil {
		return io.ReadAll(f)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// deviceFile is a descriptor opened as a file.
type deviceFile struct {
	*stream
	name string
	e    *engine
}

// Seek implements io.Seeker: a pipe cannot.
func (d deviceFile) Seek(int64, int) (int64, error) {
	return 0, &fs.PathError{Op: "seek", Path: d.name, Err: fs.ErrInvalid}
}

// Close implements io.Closer: the descriptor stays open.
func (d deviceFile) Close() error { return nil }

// Stat describes a device.
func (d deviceFile) Stat() (fs.FileInfo, error) { return d.e.Files.Stat("/dev/null") }
