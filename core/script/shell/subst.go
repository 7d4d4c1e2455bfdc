package shell

import (
	"io"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// substitute is $( ): the output of commands in a subshell, without the newlines
// at its end. Models command_substitute of subst.c.
func (s *sh) substitute(c *syntax.CmdSubst) string {
	if c.TempFile || c.ReplyVar {
		s.e.stop("refused", "line %d: ${ command; } is not bash 5.2", s.line)
	}
	if len(c.Stmts) == 0 {
		s.subst, s.status = 0, 0
		return ""
	}
	if text, ok := s.contents(c); ok {
		return text
	}
	out := &capture{e: s.e}
	sub := s.fork()
	sub.setFd(1, &stream{w: out})
	if !s.shopts["inherit_errexit"] {
		sub.opts.errexit = false
	}
	s.subst = sub.child(func() { sub.stmts(c.Stmts) })
	s.status = s.subst
	return s.trimmed(out.buf)
}

// trimmed is output without newlines at its end and without NUL bytes.
func (s *sh) trimmed(out []byte) string {
	text := strings.TrimRight(string(out), "\n")
	if strings.IndexByte(text, 0) >= 0 {
		s.errorf("warning: command substitution: ignored null byte in input")
		text = strings.ReplaceAll(text, "\x00", "")
	}
	s.e.labour(len(text) / 16)
	return text
}

// contents is $(<file).
func (s *sh) contents(c *syntax.CmdSubst) (string, bool) {
	st := c.Stmts[0]
	if len(c.Stmts) > 1 || st.Cmd != nil || len(st.Redirs) != 1 || st.Redirs[0].Op != syntax.RdrIn || st.Redirs[0].N != nil || st.Negated {
		return "", false
	}
	f, _, ok := s.target(st.Redirs[0], 0)
	if !ok {
		s.subst, s.status = 1, 1
		return "", true
	}
	defer f.release()
	out := &capture{e: s.e}
	if _, err := io.Copy(out, f); err != nil {
		s.errorf("%s: %s", s.string(st.Redirs[0].Word), errno(err))
		s.subst, s.status = 1, 1
		return "", true
	}
	s.subst, s.status = 0, 0
	return s.trimmed(out.buf), true
}

// procSubst is <( ): commands that write into a pipe, which has a name among
// the descriptors until the command that it stands in has ended.
func (s *sh) procSubst(p *syntax.ProcSubst) string {
	if p.Op != syntax.CmdIn {
		s.e.stop("refused", "line %d: >( ) would run beside the command", s.line)
	}
	out := &pipe{}
	sub := s.fork()
	sub.setFd(1, &stream{w: out})
	out.start(s.e, func() { sub.child(func() { sub.stmts(p.Stmts) }) })
	n := 63
	for s.fd(n) != nil {
		n--
	}
	s.setFd(n, &stream{r: out})
	s.subs = append(s.subs, n)
	out.from.resume()
	return "/dev/fd/" + itoa(n)
}

// closeSubs closes the descriptors of <( ) that a command has made.
func (s *sh) closeSubs(open int) {
	for len(s.subs) > open {
		n := s.subs[len(s.subs)-1]
		s.subs = s.subs[:len(s.subs)-1]
		if f := s.fd(n); f != nil {
			if p, ok := f.r.(*pipe); ok {
				p.drain()
			}
			s.setFd(n, nil)
		}
	}
	s.e.sweep()
}

// clock holds the deadlines of timeout(1), which are moments of virtual time.
type clock struct{ ends []time.Time }

// expired unwinds what a deadline cuts off.
type expired struct{ depth int }

// elapsed is the time since the run began.
func (e *engine) elapsed() time.Duration {
	now := e.Now()
	if e.started.IsZero() {
		e.started = now
	}
	return now.Sub(e.started)
}

// sleep lets time pass, up to the first deadline.
func (e *engine) sleep(d time.Duration) {
	if len(e.clock.ends) == 0 {
		e.Config.Sleep(d)
		return
	}
	first, at := -1, time.Time{}
	for i, end := range e.clock.ends {
		if first < 0 || end.Before(at) {
			first, at = i, end
		}
	}
	if first >= 0 && e.Now().Add(d).After(at) {
		e.Config.Sleep(max(0, at.Sub(e.Now())))
		e.throw(expired{first})
	}
	e.Config.Sleep(d)
}

// await is sleep for what waits for a change: a deadline is an end.
func (e *engine) await(d time.Duration) {
	if e.Config.Await == nil || len(e.clock.ends) > 0 {
		e.sleep(d)
		return
	}
	e.Config.Await(d)
}

// late cuts off what runs past its deadline.
func (e *engine) late() {
	if len(e.clock.ends) == 0 {
		return
	}
	now := e.Now()
	for i, end := range e.clock.ends {
		if now.After(end) {
			e.throw(expired{i})
		}
	}
}

// deadline runs something that is cut off when time is up.
func (e *engine) deadline(d time.Duration, run func() int) (code int, timedOut bool) {
	depth := len(e.clock.ends)
	e.clock.ends = append(e.clock.ends, e.Now().Add(d))
	nested := e.depth
	defer func() {
		e.clock.ends = e.clock.ends[:depth]
		if x, ok := e.flying.(expired); ok && x.depth == depth {
			e.flying = nil
			recover()
			e.depth = nested
			timedOut = true
		}
	}()
	return run(), false
}
