// Package tool holds the small programs that a script finds on its PATH: cat,
// grep, sed, awk, date, find and their like, as functions over an in-memory
// file tree. They print what GNU's coreutils, grep, sed, findutils and diffutils
// print, error texts and exit statuses included, on a clock and a generator that
// are passed in; nothing of the host is seen. What a program does not do it
// refuses with a text that says so.
//
// Models the programs' manuals; testdata holds command lines that are run by
// both.
package tool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Proc is one small program as it is run. Stdin, Stdout and Stderr are never nil;
// a write to Stdout that fails ends the program quietly, as SIGPIPE does. Files,
// Getenv and Now must be there; every other function may be nil, and then the
// programs that need it say that they cannot.
type Proc struct {
	// Args holds the program's name and its arguments.
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Dir is the working directory: absolute, clean.
	Dir    string
	Getenv func(string) (string, bool)
	// Environ lists the exported variables as NAME=value, sorted.
	Environ func() []string
	Files   Files
	Now     func() time.Time
	Sleep   func(time.Duration)
	// Await is Sleep for what waits for a change without an end of its own.
	Await func(time.Duration)
	// Run runs another program of the PATH and returns its exit status: 127, with
	// the shell's text, where there is none of that name.
	Run func(p Proc) int
	// Find reports whether Run knows a program.
	Find func(name string) bool
	// Deadline runs a function that is cut off when d of virtual time has passed.
	Deadline func(d time.Duration, run func() int) (code int, timedOut bool)
	// Rand draws the next number of the pass's generator.
	Rand func() uint64
	// Step is asked now and then by loops; an error ends the program.
	Step func() error
}

// Program is a small program: it returns its exit status.
type Program func(p *Proc) int

// File is an open file of a file tree.
type File interface {
	io.Reader
	io.Writer
	io.Seeker
	io.Closer
	Stat() (fs.FileInfo, error)
}

// Files is a file tree. Names are absolute and clean. An error is an
// *fs.PathError that says what a Unix says: errors.Is finds fs.ErrNotExist,
// fs.ErrExist and their like in it.
type Files interface {
	Open(name string, flag int, perm fs.FileMode) (File, error)
	Stat(name string) (fs.FileInfo, error)
	// ReadDir lists a directory by name, sorted.
	ReadDir(name string) ([]fs.FileInfo, error)
	Mkdir(name string, perm fs.FileMode) error
	// Remove takes away a file or an empty directory.
	Remove(name string) error
	Rename(from, to string) error
	Chmod(name string, mode fs.FileMode) error
	Chtimes(name string, mtime time.Time) error
	ReadFile(name string) ([]byte, error)
	WriteFile(name string, data []byte, perm fs.FileMode) error
}

// Flags of Open, numbered as on Linux.
const (
	ReadOnly  = 0x0
	WriteOnly = 0x1
	ReadWrite = 0x2
	Create    = 0x40
	Exclusive = 0x80
	Truncate  = 0x200
	Append    = 0x400
)

// Exit statuses of programs that something from outside ended.
const (
	exitPipe   = 141 // the reader of the output has gone
	exitBudget = 137 // Step said so
)

var programs map[string]Program

// register adds programs to the table; each file of programs calls it once.
func register(more map[string]Program) {
	if programs == nil {
		programs = map[string]Program{}
	}
	maps.Copy(programs, more)
}

// Lookup returns the program of a name.
func Lookup(name string) (Program, bool) {
	p, ok := programs[name]
	return p, ok
}

// name is what error texts begin with.
func (p *Proc) name() string { return path.Base(p.Args[0]) }

// complain prints an error text and returns exit status 1.
func (p *Proc) complain(format string, args ...any) int {
	fmt.Fprintf(p.Stderr, "%s: %s\n", p.name(), fmt.Sprintf(format, args...))
	return 1
}

// step asks the budget; false means that the program has to end.
func (p *Proc) step() bool { return p.Step == nil || p.Step() == nil }

// abs makes a file name absolute.
func (p *Proc) abs(name string) string {
	if !strings.HasPrefix(name, "/") {
		name = p.Dir + "/" + name
	}
	return path.Clean(name)
}

// reason is the text of an error as libc has it, without operation and name.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	text := err.Error()
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// open opens an operand for reading: "-" is standard input. A directory opens,
// and fails when it is read, as everywhere.
func (p *Proc) open(name string) (io.ReadCloser, error) {
	switch name {
	case "-", "/dev/stdin":
		return stdin{p.Stdin}, nil
	}
	return p.Files.Open(p.abs(name), ReadOnly, 0)
}

// create opens a file for writing.
func (p *Proc) create(name string, flag int) (io.WriteCloser, error) {
	switch name {
	case "/dev/stdout":
		return nopWriteCloser{p.Stdout}, nil
	case "/dev/stderr":
		return nopWriteCloser{p.Stderr}, nil
	}
	return p.Files.Open(p.abs(name), WriteOnly|Create|flag, 0o644)
}

// stdin is standard input as an operand: closing it does nothing.
type stdin struct{ io.Reader }

func (stdin) Close() error { return nil }

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }

// slurp reads an operand whole.
func (p *Proc) slurp(name string) ([]byte, error) {
	r, err := p.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return p.readAll(r)
}

// maxMemory is how much of its input a program holds at most, as one that sorts
// must, or turns it round.
const maxMemory = 128 << 20

var errMemory = errors.New("memory exhausted")

// readAll reads what is left, within maxMemory, and asks the budget on the way.
func (p *Proc) readAll(r io.Reader) ([]byte, error) {
	buf := make([]byte, 0, 512)
	for asked := 1 << 16; ; {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return buf, err
		case len(buf) > maxMemory:
			return nil, errMemory
		case len(buf) > asked:
			if asked += 1 << 16; !p.step() {
				return nil, errBudget
			}
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}
