package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
)

// reader takes a YAML document apart, field by field, and keeps the first
// complaint with its place.
type reader struct {
	doc object.Document
	err *Error
}

func (r *reader) fail(field, format string, args ...any) {
	if r.err != nil {
		return
	}
	line, col := r.doc.Position(field)
	r.err = &Error{Line: line, Col: col, Field: field, Message: fmt.Sprintf(format, args...)}
}

// fields checks that a map has no field but those known.
func (r *reader) fields(m *object.Map, path string, known ...string) {
	for k := range m.All() {
		if !slices.Contains(known, k) {
			r.fail(object.JoinPath(path, k), "unknown field; known are %s", strings.Join(known, ", "))
		}
	}
}

func (r *reader) str(m *object.Map, path, key, missing string) string {
	v, ok := m.Get(key)
	if !ok {
		return missing
	}
	s, ok := v.(string)
	if !ok || s == "" {
		r.fail(object.JoinPath(path, key), "must be a string that is not empty, not %s", object.EncodeJSON(v))
	}
	return s
}

func (r *reader) integer(m *object.Map, path, key string, missing, least int64) int64 {
	v, ok := m.Get(key)
	if !ok {
		return missing
	}
	n, ok := v.(int64)
	if !ok || n < least {
		r.fail(object.JoinPath(path, key), "must be an integer of at least %d, not %s", least, object.EncodeJSON(v))
	}
	return n
}

func (r *reader) word(m *object.Map, path, key, missing string, of ...string) string {
	s := r.str(m, path, key, missing)
	if r.err == nil && !slices.Contains(of, s) {
		r.fail(object.JoinPath(path, key), "must be one of %s, not %q", strings.Join(of, ", "), s)
	}
	return s
}

// duration reads a duration that is not negative.
func (r *reader) duration(m *object.Map, path, key string, missing time.Duration) time.Duration {
	text := r.str(m, path, key, "")
	if text == "" {
		return missing
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		r.fail(object.JoinPath(path, key), "must be a duration such as 5ms or 10m, not %q", text)
	}
	return d
}

func (r *reader) flag(m *object.Map, path, key string, missing bool) bool {
	v, ok := m.Get(key)
	if !ok {
		return missing
	}
	b, ok := v.(bool)
	if !ok {
		r.fail(object.JoinPath(path, key), "must be true or false, not %s", object.EncodeJSON(v))
	}
	return b
}

// maps reads a list of maps and gives each with its path.
func (r *reader) maps(m *object.Map, path, key string, each func(item *object.Map, path string)) {
	v, ok := m.Get(key)
	if !ok {
		return
	}
	l, ok := v.(*object.List)
	if !ok {
		r.fail(object.JoinPath(path, key), "must be a list, not %s", object.EncodeJSON(v))
		return
	}
	for i, x := range l.All() {
		at := fmt.Sprintf("%s[%d]", object.JoinPath(path, key), i)
		item, ok := x.(*object.Map)
		if !ok {
			r.fail(at, "must be a map")
			return
		}
		each(item, at)
	}
}

func (r *reader) strings(m *object.Map, path, key string) []string {
	v, ok := m.Get(key)
	if !ok {
		return nil
	}
	l, ok := v.(*object.List)
	if !ok {
		r.fail(object.JoinPath(path, key), "must be a list of strings, not %s", object.EncodeJSON(v))
		return nil
	}
	var out []string
	for i, item := range l.All() {
		s, ok := item.(string)
		if !ok || s == "" {
			r.fail(fmt.Sprintf("%s[%d]", object.JoinPath(path, key), i), "must be a string, not %s", object.EncodeJSON(item))
		}
		out = append(out, s)
	}
	return out
}

func parseSettings(text []byte) (Settings, error) {
	docs, err := object.DecodeYAML(text)
	if err != nil {
		return Settings{}, yamlError(err)
	}
	if len(docs) != 1 {
		return Settings{}, &Error{Line: 1, Message: fmt.Sprintf("must be one YAML document, not %d", len(docs))}
	}
	m, ok := docs[0].Value.(*object.Map)
	if !ok {
		return Settings{}, &Error{Line: docs[0].Line, Message: "must be a map of settings"}
	}
	r := &reader{doc: docs[0]}
	r.fields(m, "", append([]string{"name", "title", "seed", "clock", "latency", "edit", "conflict", "controllers"}, teachingFields...)...)
	s := Settings{Name: r.str(m, "", "name", "scenario")}
	s.Title = r.str(m, "", "title", s.Name)
	s.Seed = uint64(r.integer(m, "", "seed", 1, 0))
	s.Clock, err = time.Parse(time.RFC3339, r.str(m, "", "clock", "2026-01-01T00:00:00Z"))
	if err != nil {
		r.fail("clock", "must be a time such as 2026-01-01T00:00:00Z")
	}
	s.Clock = s.Clock.UTC()
	s.Latency = r.duration(m, "", "latency", 5*time.Millisecond)
	s.Edit, s.Conflict = r.patch(m, "edit"), r.patch(m, "conflict")
	s.Teaching = r.teaching(m)
	v, _ := m.Get("controllers")
	l, ok := v.(*object.List)
	if !ok || l.Len() == 0 {
		r.fail("controllers", "must list at least one controller")
	}
	for i, item := range l.All() {
		s.Controllers = append(s.Controllers, r.controller(item, fmt.Sprintf("controllers[%d]", i), s.Controllers))
	}
	if r.err != nil {
		return Settings{}, r.err
	}
	return s, nil
}

// patch reads a merge patch of an object.
func (r *reader) patch(m *object.Map, key string) *object.Map {
	v, ok := m.Get(key)
	if !ok {
		return nil
	}
	p, ok := v.(*object.Map)
	if !ok || p.Len() == 0 {
		r.fail(key, "must be a merge patch such as {spec: {message: edited}}, not %s", object.EncodeJSON(v))
	}
	return p
}
