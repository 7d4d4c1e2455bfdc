package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// Validate says what is wrong with an object as a write to the main resource
// leaves it. old is the stored object, nil on a create.
func (s *Schema) Validate(obj, old *object.Map) []*api.FieldError {
	errs, _ := s.Check(Write{Object: obj, Old: old})
	return errs
}

// ValidateStatus is Validate for a write to the status subresource.
func (s *Schema) ValidateStatus(obj, old *object.Map) []*api.FieldError {
	errs, _ := s.Check(Write{Object: obj, Old: old, Status: true})
	return errs
}

// Write is what Check judges.
type Write struct {
	// Object is the object as the write leaves it, Old the stored one, nil on a
	// create.
	Object, Old *object.Map
	// Status says that the status subresource is written: only status is
	// checked, and the texts name its fields without "status".
	Status bool
	// Unlike says that the object calls itself another kind: its values are not
	// checked then, but the rest is.
	Unlike bool
	// Settled says that Old is as this schema wants it: what is the very same in
	// Object needs no look.
	Settled bool
	// Found are the errors that the caller already has, of metadata. They come
	// first in the answer.
	Found []*api.FieldError
	// Beside are further errors of the caller: they follow those of the values.
	Beside []*api.FieldError
	// Metadata checks the metadata of embedded resources; nil checks nothing.
	Metadata MetadataCheck
	// Rules evaluates x-kubernetes-validations; where it is nil they are not
	// evaluated.
	Rules Evaluator
}

// Check says what is wrong with a write: first what its values break, then its
// embedded resources, duplicates in set and map lists, and the rules, unless an
// error before blocks them. On an update an error in a part that has not
// changed, and that can be matched with its old self, is let pass (ratcheting);
// where it breaks a rule, a warning is returned.
//
// Models ValidateUpdate of customResourceStrategy and statusStrategy.
func (s *Schema) Check(w Write) (errs []*api.FieldError, warnings []string) {
	errs = append([]*api.FieldError(nil), w.Found...)
	whole := correlate(w.Object, w.Old, s)
	var settled *object.Map
	if w.Settled {
		settled = w.Old
	}
	switch {
	case w.Unlike:
	case w.Status:
		was, _ := settled.Get("status")
		if status, ok := w.Object.Get("status"); ok && !s.Property("status").accepts(status, was) {
			errs = append(errs, fieldErrors("status", s.Property("status").checkAt(nil, status, whole.key("status")))...)
		}
	case !s.accepts(w.Object, settled):
		errs = append(errs, fieldErrors("", s.checkAt(nil, w.Object, whole))...)
	}
	errs = append(errs, w.Beside...)
	if !w.Status {
		errs = append(errs, s.validateEmbedded(nil, w.Object, w.Metadata)...)
	}
	if now := s.duplicates(w.Object, settled); len(now) > 0 && (w.Old == nil || len(s.duplicates(w.Old, nil)) == 0) {
		errs = append(errs, now...)
	}
	return s.evaluate(w, errs)
}

// place is where a value is: a list from the value up to the root, printed only
// where something is wrong. A nil place is the root.
type place struct {
	up    *place
	key   string
	index int
	// item says that index counts and key does not; mapKey, that the key is one
	// of a map with additionalProperties, where paths are told apart from fields.
	item, mapKey bool
}

func (p *place) at(key string) *place { return &place{up: p, key: key} }
func (p *place) nth(index int) *place { return &place{up: p, index: index, item: true} }
func (p *place) of(key string) *place { return &place{up: p, key: key, mapKey: true} }

// String prints the path: keys joined by dots, as the validators of kube-openapi do.
func (p *place) String() string {
	switch {
	case p == nil:
		return ""
	case p.item:
		return p.up.String() + "[" + strconv.Itoa(p.index) + "]"
	case p.mapKey:
		return p.up.String() + "[" + p.key + "]"
	}
	return joinKey(p.up.String(), p.key)
}

// fault is one error with the text that kube-openapi gives it, by which it
// takes two for the same.
type fault struct {
	err  *api.FieldError
	text string
}

// result models kube-openapi's validate.Result: faults without repetition, and
// how many checks were made, by which anyOf and oneOf pick the nearest miss.
type result struct {
	faults []fault
	count  int
}

func (r *result) valid() bool { return len(r.faults) == 0 }

