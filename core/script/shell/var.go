package shell

import (
	"maps"
	"slices"
	"sort"
	"strings"
)

// attr is a set of attributes of a variable, as declare gives them.
type attr uint8

const (
	exported attr = 1 << iota
	readonly
	integer
	lower
	upper
	nameref
)

// variable is a shell variable: a string, an indexed or an associative array.
// Models SHELL_VAR of variables.h.
type variable struct {
	name string
	attr attr
	// set: it has a value. A variable that was only declared has none.
	set  bool
	str  string
	list *indexed
	dict *dict
	// level is the depth of the function whose local it is, 0 for a global.
	level int
	// prev is the variable that this local hides.
	prev *variable
	// owner is the shell that may change it; a subshell copies what it changes.
	owner *sh
	// dynamic computes the value of variables such as SECONDS.
	dynamic func(*sh) string
}

func (v *variable) is(a attr) bool { return v.attr&a != 0 }

func (v *variable) array() bool { return v.list != nil || v.dict != nil }

// indexed is a sparse array: sorted keys and their values.
type indexed struct {
	keys  []int
	vals  []string
	owner *sh
}

func listOf(owner *sh, vals []string) *indexed {
	a := &indexed{vals: vals, keys: make([]int, len(vals)), owner: owner}
	for i := range a.keys {
		a.keys[i] = i
	}
	return a
}

func (a *indexed) find(i int) (int, bool) {
	if i >= 0 && i < len(a.keys) && a.keys[i] == i {
		return i, true
	}
	return slices.BinarySearch(a.keys, i)
}

func (a *indexed) get(i int) (string, bool) {
	if at, ok := a.find(i); ok {
		return a.vals[at], true
	}
	return "", false
}

func (a *indexed) put(i int, s string) {
	if n := len(a.keys); n == 0 || i > a.keys[n-1] {
		a.keys, a.vals = append(a.keys, i), append(a.vals, s)
		return
	}
	at, ok := a.find(i)
	if ok {
		a.vals[at] = s
		return
	}
	a.keys, a.vals = slices.Insert(a.keys, at, i), slices.Insert(a.vals, at, s)
}

func (a *indexed) drop(i int) {
	if at, ok := a.find(i); ok {
		a.keys, a.vals = slices.Delete(a.keys, at, at+1), slices.Delete(a.vals, at, at+1)
	}
}

// next is the index that an append begins at.
func (a *indexed) next() int {
	if len(a.keys) == 0 {
		return 0
	}
	return a.keys[len(a.keys)-1] + 1
}

func (a *indexed) copyFor(owner *sh) *indexed {
	return &indexed{keys: slices.Clone(a.keys), vals: slices.Clone(a.vals), owner: owner}
}

// dict is an associative array whose order is that of bash's hash table.
// Models hashlib.c with the 1,024 buckets of assoc.h.
type dict struct {
	vals map[string]string
	// seq says in which order the keys came, which is their order in a bucket.
	seq   map[string]int
	count int
	owner *sh
	// order caches the sorted keys.
	order []string
}

// maxDict is how many keys a bash table of 1,024 buckets takes before it grows
// and changes its order.
const maxDict = 2048

func newDict(owner *sh) *dict {
	return &dict{vals: map[string]string{}, seq: map[string]int{}, owner: owner}
}

func (d *dict) put(k, v string) {
	if _, ok := d.vals[k]; !ok {
		d.count++
		d.seq[k] = d.count
		d.order = nil
	}
	d.vals[k] = v
}

func (d *dict) drop(k string) {
	if _, ok := d.vals[k]; ok {
		delete(d.vals, k)
		delete(d.seq, k)
		d.order = nil
	}
}

func (d *dict) keys() []string {
	if d.order != nil || len(d.vals) == 0 {
		return d.order
	}
	type place struct {
		bucket uint32
		seq    int
		key    string
	}
	places := make([]place, 0, len(d.vals))
	for _, k := range sortedKeys(d.vals) {
		places = append(places, place{hash(k) & 1023, d.seq[k], k})
	}
	sort.SliceStable(places, func(i, j int) bool {
		if places[i].bucket != places[j].bucket {
			return places[i].bucket < places[j].bucket
		}
		return places[i].seq > places[j].seq
	})
	for _, p := range places {
		d.order = append(d.order, p.key)
	}
	return d.order
}

