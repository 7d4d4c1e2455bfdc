package rules

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// validator is a schema with its rules compiled; nil where neither it nor any
// below it has rules that can be evaluated. Models cel.Validator.
type validator struct {
	schema   *schema.Schema
	resource bool
	rules    []compiled
	// failed is why they could not be compiled at all.
	failed            error
	items, additional *validator
	properties        map[string]*validator
	// usesOld says that one of the rules speaks of oldSelf.
	usesOld bool
}

func (b bases) newValidator(s *schema.Schema, d *declared, resource bool) *validator {
	if !s.HasRules() {
		return nil
	}
	v := &validator{schema: s, resource: resource, properties: map[string]*validator{}}
	if len(s.Rules) > 0 {
		v.failed = errors.New("failed to convert to declType for CEL validation rules")
		if d != nil {
			all := known{rules: map[string]bool{}, messages: map[string]bool{}}
			for _, r := range s.Rules {
				all.rules[r.Rule], all.messages[r.MessageExpression] = true, true
			}
			v.rules, v.failed = b.compileRules(s, d, all)
		}
	}
	for _, c := range v.rules {
		v.usesOld = v.usesOld || c.usesOld
	}
	if s.Items != nil {
		v.items = b.newValidator(s.Items, elemOf(d), s.Items.EmbeddedResource)
	}
	if s.Additional != nil && s.Additional.Schema != nil {
		v.additional = b.newValidator(s.Additional.Schema, elemOf(d), s.Additional.Schema.EmbeddedResource)
	}
	for _, p := range s.Properties {
		var field *declared
		if ident, ok := escape(p.Name); !ok {
			// Rules around it cannot name it, its own can be evaluated.
			field = declare(p.Schema, p.Schema.EmbeddedResource)
		} else if d != nil {
			field = d.fields[ident]
		}
		if field == nil {
			continue
		}
		if sub := b.newValidator(p.Schema, field, p.Schema.EmbeddedResource); sub != nil {
			v.properties[p.Name] = sub
		}
	}
	return v
}

// fieldPath prints as errors name a place; the root is empty.
type fieldPath string

func (p fieldPath) child(name string) fieldPath {
	if p == "" {
		return fieldPath(name)
	}
	return p + "." + fieldPath(name)
}

func (p fieldPath) key(k string) fieldPath { return p + "[" + fieldPath(k) + "]" }

func (p fieldPath) String() string {
	if p == "" {
		return "<nil>"
	}
	return string(p)
}

// run evaluates the rules of one object.
type run struct {
	left     int64
	errs     []*api.FieldError
	warnings []string
}

// value evaluates all rules of a value and below it. It stops where left falls
// below zero.
func (r *run) value(v *validator, at fieldPath, x, old any, ratchet schema.Ratchet) {
	if v == nil || x == nil || r.left < 0 {
		return
	}
	r.rules(v, at, x, old, ratchet)
	switch x := x.(type) {
	case *object.Map:
		before, _ := old.(*object.Map)
		r.fields(v, at, x, before, ratchet)
	case *object.List:
		before, _ := old.(*object.List)
		for i, item := range x.All() {
			r.value(v.items, at.key(fmt.Sprint(i)), item, v.counterpart(item, before), ratchet.Index(i))
		}
	}
}

func (r *run) fields(v *validator, at fieldPath, x, old *object.Map, ratchet schema.Ratchet) {
	correlated := v.schema.MapType == "" || v.schema.MapType == "granular" || v.schema.MapType == "atomic"
	for k, item := range x.All() {
		var before any
		if correlated {
			before, _ = old.Get(k)
		}
		if v.additional != nil {
			r.value(v.additional, at.key(k), item, before, ratchet.Key(k))
		}
		r.value(v.properties[k], at.child(k), item, before, ratchet.Key(k))
	}
}

// counterpart finds what an item of a list of type map was, by its keys.
func (v *validator) counterpart(item any, old *object.List) any {
	m, ok := item.(*object.Map)
	if !ok || v.schema.Type != "array" || v.schema.ListType != "map" {
		return nil
	}
	for _, x := range old.All() {
		if o, ok := x.(*object.Map); ok && v.schema.SameKeys(m, o) {
			return o
		}
	}
	return nil
}

// variables resolve self and oldSelf.
type variables struct {
	self, old ref.Val
}

// ResolveName implements cel.Activation.
func (v variables) ResolveName(name string) (any, bool) {
	switch name {
	case "self":
		return v.self, true
	case "oldSelf":
		return v.old, v.old != nil
	}
	return nil, false
}

// Parent implements cel.Activation.
func (variables) Parent() cel.Activation { return nil }

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

func (r *run) invalid(at fieldPath, value any, detail string) {
	r.errs = append(r.errs, &api.FieldError{Type: api.FieldInvalid, Field: at.String(), Value: value, Detail: detail})
}

