package shell

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/script/tool"
	"mvdan.cc/sh/v3/syntax"
)

// Config is what a run gets from outside. Now and Rand are called where the
// script asks for them and not else, so that a run that does not depend on them
// can be told. Name, Files, Now, Sleep, Rand and
// Program are needed; a nil stream is empty, or goes nowhere.
type Config struct {
	// Name is $0, and what messages begin with; Args are $1 and on.
	Name string
	Args []string
	// Dir is the working directory, absolute. Env is NAME=value.
	Dir    string
	Env    []string
	Files  tool.Files
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Now    func() time.Time
	Sleep  func(time.Duration)
	Rand   func() uint64
	// Await is Sleep for a program that waits for a change without an end of its
	// own; nil is Sleep.
	Await func(time.Duration)
	// Over reports that somebody has interrupted the run: pipelines that have begun
	// come to their end, and then the run ends with a Stop (Reason "interrupt"). It
	// may be nil.
	Over func() bool
	// Program finds what stands on the PATH under a name.
	Program func(name string) (tool.Program, bool)
	// Programs are the names that Program knows, sorted.
	Programs []string
	// At is told, before a program runs, where in which text it is called; within a
	// function also in which line that was called, or 0.
	At func(file string, line, from int, words []string)
	// Left is told once where the shell that runs the text ends, before its EXIT
	// trap; from is that of At.
	Left func(file string, line, from int)
	// Commands is the budget of commands and loop turns; Depth of functions,
	// subshells and sourced files inside each other; Bytes of all values. Zero
	// means the defaults: 100,000, 1,000 and 64 MiB.
	Commands, Depth int
	Bytes           int64
}

// The defaults of the budgets, and the longest single value.
const (
	defaultCommands = 100_000
	defaultDepth    = 1_000
	defaultBytes    = 64 << 20
	maxString       = 16 << 20
)

// Stop is a run that was ended from outside of the script: a budget was used up
// (Reason "budget"), or it came to something that is refused ("refused").
type Stop struct{ Reason, Message string }

// Error returns the message.
func (s *Stop) Error() string { return s.Message }

// Halt ends the run from inside a program or a stream, with a Stop.
func Halt(reason, message string) { panic(&Stop{reason, message}) }

// engine is what all shells of a run share.
type engine struct {
	Config
	commands int
	depth    int
	bytes    int64
	work     int
	started  time.Time
	// parsed caches texts given to eval, source and trap.
	parsed map[string]*Unit
	// pipes counts the pipelines that have begun and not ended.
	pipes int
	// flying is what throw unwinds with, until somebody takes it.
	flying any
	// live are the producers of pipes that have not ended.
	live    []*stage
	clock   clock
	regexes map[string]*regexp.Regexp
}

func (e *engine) stop(reason, format string, args ...any) {
	Halt(reason, fmt.Sprintf(format, args...))
}

// throw unwinds up to who takes what flies. A panic that is not noted so, such
// as a Stop, meets nobody before Run: to recover it at each level and panic again
// would keep every level on the stack, which grows with the square of their
// number.
func (e *engine) throw(what any) {
	e.flying = what
	panic(what)
}

// over ends a run that was interrupted, where a command would begin.
func (e *engine) over() {
	if e.Over != nil && e.pipes == 0 && e.Over() {
		e.stop("interrupt", "interrupted")
	}
}

// tick counts one command.
func (e *engine) tick() {
	if e.commands++; e.commands > e.Commands {
		e.stop("budget", "stopped after %s commands: a loop without end?", thousands(e.Commands))
	}
}

// labour counts work that is no command: matching, expanding. A thousand steps
// of it are a command.
func (e *engine) labour(n int) {
	if e.work += n; e.work >= 1000 {
		e.commands += e.work / 1000
		e.work %= 1000
		if e.commands > e.Commands {
			e.stop("budget", "stopped: one expression takes too long")
		}
	}
}

// grow counts bytes that values hold.
func (e *engine) grow(n int) {
	if e.bytes += int64(n); e.bytes > e.Bytes {
		e.stop("budget", "stopped: the script's values take more than %d MiB", e.Bytes>>20)
	}
}

// checked refuses a string that is too long.
func (e *engine) checked(s string) string {
	e.room(len(s))
	return s
}

func (e *engine) room(n int) {
	if n > maxString {
		e.stop("budget", "stopped: a string of more than %d MiB", maxString>>20)
	}
}

