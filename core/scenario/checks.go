package scenario

import (
	"fmt"
	"slices"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Check is what a scenario wants of its state, as an expression.
type Check struct {
	// Name is a word; Finding the name of the finding where it fails.
	Name, Finding string
	// For is a kind: the check is made for each of its objects, which is $o;
	// empty for once.
	For string
	// At is rest or always.
	At string
	// About is what the failure turns on, to name a call of the reconciler: a kind,
	// Kind/status, create Kind; empty where that cannot be said.
	About string
	// Expr is in jq, over the state; it holds where its last value is neither
	// false nor null.
	Expr string
	// Wants words what holds where all is well; empty for the name's words.
	Wants string
	// Says words the failure.
	Says string
	// Line is where it stands in the document.
	Line int
}

// parseChecks reads desired.yaml.
func parseChecks(text []byte) ([]Check, error) {
	docs, err := object.DecodeYAML(text)
	if err != nil {
		return nil, yamlError(err)
	}
	if len(docs) != 1 {
		return nil, &Error{Line: 1, Message: fmt.Sprintf("must be one YAML document, not %d", len(docs))}
	}
	m, ok := docs[0].Value.(*object.Map)
	if !ok {
		return nil, &Error{Line: docs[0].Line, Message: "must be a map with checks"}
	}
	r := &reader{doc: docs[0]}
	r.fields(m, "", "checks", "defs")
	defs := r.str(m, "", "defs", "")
	var out []Check
	r.maps(m, "", "checks", func(item *object.Map, path string) {
		r.fields(item, path, "name", "finding", "for", "at", "about", "expr", "wants", "says")
		c := Check{
			Name: r.str(item, path, "name", ""), Finding: r.str(item, path, "finding", "wrong-state"),
			For: r.str(item, path, "for", ""), At: r.word(item, path, "at", "rest", "rest", "always"),
			About: r.str(item, path, "about", ""), Expr: defs + r.str(item, path, "expr", ""), Wants: r.str(item, path, "wants", ""), Says: r.str(item, path, "says", ""),
		}
		c.Line, _ = r.doc.Position(path)
		switch {
		case c.Name == "":
			r.fail(path, "name is missing")
		case len(c.Expr) == len(defs):
			r.fail(path, "expr is missing: a jq expression over the state, with $o the object at hand")
		case slices.ContainsFunc(out, func(b Check) bool { return b.Name == c.Name }):
			r.fail(path+".name", "%q is the name of another check", c.Name)
		}
		out = append(out, c)
	})
	if r.err != nil {
		return nil, r.err
	}
	return out, nil
}
