package shell

import (
	"mvdan.cc/sh/v3/syntax"
)

// turn reports whether a loop goes on after its body has run.
func (s *sh) turn() bool {
	switch s.flow {
	case onward:
		return true
	case breaking, continuing:
		if s.count--; s.count > 0 {
			return false
		}
		again := s.flow == continuing
		s.flow = onward
		return again
	}
	return false
}

func (s *sh) while(c *syntax.WhileClause) {
	s.loops++
	status := 0
	for {
		s.e.tick()
		s.guard(c.Cond)
		if s.flow != onward {
			status = s.status
			if !s.turn() {
				break
			}
			continue
		}
		if (s.status == 0) == c.Until {
			break
		}
		s.stmts(c.Do)
		status = s.status
		if !s.turn() {
			break
		}
	}
	s.loops--
	s.status = status
}

func (s *sh) forLoop(c *syntax.ForClause) {
	s.loops++
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		items := s.params
		if l.InPos.IsValid() {
			items = s.fields(l.Items)
		}
		s.status = 0
		for _, item := range items {
			s.e.tick()
			if s.traps["DEBUG"] != "" && !s.inTrap {
				s.ran = ran{unit: s.unit, loop: c}
				s.line = s.at(c.Pos())
				s.debug()
			}
			if v := s.vars[l.Name.Value]; v != nil && v.is(nameref) {
				v = s.mine(l.Name.Value)
				v.str, v.set = item, true
			} else if !s.setVar(l.Name.Value, item) {
				s.status = 1
				break
			}
			s.stmts(c.Do)
			if !s.turn() {
				break
			}
		}
	case *syntax.CStyleLoop:
		s.cLoop(c, l)
	}
	s.loops--
}

func (s *sh) cLoop(c *syntax.ForClause, l *syntax.CStyleLoop) {
	status := 0
	value := func(x syntax.ArithmExpr, v *int64) bool {
		return s.arithmetic("((: ", func() { *v = s.arithNode(x) })
	}
	var v int64
	ok := value(l.Init, &v)
	for ok {
		s.e.tick()
		v = 1
		if l.Cond != nil && !value(l.Cond, &v) {
			ok = false
			break
		}
		if v == 0 {
			break
		}
		s.stmts(c.Do)
		status = s.status
		if !s.turn() {
			break
		}
		ok = value(l.Post, &v)
	}
	if !ok {
		status = 1
	}
	s.status = status
}
