package rules

import (
	"sync"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// Evaluator implements schema.Evaluator. It may be used by several callers at
// once. What it has compiled it keeps, within bounds; what it answers depends
// on the question alone.
type Evaluator struct {
	mu    sync.Mutex
	bases bases
	// bySchema finds what was compiled for a schema, byText for its text.
	bySchema map[cacheKey]*validator
	byText   map[string]*validator
}

type cacheKey struct {
	schema   *schema.Schema
	resource bool
}

// cached is how much of each kind is kept.
const cached = 256

// New returns an Evaluator. It takes some milliseconds: a program makes one.
func New() (*Evaluator, error) {
	fresh, err := baseEnv(false)
	if err != nil {
		return nil, err
	}
	stored, err := baseEnv(true)
	if err != nil {
		return nil, err
	}
	return &Evaluator{bases: bases{fresh, stored}, bySchema: map[cacheKey]*validator{}, byText: map[string]*validator{}}, nil
}

// Compile implements schema.Evaluator.
func (e *Evaluator) Compile(c schema.Compilation) []*api.FieldError {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := definition{bases: e.bases, Compilation: c, known: expressionsOf(c.Stored), broken: map[string]bool{}}
	for _, field := range c.Broken {
		d.broken[field] = true
	}
	d.visit(place{path: c.Path, schema: c.Schema, resource: true, times: 1, bounded: true})
	return d.finish()
}

func expressionsOf(stored []*schema.Schema) known {
	k := known{rules: map[string]bool{}, messages: map[string]bool{}}
	var visit func(s *schema.Schema)
	visit = func(s *schema.Schema) {
		if !s.HasRules() {
			return
		}
		for _, r := range s.Rules {
			k.rules[r.Rule] = true
			if r.MessageExpression != "" {
				k.messages[r.MessageExpression] = true
			}
		}
		visit(s.Items)
		if s.Additional != nil {
			visit(s.Additional.Schema)
		}
		for _, p := range s.Properties {
			visit(p.Schema)
		}
	}
	for _, s := range stored {
		visit(s)
	}
	return k
}

// Evaluate implements schema.Evaluator.
func (e *Evaluator) Evaluate(q schema.Evaluation) schema.Verdict {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := run{left: q.Budget}
	ratchet := schema.Ratchet{}
	if q.Ratchet {
		value, _ := q.Value.(*object.Map)
		old, _ := q.Old.(*object.Map)
		ratchet = schema.NewRatchet(value, old, q.Schema)
	}
	r.value(e.validator(q.Schema, q.Resource), fieldPath(q.Path), q.Value, q.Old, ratchet)
	return schema.Verdict{Errors: r.errs, Warnings: r.warnings, Budget: r.left}
}

// validator compiles a schema for evaluation, or finds it compiled.
func (e *Evaluator) validator(s *schema.Schema, resource bool) *validator {
	key := cacheKey{s, resource}
	if v, ok := e.bySchema[key]; ok {
		return v
	}
	text := string(object.EncodeJSON(s.Raw))
	if resource {
		text = "resource " + text
	}
	v, ok := e.byText[text]
	if !ok {
		v = e.bases.newValidator(s, declare(s, resource), resource)
		if len(e.byText) >= cached {
			clear(e.byText)
		}
		e.byText[text] = v
	}
	if len(e.bySchema) >= cached {
		clear(e.bySchema)
	}
	e.bySchema[key] = v
	return v
}
