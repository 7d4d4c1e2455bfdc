package shell

import (
	"errors"
	"io"
	"iter"
)

// stream is an open file: what a descriptor stands for. Several may share one.
type stream struct {
	r io.Reader
	w io.Writer
	c io.Closer
	// refs counts the descriptors, where closing the last one matters.
	refs int
}

var (
	errBadDescriptor = errors.New("Bad file descriptor")
)

// sigpipe unwinds a program, or a shell, that wrote into a pipe nobody reads.
type sigpipe struct{}

// Read implements io.Reader.
func (f *stream) Read(p []byte) (int, error) {
	if f == nil {
		return 0, errBadDescriptor
	}
	if f.r == nil {
		if f.w != nil {
			return 0, errBadDescriptor
		}
		return 0, io.EOF
	}
	return f.r.Read(p)
}

// Write implements io.Writer.
func (f *stream) Write(p []byte) (int, error) {
	if f == nil {
		return 0, errBadDescriptor
	}
	if f.w == nil {
		if f.r != nil {
			return 0, errBadDescriptor
		}
		return len(p), nil
	}
	return f.w.Write(p)
}

// readByte reads one byte and no more: what follows is for the next reader.
func (f *stream) readByte() (byte, error) {
	if f != nil {
		if b, ok := f.r.(io.ByteReader); ok {
			return b.ReadByte()
		}
	}
	var one [1]byte
	for {
		n, err := f.Read(one[:])
		if n == 1 {
			return one[0], nil
		}
		if err != nil {
			return 0, err
		}
	}
}

func (f *stream) retain() *stream {
	if f != nil {
		f.refs++
	}
	return f
}

func (f *stream) release() {
	if f == nil {
		return
	}
	if f.refs--; f.refs < 0 && f.c != nil {
		f.c.Close()
		f.c = nil
	}
}

func (s *sh) fd(n int) *stream {
	if n < 0 || n >= len(s.fds) {
		return nil
	}
	return s.fds[n]
}

func (s *sh) stdin() *stream  { return s.fd(0) }
func (s *sh) stdout() *stream { return s.fd(1) }

func (s *sh) stderr() io.Writer { return s.fd(2) }

// setFd puts a stream at a descriptor; nil closes it.
func (s *sh) setFd(n int, f *stream) {
	for len(s.fds) <= n {
		s.fds = append(s.fds, nil)
	}
	s.fds[n] = f
}

// capture is where the output of a command substitution goes.
type capture struct {
	e   *engine
	buf []byte
}

// Write implements io.Writer.
func (c *capture) Write(p []byte) (int, error) {
	c.e.room(len(c.buf) + len(p))
	c.buf = append(c.buf, p...)
	return len(p), nil
}

// pipeSize is how far a producer may run ahead.
const pipeSize = 64 << 10

// pipe is a pipe between two stages. The producer is a coroutine that parks
// where the pipe is full; whoever reads an empty pipe lets it go on.
type pipe struct {
	buf  []byte
	at   int
	shut bool // nobody reads any more
	from *stage
}

// stage is a producer.
type stage struct {
	e     *engine
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	done  bool
}

// unparked unwinds a stage that nobody waits for.
type unparked struct{}

// start makes the coroutine of a stage that writes into the pipe.
func (p *pipe) start(e *engine, run func()) {
	st := &stage{e: e}
	p.from = st
	e.live = append(e.live, st)
	st.next, st.stop = iter.Pull(func(yield func(struct{}) bool) {
		st.yield = yield
		defer func() {
			if _, ok := e.flying.(unparked); ok {
				e.flying = nil
				recover()
			}
		}()
		run()
	})
}

// resume runs the producer until it parks or ends.
func (st *stage) resume() {
	if st.done {
		return
	}
	if _, ok := st.next(); !ok {
		st.done = true
	}
}

// drain shuts a pipe: what still writes into it comes to its end.
func (p *pipe) drain() {
	p.shut = true
	for !p.from.done {
		p.from.resume()
	}
}

// sweep forgets the stages that have ended.
func (e *engine) sweep() {
	for n := len(e.live); n > 0 && e.live[n-1].done; n-- {
		e.live = e.live[:n-1]
	}
}

// abandon ends the stages that a run leaves behind when it is cut off.
func (e *engine) abandon() {
	for i := len(e.live) - 1; i >= 0; i-- {
		if st := e.live[i]; !st.done {
			st.done = true
			st.stop()
		}
	}
	e.live = nil
}

// Write implements io.Writer, for the producer. It unwinds with sigpipe where a
// program would be killed by the signal.
func (p *pipe) Write(b []byte) (int, error) {
	n := 0
	for len(b) > 0 {
		if p.shut {
			p.from.e.throw(sigpipe{})
		}
		room := pipeSize - (len(p.buf) - p.at)
		if room <= 0 {
			if !p.from.yield(struct{}{}) {
				p.from.e.throw(unparked{})
			}
			continue
		}
		if p.at > 0 && p.at == len(p.buf) {
			p.buf, p.at = p.buf[:0], 0
		}
		room = min(room, len(b))
		p.buf = append(p.buf, b[:room]...)
		b = b[room:]
		n += room
	}
	return n, nil
}

// wait lets the producer fill an empty pipe. It reports false at the end.
func (p *pipe) wait() bool {
	for p.at == len(p.buf) {
		if p.from.done {
			return false
		}
		p.buf, p.at = p.buf[:0], 0
		p.from.resume()
	}
	return true
}

// Read implements io.Reader, for the consumer.
func (p *pipe) Read(b []byte) (int, error) {
	if !p.wait() {
		return 0, io.EOF
	}
	n := copy(b, p.buf[p.at:])
	p.at += n
	return n, nil
}

// ReadByte implements io.ByteReader.
func (p *pipe) ReadByte() (byte, error) {
	if !p.wait() {
		return 0, io.EOF
	}
	p.at++
	return p.buf[p.at-1], nil
}

// memory is a file that holds a text: a here-document, or what <( ) gave.
type memory struct {
	text string
	at   int
}

// Read implements io.Reader.
func (m *memory) Read(b []byte) (int, error) {
	if m.at >= len(m.text) {
		return 0, io.EOF
	}
	n := copy(b, m.text[m.at:])
	m.at += n
	return n, nil
}

// ReadByte implements io.ByteReader.
func (m *memory) ReadByte() (byte, error) {
	if m.at >= len(m.text) {
		return 0, io.EOF
	}
	m.at++
	return m.text[m.at-1], nil
}