// rules evaluates those of one schema. Models validateExpressions.
func (r *run) rules(v *validator, at fieldPath, x, old any, ratchet schema.Ratchet) {
	s := v.schema
	switch {
	case v.failed != nil:
		r.invalid(at, s.Type, fmt.Sprintf("rule compiler initialization error: %v", v.failed))
		return
	case len(v.rules) == 0:
		return
	case r.left <= 0:
		r.invalid(at, s.Type, outOfBudget)
		r.left = -1
		return
	}
	if v.resource {
		s = withMetadata(s)
	}
	self := variables{self: toValue(x, s)}
	optional := self
	if v.usesOld {
		optional.old = types.OptionalNone
		if old != nil {
			self.old = toValue(old, s)
			optional.old = types.OptionalOf(self.old)
		}
	}
	for i := range v.rules {
		c := &v.rules[i]
		takesNone := c.OptionalOldSelf != nil && *c.OptionalOldSelf
		vars := self
		if takesNone {
			vars = optional
		}
		switch {
		case c.failed != "":
			r.invalid(at, s.Type, "rule compile error: "+c.failed)
		case c.program == nil || c.usesOld && old == nil && !takesNone:
		case !r.holds(c, s, at, vars):
			r.broken(c, s, at, x, self, ratchet)
		}
		if r.left < 0 {
			return
		}
	}
}

// text names a rule in errors.
func (c *compiled) text() string {
	if c.Message != "" {
		return strings.TrimSpace(c.Message)
	}
	return strings.TrimSpace(c.Rule.Rule)
}

// holds runs a rule. Where it fails to run, it says so, and does not count as
// broken.
func (r *run) holds(c *compiled, s *schema.Schema, at fieldPath, vars variables) bool {
	result, details, err := c.program.Eval(vars)
	if details == nil || details.ActualCost() == nil {
		r.errs = append(r.errs, &api.FieldError{Type: api.FieldInternal, Field: at.String(),
			Detail: fmt.Sprintf("runtime cost could not be calculated for validation rule: %v, no further validation rules will be run", c.text())})
		r.left = -1
		return true
	}
	if !r.pay(*details.ActualCost()) {
		r.invalid(at, s.Type, outOfBudget)
		return true
	}
	if err == nil {
		return result == types.True
	}
	switch text := err.Error(); {
	case strings.HasPrefix(text, "no such overload"):
		r.invalid(at, s.Type, fmt.Sprintf("'%v': call arguments did not match a supported operator, function or macro signature for rule: %v", err, c.text()))
	case strings.HasPrefix(text, tooDearToRun):
		r.invalid(at, s.Type, fmt.Sprintf("'%v': no further validation rules will be run due to call cost exceeds limit for rule: %v", err, c.text()))
		r.left = -1
	default:
		r.invalid(at, s.Type, fmt.Sprintf("%v evaluating rule: %v", err, c.text()))
	}
	return true
}

const tooDearToRun = "operation cancelled: actual cost limit exceeded"

// pay reports whether the budget suffices.
func (r *run) pay(cost uint64) bool {
	if cost > math.MaxInt64 || int64(cost) > r.left {
		r.left = -1
		return false
	}
	r.left -= int64(cost)
	return true
}

// broken tells of a rule that does not hold.
func (r *run) broken(c *compiled, s *schema.Schema, at fieldPath, x any, vars variables, ratchet schema.Ratchet) {
	if c.path != "" {
		at = at.child(c.path)
	}
	e := &api.FieldError{Type: api.FieldInvalid, Field: at.String(), Value: x}
	if s.Type == "object" || s.Type == "array" {
		e.Value = api.OmitValue
	}
	switch {
	case c.message != nil && r.message(c, s, e, vars):
	case c.Message != "":
		e.Detail = strings.TrimSpace(c.Message)
	default:
		e.Detail = "failed rule: " + c.text()
	}
	if r.left >= 0 {
		switch c.Reason {
		case "FieldValueForbidden":
			e.Type, e.Value = api.FieldForbidden, nil
		case "FieldValueRequired":
			e.Type, e.Value = api.FieldRequired, ""
		case "FieldValueDuplicate":
			e.Type, e.Detail = api.FieldDuplicate, ""
		}
	}
	if !c.usesOld && ratchet.Unchanged() {
		r.warnings = append(r.warnings, e.Error())
	} else {
		r.errs = append(r.errs, e)
	}
}

const longestMessage = 5 * 1024

// message gives an error the text of the rule's messageExpression, where that is
// fit for it. Models evalMessageExpression.
func (r *run) message(c *compiled, s *schema.Schema, e *api.FieldError, vars variables) bool {
	result, details, err := c.message.Eval(vars)
	if details == nil || details.ActualCost() == nil {
		e.Type, e.Value, e.Detail = api.FieldInternal, nil, fmt.Sprintf("runtime cost could not be calculated for messageExpression: %q", c.MessageExpression)
		r.left = -1
		return true
	}
	dear := err != nil && strings.HasPrefix(err.Error(), tooDearToRun)
	switch {
	case !r.pay(*details.ActualCost()):
		e.Value, e.Detail = s.Type, "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
		return true
	case dear:
		e.Value, e.Detail = s.Type, fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for messageExpression: %q", c.MessageExpression)
		r.left = -1
		return true
	case err != nil:
		return false
	}
	text, ok := result.Value().(string)
	text = strings.TrimSpace(text)
	if !ok || text == "" || len(text) > longestMessage || strings.Contains(text, "\n") {
		return false
	}
	e.Detail = text
	return true
}