func (d *dict) copyFor(owner *sh) *dict {
	return &dict{vals: maps.Clone(d.vals), seq: maps.Clone(d.seq), count: d.count, owner: owner, order: d.order}
}

// hash is hash_string of hashlib.c.
func hash(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h *= 16777619
		h ^= uint32(s[i])
	}
	return h
}

// first is the value of a variable without a subscript: element 0 of an array.
func (v *variable) first() (string, bool) {
	switch {
	case v.list != nil:
		return v.list.get(0)
	case v.dict != nil:
		s, ok := v.dict.vals["0"]
		return s, ok
	}
	return v.str, v.set
}

// values are the elements of an array in order; of a string the one.
func (v *variable) values() []string {
	switch {
	case v.list != nil:
		return v.list.vals
	case v.dict != nil:
		var out []string
		for _, k := range v.dict.keys() {
			out = append(out, v.dict.vals[k])
		}
		return out
	case v.set:
		return []string{v.str}
	}
	return nil
}

// subscripts are the keys of an array in order.
func (v *variable) subscripts() []string {
	switch {
	case v.list != nil:
		out := make([]string, len(v.list.keys))
		for i, k := range v.list.keys {
			out[i] = itoa(k)
		}
		return out
	case v.dict != nil:
		return v.dict.keys()
	case v.set:
		return []string{"0"}
	}
	return nil
}

// lookup finds a variable, following references. It returns nil where there is
// none, or where it was unset.
func (s *sh) lookup(name string) *variable {
	v := s.vars[name]
	for range 8 {
		if v == nil || !v.is(nameref) || v.str == "" {
			break
		}
		base, _, sub := strings.Cut(v.str, "[")
		if sub {
			return nil // the caller resolves references to elements
		}
		v = s.vars[base]
	}
	if v == nil {
		if list := lists[name]; list != nil {
			if vals := list(s); len(vals) > 0 {
				return &variable{name: name, set: true, list: listOf(nil, vals)}
			}
		}
		return nil
	}
	if v.dynamic != nil {
		return &variable{name: v.name, attr: v.attr, set: true, str: v.dynamic(s), dynamic: v.dynamic}
	}
	return v
}

// mine returns the variable of that name to be changed, made where there is
// none.
func (s *sh) mine(name string) *variable {
	v := s.vars[name]
	switch {
	case v == nil:
		v = &variable{name: name, owner: s}
	case v.owner != s:
		c := *v
		c.owner = s
		v = &c
	default:
		return v
	}
	s.vars[name] = v
	return v
}

// resolve follows references by name: it returns the name, and the subscript
// where one refers to an element.
func (s *sh) resolve(name string) (base, sub string, isSub bool) {
	for range 8 {
		v := s.vars[name]
		if v == nil || !v.is(nameref) || v.str == "" {
			return name, "", false
		}
		if b, rest, ok := strings.Cut(v.str, "["); ok {
			return b, strings.TrimSuffix(rest, "]"), true
		}
		name = v.str
	}
	return name, "", false
}

// get is the value of a variable as a string, empty where it has none.
func (s *sh) get(name string) string {
	if v := s.lookup(name); v != nil {
		str, _ := v.first()
		return str
	}
	return ""
}

// writable returns the variable of that name to be written, made where there is
// none. It reports false, having said so, where it is readonly.
func (s *sh) writable(name string) (*variable, bool) {
	v := s.mine(name)
	if v.is(readonly) {
		s.report("%s: readonly variable", name)
		return v, false
	}
	return v, true
}

// setVar assigns a string, whatever attributes the variable has. It reports
// whether it could.
func (s *sh) setVar(name, value string) bool {
	name, sub, isSub := s.resolve(name)
	if isSub {
		return s.setElem(name, sub, value, false)
	}
	v, ok := s.writable(name)
	if !ok {
		return false
	}
	s.assign(v, value)
	return true
}

// assign stores a string into a variable or, of an array, into its first element.
func (s *sh) assign(v *variable, value string) {
	value = s.cast(v, value)
	s.e.grow(len(value) - len(v.str))
	if s.opts.allexport {
		v.attr |= exported
	}
	switch {
	case v.list != nil:
		s.own(v).list.put(0, value)
	case v.dict != nil:
		s.own(v).dict.put("0", value)
	case v.dynamic != nil:
		s.assignDynamic(v, value)
		return
	default:
		v.str = value
	}
	v.set = true
	if v.name == "IFS" || v.name == "OPTIND" || v.name == "PATH" {
		s.noticed(v.name)
	}
}

