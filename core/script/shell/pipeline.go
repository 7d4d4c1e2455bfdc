package shell

import (
	"mvdan.cc/sh/v3/syntax"
)

// pipeline runs the stages: all but the last are coroutines that write into
// pipes. Models execute_pipeline.
func (s *sh) pipeline(c *syntax.BinaryCmd) {
	s.e.pipes++
	defer func() { s.e.pipes-- }()
	var list []*syntax.Stmt
	var all []bool // |&
	for {
		list, all = append(list, c.Y), append(all, c.Op == syntax.PipeAll)
		x, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || x.Op != syntax.Pipe && x.Op != syntax.PipeAll || c.X.Negated || len(c.X.Redirs) > 0 {
			list = append(list, c.X)
			break
		}
		c = x
	}
	n := len(list)
	stages := make([]*syntax.Stmt, n)
	for i, st := range list {
		stages[n-1-i] = st
	}
	pipes := make([]*pipe, n-1)
	codes := make([]int, n)
	for i := range n - 1 {
		s.note(stages[i])
		pipes[i] = &pipe{}
		sub := s.stageShell(pipes, i, all[n-2-i])
		pipes[i].start(s.e, func() {
			codes[i] = sub.child(func() { sub.runStage(stages[i], false) })
			sub.closeInput(pipes, i)
		})
	}
	for _, p := range pipes {
		p.from.resume()
	}
	last := stages[n-1]
	s.note(last)
	if s.shopts["lastpipe"] {
		old := s.fds[0]
		s.fds[0] = &stream{r: pipes[n-2]}
		s.guarded++
		s.stmt(last)
		s.guarded--
		s.fds[0] = old
		codes[n-1] = s.status
	} else {
		sub := s.fork()
		sub.setFd(0, &stream{r: pipes[n-2]})
		codes[n-1] = sub.child(func() { sub.runStage(last, true) })
	}
	for i := n - 2; i >= 0; i-- {
		s.closeInput(pipes, i+1)
	}
	s.e.sweep()
	s.finishPipeline(codes)
}

// stageShell is the subshell of a stage that writes into a pipe.
func (s *sh) stageShell(pipes []*pipe, i int, both bool) *sh {
	sub := s.fork()
	if i > 0 {
		sub.setFd(0, &stream{r: pipes[i-1]})
	}
	out := &stream{w: pipes[i]}
	sub.setFd(1, out)
	if both {
		sub.setFd(2, out)
	}
	return sub
}

// closeInput lets the stage before i come to its end: nobody reads it any more.
func (s *sh) closeInput(pipes []*pipe, i int) {
	if i == 0 {
		return
	}
	pipes[i-1].drain()
}

func (s *sh) finishPipeline(codes []int) {
	s.pipes = s.pipes[:0:0]
	s.status = codes[len(codes)-1]
	for _, code := range codes {
		s.pipes = append(s.pipes, itoa(code))
		if s.opts.pipefail && code != 0 && s.status == 0 {
			s.status = code
		}
	}
	if s.opts.pipefail {
		for _, code := range codes {
			if code != 0 {
				s.status = code // the last that failed
			}
		}
	}
}

func (s *sh) setPipes(status int) { s.pipes = append(s.pipes[:0:0], itoa(status)) }

// runStage runs a stage of a pipeline in the shell that was made for it. Of a
// simple command, which is all that this shell does, no ERR trap tells there; nor
// of a subshell, unless it is the last.
func (s *sh) runStage(st *syntax.Stmt, last bool) {
	switch st.Cmd.(type) {
	case *syntax.CallExpr:
		s.stage = st
	case *syntax.Subshell:
		if !last {
			s.stage = st
		}
	}
	s.stmt(st)
}
