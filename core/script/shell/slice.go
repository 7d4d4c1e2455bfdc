package shell

import (
	"mvdan.cc/sh/v3/syntax"
	"sort"
	"unicode/utf8"
)

// length is ${#x}.
func (s *sh) length(pe *syntax.ParamExp) int {
	name := pe.Param.Value
	if pe.Index != nil {
		if lit := indexLit(pe.Index); lit == "@" || lit == "*" {
			v := s.lookup(name)
			if s.opts.nounset && (v == nil || !v.set) {
				s.fatal(1, "%s: unbound variable", name)
			}
			if v == nil {
				return 0
			}
			return len(v.values())
		}
	} else if name == "@" || name == "*" {
		return len(s.params)
	}
	c := *pe
	c.Length = false
	v := s.parameter(&c)
	if !v.set {
		s.unbound(pe)
	}
	return utf8.RuneCountInString(v.str)
}

// slice is ${x:offset:length}.
func (s *sh) slice(pe *syntax.ParamExp, v pvalue) pvalue {
	offset := int(s.arithNode(pe.Slice.Offset))
	length, has := 0, pe.Slice.Length != nil
	if has {
		length = int(s.arithNode(pe.Slice.Length))
	}
	if v.many {
		return s.sliceList(pe, v, offset, length, has)
	}
	if !v.set {
		return v
	}
	runes := []rune(v.str)
	from := offset
	if from < 0 {
		from += len(runes)
	}
	if from < 0 || from > len(runes) {
		return pvalue{set: true}
	}
	to := len(runes)
	switch {
	case has && length < 0:
		if to += length; to < from {
			s.errorf("%s: substring expression < 0", s.unit.source(pe.Slice.Length))
			s.e.throw(discard{1, true})
		}
	case has:
		to = min(to, from+length)
	}
	v.str = string(runes[from:to])
	return v
}

func (s *sh) sliceList(pe *syntax.ParamExp, v pvalue, offset, length int, has bool) pvalue {
	list := v.list
	var keys []int
	switch arr := s.lookup(pe.Param.Value); {
	case pe.Param.Value == "@" || pe.Param.Value == "*":
		list = append([]string{s.name0}, list...)
		if offset < 0 && offset+len(list) < 0 {
			return pvalue{many: true, star: v.star}
		}
	case arr != nil && arr.list != nil:
		keys = arr.list.keys
	}
	if has && length < 0 {
		s.errorf("%s: substring expression < 0", s.unit.source(pe.Slice.Length))
		s.e.throw(discard{1, true})
	}
	if offset < 0 {
		if keys != nil {
			offset += keys[len(keys)-1] + 1
		} else {
			offset += len(list)
		}
		if offset < 0 {
			return pvalue{many: true, star: v.star}
		}
	}
	from := min(offset, len(list))
	if keys != nil {
		from = sort.SearchInts(keys, offset)
	}
	to := len(list)
	if has {
		to = min(to, from+length)
	}
	if pe.Param.Value != "@" && pe.Param.Value != "*" || offset > 0 {
		v.list = list[from:to]
		return v
	}
	v.list = list[from:to]
	return v
}