// cast makes a value what the attributes of the variable want.
func (s *sh) cast(v *variable, value string) string {
	switch {
	case v.is(integer):
		return itoa64(s.arithText(value))
	case v.is(upper):
		return strings.ToUpper(value)
	case v.is(lower):
		return strings.ToLower(value)
	}
	return value
}

// own makes the array of a variable the shell's own before it is changed: a
// subshell shares those of its parent.
func (s *sh) own(v *variable) *variable {
	if v.list != nil && v.list.owner != s {
		v.list = v.list.copyFor(s)
	}
	if v.dict != nil && v.dict.owner != s {
		v.dict = v.dict.copyFor(s)
	}
	return v
}

// setElem assigns to an element. sub is the text of the subscript, expanded; of
// an indexed array it is an arithmetic expression.
func (s *sh) setElem(name, sub, value string, add bool) bool {
	name, _, _ = s.resolve(name)
	v, ok := s.writable(name)
	if !ok {
		return false
	}
	if v.dict != nil {
		if sub == "" {
			s.errorf("%s: bad array subscript", name+"[]")
			return false
		}
		if add {
			value = s.sum(v, v.dict.vals[sub], value)
		}
		s.own(v).dict.put(sub, s.cast(v, value))
		if len(v.dict.vals) > maxDict {
			s.e.stop("budget", "an associative array may hold %d keys here", maxDict)
		}
		v.set = true
		s.e.grow(len(value) + len(sub))
		return true
	}
	return s.setIndex(v, int(s.arithText(sub)), value, add)
}

func (s *sh) setIndex(v *variable, i int, value string, add bool) bool {
	s.listify(v)
	if i < 0 {
		if i += v.list.next(); i < 0 {
			s.report("%s: bad array subscript", v.name+"["+itoa(i-v.list.next())+"]")
			return false
		}
	}
	if add {
		old, _ := v.list.get(i)
		value = s.sum(v, old, value)
	}
	s.own(v).list.put(i, s.cast(v, value))
	v.set = true
	s.e.grow(len(value) + 16)
	return true
}

// sum is what += makes of two values.
func (s *sh) sum(v *variable, old, more string) string {
	if v.is(integer) {
		return itoa64(s.arithText(old) + s.arithText(more))
	}
	return s.e.checked(old + more)
}

// listify makes a variable an indexed array; a string becomes element 0.
func (s *sh) listify(v *variable) {
	if v.list != nil {
		return
	}
	v.list = &indexed{owner: s}
	if v.set {
		v.list.put(0, v.str)
	}
	v.str = ""
}

// unset removes a variable. That of a function stays, without a value, until
// the function returns; removing a caller's shows what it hid.
func (s *sh) unset(name string) bool {
	v := s.vars[name]
	if v == nil {
		return true
	}
	if v.is(readonly) {
		s.errorf("unset: %s: cannot unset: readonly variable", name)
		return false
	}
	s.e.grow(-len(v.str))
	switch {
	case v.level > 0 && v.level == len(s.frames):
		s.vars[name] = &variable{name: name, level: v.level, prev: v.prev, owner: s}
	case v.prev != nil:
		s.vars[name] = v.prev
	default:
		delete(s.vars, name)
	}
	if name == "IFS" {
		s.noticed(name)
	}
	return true
}

// local makes a variable of the running function. It starts without a value;
// its old one is back when the function returns.
func (s *sh) local(what, name string) *variable {
	old := s.vars[name]
	if old != nil && old.level == len(s.frames) {
		return s.mine(name)
	}
	v := &variable{name: name, level: len(s.frames), prev: old, owner: s}
	if old != nil && old.is(readonly) {
		s.errorf("%s: %s: readonly variable", what, name)
		return nil
	}
	s.vars[name] = v
	f := &s.frames[len(s.frames)-1]
	f.locals = append(f.locals, name)
	return v
}

// restore takes the locals of a function away again.
func (s *sh) restore(names []string, level int) {
	for i := len(names) - 1; i >= 0; i-- {
		v := s.vars[names[i]]
		if v == nil || v.level != level {
			continue
		}
		s.e.grow(-len(v.str))
		if v.prev == nil {
			delete(s.vars, names[i])
		} else {
			s.vars[names[i]] = v.prev
		}
		if names[i] == "IFS" {
			s.noticed("IFS")
		}
	}
}