func (r *result) add(f fault) {
	for _, g := range r.faults {
		if g.text == f.text {
			return
		}
	}
	r.faults = append(r.faults, f)
}

func (r *result) merge(o result) {
	for _, f := range o.faults {
		r.add(f)
	}
	r.count += o.count
}

// fail adds an error about a value at a place; text begins after the path.
func (r *result) fail(t api.FieldErrorType, at string, value any, text string) {
	text = at + " in body " + text
	r.add(fault{&api.FieldError{Type: t, Field: at, Value: value, Detail: text}, text})
}

// general adds an error that names no field: the real server shows it as one of
// the field "<nil>" with an empty value.
func (r *result) general(text string) {
	r.add(fault{&api.FieldError{Type: api.FieldInvalid, Value: "", Detail: text}, text})
}

// fieldErrors makes the errors of values relative to prefix into those of fields.
func fieldErrors(prefix string, r result) []*api.FieldError {
	var out []*api.FieldError
	for _, f := range r.faults {
		e := *f.err
		e.Field = strings.TrimPrefix(e.Field, ".")
		if prefix != "" {
			e.Field = strings.TrimSuffix(prefix+"."+e.Field, ".")
		}
		if e.Field == "" {
			e.Field = "<nil>"
		}
		out = append(out, &e)
	}
	return out
}

// checkAt validates a value, letting pass what an update left as it was. Models
// ratchetingValueValidator.Validate.
func (s *Schema) checkAt(at *place, x any, c *correlation) result {
	r := s.checkValue(at, x, c)
	if !r.valid() && c.unchanged() {
		return result{count: r.count}
	}
	return r
}

// checkValue runs the validators in kube-openapi's order.
func (s *Schema) checkValue(at *place, x any, c *correlation) result {
	var r result
	if s == nil {
		return r
	}
	if x == nil {
		s.checkNull(&r, at)
		s.checkEnum(&r, at, nil)
		return r
	}
	if len(s.types) > 0 || s.format != "" {
		s.checkType(&r, at, x)
		r.count++
	}
	r.merge(s.checkJunctors(at, x))
	r.count++
	switch v := x.(type) {
	case string:
		s.checkString(&r, at, v)
		r.count++
		if s.format != "" && formatKnown(s.format) {
			s.checkFormat(&r, at, v)
			r.count++
		}
	case int64, float64:
		r.merge(s.checkNumber(at, v))
		r.count++
	case *object.List:
		r.merge(s.checkList(at, v, c))
		r.count++
	}
	s.checkEnum(&r, at, x)
	r.count++
	if m, ok := x.(*object.Map); ok {
		r.merge(s.checkMap(at, m, c))
		r.count++
	}
	r.count++
	return r
}

// checkJunctors validates against allOf, anyOf, oneOf and not. Nothing below
// them is let pass for being unchanged.
func (s *Schema) checkJunctors(at *place, x any) result {
	var r result
	if len(s.AnyOf) > 0 {
		s.checkAnyOf(&r, at, x)
	}
	if len(s.OneOf) > 0 {
		s.checkOneOf(&r, at, x)
	}
	if len(s.AllOf) > 0 {
		valid := 0
		for _, sub := range s.AllOf {
			one := sub.checkValue(at, x, nil)
			if one.valid() {
				valid++
			}
			r.merge(one)
		}
		if valid != len(s.AllOf) {
			more := ""
			if valid == 0 {
				more = ". None validated"
			}
			r.general(fmt.Sprintf("%q must validate all the schemas (allOf)%s", at.String(), more))
		}
	}
	if s.Not != nil {
		if not := s.Not.checkValue(at, x, nil); not.valid() {
			r.general(fmt.Sprintf("%q must not validate the schema (not)", at.String()))
		}
	}
	r.count++
	return r
}

func (s *Schema) checkAnyOf(r *result, at *place, x any) {
	var best *result
	for _, sub := range s.AnyOf {
		one := sub.checkValue(at, x, nil)
		if one.valid() {
			r.merge(one)
			return
		}
		if best == nil || one.count > best.count {
			best = &one
		}
	}
	r.general(fmt.Sprintf("%q must validate at least one schema (anyOf)", at.String()))
	r.merge(*best)
}

