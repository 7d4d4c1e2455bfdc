package rules

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// What one expression, and all of a schema, may be estimated to cost. Models
// StaticEstimatedCostLimit and StaticEstimatedCRDCostLimit.
const ruleLimit, schemaLimit = 10000000, 100000000

// definition compiles the rules of a CRD's schema. Models
// ValidateCustomResourceDefinitionOpenAPISchema where it is about rules.
type definition struct {
	bases
	schema.Compilation
	known
	broken map[string]bool
	errs   []*api.FieldError
	total  uint64
	// dear are the most expensive expressions, at most four, the dearest first.
	dear []dearRule
}

type dearRule struct {
	field string
	cost  uint64
}

// place is where a schema is in the schema of a CRD.
type place struct {
	path     string
	schema   *schema.Schema
	resource bool
	// declared is the type as the schema around has it; nil where that has no
	// rules, or does not show it.
	declared *declared
	// hidden says that the type of a schema around could not be told.
	hidden bool
	// times is how often the schema can occur, where that is bounded.
	times   uint64
	bounded bool
	// uncorrelated is the outermost schema around whose values have no old selves.
	uncorrelated string
}

// visit goes through a schema, those inside first.
func (d *definition) visit(p place) {
	s := p.schema
	if s == nil {
		return
	}
	own := p.declared
	inScope := own != nil || len(s.Rules) > 0
	if own == nil && inScope && !p.hidden {
		own = declare(s, p.resource)
	}
	if s.Additional != nil {
		d.visit(p.child(".additionalProperties", s.Additional.Schema, elemOf(own), own, inScope))
	}
	for _, prop := range s.Properties {
		var field *declared
		if ident, ok := escape(prop.Name); ok && own != nil {
			field = own.fields[ident]
		}
		child := p.child(".properties["+prop.Name+"]", prop.Schema, field, own, inScope)
		if s.MapType != "" && s.MapType != "granular" && s.MapType != "atomic" {
			child.uncorrelated = cmp.Or(p.uncorrelated, p.path)
		}
		d.visit(child)
	}
	items := p.child(".items", s.Items, elemOf(own), own, inScope)
	if s.ListType != "map" {
		items.uncorrelated = cmp.Or(p.uncorrelated, p.path)
	}
	d.visit(items)
	if len(s.Rules) > 0 && !d.broken[p.path] {
		d.compile(p, own)
	}
}

func elemOf(d *declared) *declared {
	if d == nil {
		return nil
	}
	return d.elem
}

// child is the place of a schema below, whose type is that of a part of own.
func (p place) child(step string, s *schema.Schema, part, own *declared, inScope bool) place {
	c := place{path: p.path + step, schema: s, declared: part, hidden: p.hidden || inScope && own == nil, uncorrelated: p.uncorrelated}
	if s != nil {
		c.resource = s.EmbeddedResource
	}
	if p.bounded {
		c.times, c.bounded = times(p.schema)
		c.times = multiply(p.times, c.times)
	}
	return c
}

// times is how often a schema makes those below it occur. Models
// extractMaxElements.
func times(s *schema.Schema) (n uint64, bounded bool) {
	most := (*int64)(nil)
	switch {
	case s.Type == "object" && s.Additional != nil:
		most = s.MaxProperties
	case s.Type == "array":
		most = s.MaxItems
	default:
		return 1, true
	}
	if most == nil {
		return 0, false
	}
	return uint64(max(*most, 0)), true
}

func multiply(a, b uint64) uint64 {
	if hi, lo := bits.Mul64(a, b); hi == 0 {
		return lo
	}
	return math.MaxUint64
}

func (d *definition) add(t api.FieldErrorType, field string, value any, detail string) {
	d.errs = append(d.errs, &api.FieldError{Type: t, Field: field, Value: value, Detail: detail})
}

func (d *definition) compile(p place, own *declared) {
	at := p.path + ".x-kubernetes-validations"
	if own == nil {
		d.add(api.FieldInternal, at, nil, "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations")
		return
	}
	rules, err := d.compileRules(p.schema, own, d.known)
	if err != nil {
		d.add(api.FieldInternal, at, nil, err.Error())
		return
	}
	// Where nothing bounds it, the schema occurs as often as a request can hold it.
	often := uint64(maxRequest / (own.least + 1))
	if p.bounded {
		often = p.times
	}
	for i, c := range rules {
		d.judge(p, c, fmt.Sprintf("%s[%d]", at, i), often)
	}
}

func (d *definition) judge(p place, c compiled, at string, often uint64) {
	d.spend(at+".rule", "estimated rule cost", multiply(c.cost, often))
	if c.failed != "" {
		d.add(api.FieldInvalid, at+".rule", schema.InternalRule(c.Rule), c.failed)
	}
	switch {
	case c.messageFailed != "":
		d.add(api.FieldInvalid, at+".messageExpression", schema.InternalRule(c.Rule), c.messageFailed)
	case c.message != nil:
		d.spend(at+".messageExpression", "estimated messageExpression cost", c.messageCost)
	}
	switch {
	case c.usesOld && p.uncorrelated != "":
		d.add(api.FieldInvalid, at+".rule", c.Rule.Rule, "oldSelf cannot be used on the uncorrelatable portion of the schema within "+p.uncorrelated)
	case !c.usesOld && c.OptionalOldSelf != nil:
		d.add(api.FieldInvalid, at+".optionalOldSelf", *c.OptionalOldSelf, "may not be set if oldSelf is not used in rule")
	}
}

// spend adds what an expression costs.
func (d *definition) spend(field, what string, cost uint64) {
	if cost > ruleLimit && !d.Unchanged {
		d.add(api.FieldForbidden, field, nil, tooDear(what, cost, ruleLimit))
	}
	if d.total > math.MaxUint64-cost {
		d.total = math.MaxUint64
	} else {
		d.total += cost
	}
	if cost < schemaLimit/100 {
		return
	}
	d.dear = append(d.dear, dearRule{field, cost})
	slices.SortStableFunc(d.dear, func(a, b dearRule) int { return cmp.Compare(b.cost, a.cost) })
	d.dear = d.dear[:min(len(d.dear), 4)]
}

// finish judges what all rules cost together.
func (d *definition) finish() []*api.FieldError {
	if d.total > schemaLimit {
		for _, r := range d.dear {
			d.add(api.FieldForbidden, r.field, nil, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema")
		}
		d.add(api.FieldForbidden, d.Path, nil, tooDear("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", d.total, schemaLimit))
	}
	return d.errs
}

func tooDear(what string, cost, limit uint64) string {
	factor := float64(cost) / float64(limit)
	text := fmt.Sprintf("%.1fx", factor)
	switch {
	case factor > 100:
		text = "more than 100x"
	case factor < 1.5:
		text = fmt.Sprintf("%fx", factor)
	}
	return fmt.Sprintf("%s exceeds budget by factor of %s (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)", what, text)
}
