package jq

import "github.com/reconcile-playground/reconcile/core/object"

// Checks compiles expressions over a state, the input, and the object at hand,
// $o: for whoever asks whether they hold. Each returns its first value, nil where
// there is none. It keeps the last state, of which many checks are made, and is
// not safe for concurrent use.
type Checks struct {
	state *object.Map
	in    any
}

// Compile compiles one.
func (c *Checks) Compile(text string) (func(state, o *object.Map) (any, error), error) {
	p, err := Compile(text, Options{Vars: []string{"$o"}})
	if err != nil {
		return nil, err
	}
	return func(state, o *object.Map) (any, error) {
		if state != c.state || c.in == nil {
			c.state, c.in = state, FromTree(state)
		}
		v, ok, err := p.First(nil, c.in, FromTree(o))
		if err != nil || !ok {
			return nil, err
		}
		return v, nil
	}, nil
}