func (s *Schema) checkOneOf(r *result, at *place, x any) {
	var best, first *result
	valid := 0
	for _, sub := range s.OneOf {
		one := sub.checkValue(at, x, nil)
		if one.valid() {
			valid++
			best = nil
			if first == nil {
				first = &one
			}
		} else if valid == 0 && (best == nil || one.count > best.count) {
			best = &one
		}
	}
	if valid == 1 {
		r.merge(*first)
		return
	}
	why := "Found none valid"
	if valid > 0 {
		why = fmt.Sprintf("Found %d valid alternatives", valid)
	}
	r.general(fmt.Sprintf("%q must validate one and only one schema (oneOf). %s", at.String(), why))
	if best != nil {
		r.merge(*best)
	}
}

func (s *Schema) checkList(at *place, l *object.List, c *correlation) result {
	var r result
	if s.Items != nil {
		for i, x := range l.All() {
			if child := c.nth(i); child != nil {
				r.merge(s.Items.checkAt(at.nth(i), x, child))
			} else {
				r.merge(s.Items.checkValue(at.nth(i), x, nil))
			}
		}
	}
	n := int64(l.Len())
	if s.MinItems != nil && n < *s.MinItems {
		r.fail(api.FieldInvalid, at.String(), n, fmt.Sprintf("should have at least %d items", *s.MinItems))
	}
	if s.MaxItems != nil && n > *s.MaxItems {
		r.tooMany(at.String(), n, *s.MaxItems, "items")
	}
	if s.UniqueItems && hasEqualItems(l) {
		r.fail(api.FieldInvalid, at.String(), "", "shouldn't contain duplicates")
	}
	r.count++
	return r
}

// tooMany models field.TooMany, which counts items also where it means properties.
func (r *result) tooMany(at string, n, limit int64, what string) {
	noun := "items"
	if limit == 1 {
		noun = "item"
	}
	detail := fmt.Sprintf("must have at most %d %s", limit, noun)
	text := fmt.Sprintf("%s in body should have at most %d %s", at, limit, what)
	r.add(fault{&api.FieldError{Type: api.FieldTooMany, Field: at, Value: n, Detail: detail}, text})
}

func hasEqualItems(l *object.List) bool {
	for i, x := range l.All() {
		for j := range i {
			if object.Equal(l.At(j), x) {
				return true
			}
		}
	}
	return false
}

func (s *Schema) checkMap(at *place, m *object.Map, c *correlation) result {
	var r result
	n := int64(m.Len())
	if s.MinProperties != nil && n < *s.MinProperties {
		r.fail(api.FieldInvalid, at.String(), n, fmt.Sprintf("should have at least %d properties", *s.MinProperties))
	}
	if s.MaxProperties != nil && n > *s.MaxProperties {
		r.tooMany(at.String(), n, *s.MaxProperties, "properties")
	}
	if s.Additional != nil {
		s.checkAdditional(&r, at, m, c)
	}
	for _, p := range s.Properties {
		if x, ok := m.Get(p.Name); ok {
			r.merge(p.Schema.checkChild(at.at(p.Name), p.Name, x, c))
		}
	}
	for _, k := range s.Required {
		if !m.Has(k) {
			// The text counts from the root with a dot, and so do repetitions.
			field := at.String() + "." + k
			r.add(fault{&api.FieldError{Type: api.FieldRequired, Field: field}, field + " in body is required"})
		}
	}
	return r
}

func (s *Schema) checkAdditional(r *result, at *place, m *object.Map, c *correlation) {
	for k, x := range m.All() {
		switch {
		case s.Property(k) != nil:
		case !s.Additional.Allows:
			text := at.String() + "." + k + " in body is a forbidden property"
			r.add(fault{&api.FieldError{Type: api.FieldInvalid, Field: at.String(), Value: k, Detail: text}, text})
		case s.Additional.Schema != nil:
			child := at.at(k)
			if at == nil {
				child.key = "." + k // as kube-openapi writes it
			}
			r.merge(s.Additional.Schema.checkChild(child, k, x, c))
		}
	}
}

// checkChild validates a field. The kind and apiVersion of the root are never
// let pass: an update cannot see that they changed.
func (s *Schema) checkChild(at *place, key string, x any, c *correlation) result {
	child := c.key(key)
	if child == nil || at.up == nil && (key == "kind" || key == "apiVersion") {
		return s.checkValue(at, x, nil)
	}
	return s.checkAt(at, x, child)
}
