package tool

import (
	"bufio"
	"errors"
	"io"
)

// errBudget is what reading and writing end with when Step says so.
var errBudget = errors.New("the budget is used up")

// source reads lines of one input, and asks the budget now and then.
type source struct {
	*bufio.Reader
	p     *Proc
	from  io.Reader
	delim byte
	lines int
}

func (p *Proc) source(r io.Reader) *source {
	return &source{Reader: bufio.NewReaderSize(r, 4096), p: p, from: r, delim: '\n'}
}

// line returns the next line without its end; ended says whether there was one.
// The error is io.EOF when nothing is left. The bytes hold until the next call.
func (s *source) line() (text []byte, ended bool, err error) {
	if s.lines++; s.lines%256 == 0 && !s.p.step() {
		return nil, false, errBudget
	}
	text, err = s.ReadSlice(s.delim)
	if err == nil {
		return text[:len(text)-1], true, nil
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		text, err = s.long(text)
		if err == nil {
			return text[:len(text)-1], true, nil
		}
	}
	if errors.Is(err, io.EOF) && len(text) > 0 {
		return text, false, nil
	}
	return nil, false, err
}

// long goes on with a line that does not fit into the buffer.
func (s *source) long(head []byte) ([]byte, error) {
	text := append([]byte(nil), head...)
	for {
		more, err := s.ReadSlice(s.delim)
		text = append(text, more...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, err
		}
		if !s.p.step() {
			return nil, errBudget
		}
	}
}

// giveBack puts what was read ahead back, where the input can seek, so that the
// next program goes on there: { head -1; cat; } < file.
// more is how much the caller has taken and not used.
func (s *source) giveBack(more int) {
	from := s.from
	if in, ok := from.(stdin); ok {
		from = in.Reader
	}
	if n := s.Buffered() + more; n > 0 {
		if seeker, ok := from.(io.Seeker); ok {
			seeker.Seek(int64(-n), io.SeekCurrent)
		}
	}
}

// sink is a program's buffered output. After a write has failed it takes
// everything and writes nothing.
type sink struct {
	*bufio.Writer
	p      *Proc
	writes int
}

func (p *Proc) sink() *sink { return &sink{Writer: bufio.NewWriterSize(p.Stdout, 4096), p: p} }

// line writes a text and a newline; false means that nobody reads on, or that
// the budget is used up.
func (s *sink) line(text []byte) bool {
	s.Write(text)
	return s.end('\n')
}

// str is line for a string.
func (s *sink) str(text string) bool {
	s.WriteString(text)
	return s.end('\n')
}

func (s *sink) end(delim byte) bool {
	err := s.WriteByte(delim)
	if s.writes++; s.writes%1024 == 0 && !s.p.step() {
		return false
	}
	return err == nil
}

// done flushes and returns the exit status: that given, or that of a program
// whose output nobody reads or whose budget is used up.
func (s *sink) done(status int) int {
	if err := s.Flush(); err != nil {
		return s.p.broken(err)
	}
	if !s.p.step() {
		return exitBudget
	}
	return status
}

// broken is the exit status after a write that failed. The reader that has gone
// ends a program without a word.
func (p *Proc) broken(err error) int {
	if errors.Is(err, ErrFull) {
		return p.complain("write error: %s", reason(err))
	}
	return exitPipe
}

// inputs runs over the files named, or standard input, in turn, and complains of
// those that do not open or read. It returns 1 where it complained.
func (p *Proc) inputs(names []string, visit func(name string, s *source) error) int {
	if len(names) == 0 {
		names = []string{"-"}
	}
	status := 0
	for _, name := range names {
		r, err := p.open(name)
		if err == nil {
			err = visit(name, p.source(r))
			r.Close()
		}
		switch {
		case errors.Is(err, errStop), errors.Is(err, errBudget):
			return status
		case err != nil && !errors.Is(err, io.EOF):
			p.complain(p.unreadable(err), name, reason(err))
			status = 1
		}
	}
	return status
}

// unreadable is how a program says that it cannot open a file.
func (p *Proc) unreadable(err error) string {
	if text := unreadable[p.name()]; text != "" && !errors.Is(err, errIsDir) {
		return text
	}
	return "%s: %s"
}

var unreadable = map[string]string{
	"head": "cannot open '%s' for reading: %s", "tail": "cannot open '%s' for reading: %s",
	"tac": "failed to open '%s' for reading: %s", "sort": "cannot read: %s: %s", "rev": "cannot open %s: %s",
}

// errStop ends inputs early, without a complaint.
var errStop = errors.New("stop")

// eachLine visits the lines of the files named. last is true for a line without
// an end.
func (p *Proc) eachLine(names []string, visit func(line []byte, ended bool) bool) int {
	return p.inputs(names, func(_ string, s *source) error {
		for {
			line, ended, err := s.line()
			if err != nil {
				return err
			}
			if !visit(line, ended) {
				return errStop
			}
		}
	})
}
