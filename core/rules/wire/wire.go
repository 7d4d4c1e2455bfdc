// Package wire carries questions about rules to an evaluator in another program,
// and its answers back, as JSON. The page asks so: its evaluator is a WebAssembly
// module of its own, which is loaded when it is first needed.
//
// A schema goes over once: from then on questions carry its number. A number that
// the other side has forgotten is asked about again with the schema.
package wire

import (
	"fmt"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// remembered is how many schemas each side keeps.
const remembered = 256

// Client implements schema.Evaluator by asking another program.
type Client struct {
	ask     func(question string) (string, error)
	numbers map[*schema.Schema]int64
}

// NewClient returns a Client that asks through ask, which must answer at once. Its
// error says why nobody answers: then what was asked about is refused with it.
func NewClient(ask func(question string) (answer string, err error)) *Client {
	return &Client{ask: ask, numbers: map[*schema.Schema]int64{}}
}

// Compile implements schema.Evaluator.
func (c *Client) Compile(q schema.Compilation) []*api.FieldError {
	stored := []any{}
	for _, s := range q.Stored {
		if s != nil {
			stored = append(stored, s.Raw)
		}
	}
	answer, err := c.send(map[string]any{"do": "compile", "schema": q.Schema.Raw, "path": q.Path,
		"broken": q.Broken, "stored": stored, "unchanged": q.Unchanged})
	if err != nil {
		return []*api.FieldError{{Type: api.FieldForbidden, Field: q.Path, Detail: err.Error()}}
	}
	return readErrors(answer.List("errors"))
}

// Evaluate implements schema.Evaluator.
func (c *Client) Evaluate(q schema.Evaluation) schema.Verdict {
	question := map[string]any{"do": "evaluate", "resource": q.Resource, "path": q.Path,
		"value": q.Value, "old": q.Old, "ratchet": q.Ratchet, "budget": q.Budget}
	number, known := c.numbers[q.Schema]
	if question["number"] = number; !known {
		question["schema"] = q.Schema.Raw
	}
	answer, err := c.send(question)
	if err == nil && answer.Bool("forgotten") {
		question["schema"] = q.Schema.Raw
		answer, err = c.send(question)
	}
	if err != nil {
		return schema.Verdict{Budget: -1, Errors: []*api.FieldError{{Type: api.FieldInternal, Field: "<nil>", Detail: err.Error()}}}
	}
	if len(c.numbers) >= remembered {
		clear(c.numbers)
	}
	c.numbers[q.Schema], _ = answer.Int("number")
	v := schema.Verdict{Errors: readErrors(answer.List("errors"))}
	v.Budget, _ = answer.Int("budget")
	for _, w := range answer.List("warnings").All() {
		text, _ := w.(string)
		v.Warnings = append(v.Warnings, text)
	}
	return v
}

func (c *Client) send(question map[string]any) (object.Object, error) {
	answer, err := c.ask(string(object.EncodeJSON(object.FromMap(question).Root())))
	if err != nil {
		return object.Object{}, err
	}
	return object.DecodeObject([]byte(answer))
}

// Server answers the questions of one Client.
type Server struct {
	rules   schema.Evaluator
	schemas map[int64]*schema.Schema
	last    int64
}

// NewServer returns a Server that knows the answers from rules.
func NewServer(rules schema.Evaluator) *Server {
	return &Server{rules: rules, schemas: map[int64]*schema.Schema{}}
}

// Answer answers a question of a Client.
func (s *Server) Answer(question string) string {
	answer := map[string]any{}
	q, err := object.DecodeObject([]byte(question))
	switch {
	case err != nil:
		answer["errors"] = writeErrors([]*api.FieldError{{Type: api.FieldInternal, Field: "<nil>", Detail: fmt.Sprintf("the question does not parse: %v", err)}})
	case q.Str("do") == "compile":
		answer["errors"] = writeErrors(s.compile(q))
	default:
		s.evaluate(q, answer)
	}
	return string(object.EncodeJSON(object.FromMap(answer).Root()))
}

func (s *Server) compile(q object.Object) []*api.FieldError {
	c := schema.Compilation{Schema: schema.Parse(q.Map("schema")), Path: q.Str("path"), Unchanged: q.Bool("unchanged")}
	for _, x := range q.List("broken").All() {
		field, _ := x.(string)
		c.Broken = append(c.Broken, field)
	}
	for _, x := range q.List("stored").All() {
		m, _ := x.(*object.Map)
		c.Stored = append(c.Stored, schema.Parse(m))
	}
	return s.rules.Compile(c)
}

func (s *Server) evaluate(q object.Object, answer map[string]any) {
	number, _ := q.Int("number")
	if m := q.Map("schema"); m != nil {
		if len(s.schemas) >= remembered {
			clear(s.schemas)
		}
		s.last++
		number = s.last
		s.schemas[number] = schema.Parse(m)
	}
	sch := s.schemas[number]
	if sch == nil {
		answer["forgotten"] = true
		return
	}
	e := schema.Evaluation{Schema: sch, Resource: q.Bool("resource"), Path: q.Str("path"), Ratchet: q.Bool("ratchet")}
	e.Value, _ = q.At("value")
	e.Old, _ = q.At("old")
	e.Budget, _ = q.Int("budget")
	v := s.rules.Evaluate(e)
	answer["number"], answer["budget"], answer["errors"], answer["warnings"] = number, v.Budget, writeErrors(v.Errors), v.Warnings
}

// printed is a value that crosses as it is printed.
type printed string

// String implements fmt.Stringer.
func (p printed) String() string { return string(p) }

func writeErrors(errs []*api.FieldError) []any {
	out := make([]any, len(errs))
	for i, e := range errs {
		m := map[string]any{"type": string(e.Type), "field": e.Field, "detail": e.Detail}
		if e.Value == api.OmitValue {
			m["omitted"] = true
		} else if s, ok := e.Value.(fmt.Stringer); ok {
			m["printed"] = s.String()
		} else {
			m["value"] = e.Value
		}
		out[i] = m
	}
	return out
}

func readErrors(l *object.List) []*api.FieldError {
	var out []*api.FieldError
	for _, x := range l.All() {
		m, _ := x.(*object.Map)
		o := object.New(m)
		e := &api.FieldError{Type: api.FieldErrorType(o.Str("type")), Field: o.Str("field"), Detail: o.Str("detail")}
		e.Value, _ = o.At("value")
		if o.Bool("omitted") {
			e.Value = api.OmitValue
		} else if text, ok := o.At("printed"); ok {
			s, _ := text.(string)
			e.Value = printed(s)
		}
		out = append(out, e)
	}
	return out
}