func (e *engine) enter(what string) {
	if e.depth++; e.depth > e.Depth {
		e.stop("budget", "stopped: %s nested more than %s deep: a recursion without end?", what, thousands(e.Depth))
	}
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// flow is why commands that follow are not run.
type flow uint8

const (
	onward flow = iota
	breaking
	continuing
	returning
	exiting
)

// frame is a function or a sourced file that runs.
type frame struct {
	name   string // of the function; "source" of a file
	locals []string
	// line and source are where it was called; unit is the caller's text.
	line int
	unit *Unit
	// opts are the options that local - gives back.
	opts *options
}

// ran is the command that BASH_COMMAND shows.
type ran struct {
	unit *Unit
	stmt *syntax.Stmt
	// loop is a for, which shows its first line alone.
	loop *syntax.ForClause
}

// sh is one shell: the first one, or a subshell.
type sh struct {
	e      *engine
	vars   map[string]*variable
	funcs  map[string]*function
	shared bool // funcs is the parent's too
	params []string
	fds    []*stream
	dir    string
	dirs   []string
	opts   options
	shopts map[string]bool
	traps  map[string]string
	// parentTraps are what trap lists in a subshell that has set none.
	parentTraps map[string]string
	// beforeReturn is the status that the command before a return had.
	beforeReturn int
	status       int
	pipes        []string // PIPESTATUS
	flow         flow
	count        int // how many loops a break leaves
	loops        int
	frames       []frame
	unit         *Unit
	line         int
	guarded      int // >0: a failure is looked at, so errexit and ERR do nothing
	level        int // BASH_SUBSHELL
	subst        int // status of the last command substitution, -1 where there was none
	last         string
	ran          ran
	// stage is the simple command of a pipeline for which this shell was made.
	stage       *syntax.Stmt
	opt         getopt
	ifs         string
	ifsSet      bool
	inTrap      bool
	inTest      bool
	subs        []int // descriptors of <( )
	inErr       bool
	umask       int
	off         map[string]bool // builtins that enable -n turned off
	roFuncs     map[string]bool
	arithPrefix string
	testName    string
	badTest     bool
	name0       string
	offset      time.Duration // SECONDS was assigned
	rand        uint32
	seeded      bool
	lastRand    int
}

// Run runs a parsed text and returns its exit status. A *Stop ended it early;
// then nothing more of it ran, traps included. A panic of a stream or of a
// program (a process that is killed) goes through; nothing runs after it.
func Run(u *Unit, c Config) (status int, err error) {
	e := &engine{Config: c, parsed: map[string]*Unit{}}
	e.Commands = cmpOr(e.Commands, defaultCommands)
	e.Depth = cmpOr(e.Depth, defaultDepth)
	if e.Bytes == 0 {
		e.Bytes = defaultBytes
	}
	s := &sh{
		e: e, vars: map[string]*variable{}, funcs: map[string]*function{}, params: c.Args, dir: c.Dir,
		shopts: map[string]bool{"patsub_replacement": true}, traps: map[string]string{}, subst: -1, unit: u, line: 1, umask: 0o022, name0: c.Name,
	}
	s.fds = []*stream{{r: c.Stdin}, {w: c.Stdout}, {w: c.Stderr}}
	s.initVars()
	defer e.abandon()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Stop:
			status, err = 1, r
		default:
			panic(r)
		}
	}()
	if u.timed {
		e.started = c.Now()
	}
	s.main(u)
	return s.status, nil
}

func cmpOr(a, b int) int {
	if a != 0 {
		return a
	}
	return b
}

// fork copies a shell into a subshell. Variables are shared until one of the
// two changes them; the parent stands still meanwhile.
func (s *sh) fork() *sh {
	c := *s
	c.vars = maps.Clone(s.vars)
	s.shared, c.shared = true, true
	c.fds = slices.Clone(s.fds)
	c.frames = slices.Clone(s.frames)
	for i := range c.frames {
		c.frames[i].locals = slices.Clip(c.frames[i].locals)
	}
	c.shopts = maps.Clone(s.shopts)
	c.traps = map[string]string{}
	for _, name := range sortedKeys(s.traps) {
		if s.traps[name] == "" || name == "ERR" && s.opts.errtrace || (name == "DEBUG" || name == "RETURN") && s.opts.functrace {
			c.traps[name] = s.traps[name]
		}
	}
	if c.parentTraps = s.traps; s.parentTraps != nil {
		c.parentTraps = s.parentTraps
	}
	c.level++
	c.loops = 0
	c.inTrap = false
	c.dirs = slices.Clip(s.dirs)
	c.subs = nil
	c.umask = s.umask
	c.seeded = false
	return &c
}

// errorf prints a message as bash does: name, line, text.
func (s *sh) errorf(format string, args ...any) {
	fmt.Fprintf(s.stderr(), "%s: line %d: %s\n", s.where(), s.line, fmt.Sprintf(format, args...))
}

// report is errorf of an expansion or an assignment: with errexit it ends the
// shell, whatever looks at the status. Models report_error.
func (s *sh) report(format string, args ...any) {
	s.errorf(format, args...)
	if s.opts.errexit {
		s.status = max(s.status, 1)
		s.leave()
		s.e.throw(quit{s.status})
	}
}

// where is the file that messages name.
func (s *sh) where() string {
	if s.unit != nil && s.unit.file != "" {
		return s.unit.file
	}
	return s.name0
}

// from is the line in which the function that runs was called; 0 outside of one.
func (s *sh) from() int {
	if n := len(s.frames); n > 0 && s.frames[n-1].unit == s.unit {
		return s.frames[n-1].line
	}
	return 0
}

// path makes a name absolute.
func (s *sh) path(name string) string {
	if strings.HasPrefix(name, "/") {
		return clean(name)
	}
	return clean(s.dir + "/" + name)
}

// errno is the text that the C library has for an error of a file.
func errno(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "No such file or directory"
	case errors.Is(err, fs.ErrPermission):
		return "Permission denied"
	case errors.Is(err, fs.ErrExist):
		return "File exists"
	}
	text := err.Error()
	var p *fs.PathError
	if errors.As(err, &p) {
		text = p.Err.Error()
	}
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func itoa(n int) string { return strconv.Itoa(n) }

func itoa64(n int64) string { return strconv.FormatInt(n, 10) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
