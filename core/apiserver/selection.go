package apiserver

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/store"
)

// selection is a label and a field selector. Models storage.SelectionPredicate.
type selection struct {
	labels api.LabelSelector
	fields []fieldRequirement
	name   string
	// everything is set where nothing is left out.
	everything bool
}

// matches reports whether an object is selected.
func (sel selection) matches(o object.Object) bool {
	if sel.everything {
		return true
	}
	if sel.name != "" && o.Name() != sel.name {
		return false
	}
	if !sel.labels.Matches(o.Labels()) {
		return false
	}
	for _, r := range sel.fields {
		if !r.matches(o) {
			return false
		}
	}
	return true
}

// candidates walks a part of the store that has all that is selected: by the
// index of a label that must have one value, where there is one.
func (sel selection) candidates(from *store.Store, prefix, start string) iter.Seq2[string, object.Object] {
	if key, value, ok := sel.labels.Exact(); ok {
		if found, ok := from.Labelled(prefix, start, key, value); ok {
			return found
		}
	}
	return from.Range(prefix, start)
}

// asksForOne reports whether a list reads one key. Models MatchesSingle.
func (k *kind) asksForOne(sel selection, req *api.Request) bool {
	named := slices.ContainsFunc(sel.fields, func(r fieldRequirement) bool { return r.field == "metadata.name" && !r.not })
	return named && req.Continue == "" && (req.Namespace != "" || !k.Namespaced)
}

// selection reads the selectors of a list or watch and checks its other options,
// in the real server's order. A watch of one object by
// name selects it alone.
func (k *kind) selection(req *api.Request) (selection, *api.Status) {
	labels, err := api.ParseLabelSelector(req.LabelSelector)
	if err != nil {
		return selection{}, api.NewBadRequest(err.Error())
	}
	fields, err := parseFieldSelector(req.FieldSelector)
	if err != nil {
		return selection{}, api.NewBadRequest(err.Error())
	}
	if status := validateListOptions(req); status != nil {
		return selection{}, status
	}
	for i, f := range fields {
		if err := k.checkFieldLabel(f.field); err != nil {
			return selection{}, api.NewBadRequest(err.Error())
		}
		fields[i].text = k.fieldLabels[f.field]
	}
	sel := selection{labels: labels, fields: fields, name: req.Name}
	sel.everything = len(labels) == 0 && len(fields) == 0 && req.Name == ""
	return sel, nil
}

// fieldRequirement is one term of a field selector. It is about what text tells of
// an object, or about what is at its path, where that is nil.
type fieldRequirement struct {
	field string
	path  []string
	text  func(object.Object) string
	value string
	not   bool
}

func (r fieldRequirement) matches(o object.Object) bool {
	s := ""
	if r.text != nil {
		s = r.text(o)
	} else if v, _ := o.At(r.path...); v != nil {
		s = object.PathText(v)
	}
	return (s == r.value) != r.not
}

// atPaths are field labels that stand for what is at the paths of their names.
func atPaths(names ...string) map[string]func(object.Object) string {
	labels := map[string]func(object.Object) string{}
	for _, name := range names {
		labels[name] = nil
	}
	return labels
}

// parseFieldSelector reads terms joined by commas. Models fields.ParseSelector.
func parseFieldSelector(text string) ([]fieldRequirement, error) {
	var out []fieldRequirement
	for _, term := range slices.Sorted(slices.Values(splitTerms(text))) {
		if term == "" {
			continue
		}
		field, op, value, ok := cutTerm(term)
		if !ok {
			return nil, fmt.Errorf("invalid selector: '%s'; can't understand '%s'", text, term)
		}
		value, err := unescape(value)
		if err != nil {
			return nil, err
		}
		if field == "" && value == "" {
			continue
		}
		out = append(out, fieldRequirement{field: field, path: strings.Split(field, "."), value: value, not: op == "!="})
	}
	return out, nil
}

// checkFieldLabel refuses what cannot be selected by.
func (k *kind) checkFieldLabel(field string) error {
	hasNamespace := k.Namespaced || !k.Custom && len(k.fieldLabels) == 0
	if field == "metadata.name" || field == "metadata.namespace" && hasNamespace {
		return nil
	}
	if _, ok := k.fieldLabels[field]; ok {
		return nil
	}
	if k.Custom || len(k.fieldLabels) > 0 {
		return fmt.Errorf("field label not supported: %s", field)
	}
	return fmt.Errorf(`%q is not a known field selector: only "metadata.name", "metadata.namespace"`, field)
}

// splitTerms splits at commas that no backslash escapes.
func splitTerms(text string) []string {
	var terms []string
	start, escaped := 0, false
	for i, r := range text {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == ',':
			terms = append(terms, text[start:i])
			start = i + 1
		}
	}
	return append(terms, text[start:])
}

// cutTerm splits a term at its first operator that no backslash escapes.
func cutTerm(term string) (field, op, value string, ok bool) {
	for i := range term {
		for _, op := range []string{"!=", "==", "="} {
			if strings.HasPrefix(term[i:], op) {
				return term[:i], op, term[i+len(op):], true
			}
		}
	}
	return "", "", "", false
}

// unescape undoes the backslashes of a value.
func unescape(s string) (string, error) {
	if !strings.ContainsAny(s, `\,=`) {
		return s, nil
	}
	var b strings.Builder
	escaped := false
	for _, r := range s {
		switch {
		case escaped && (r == '\\' || r == ',' || r == '='):
			b.WriteRune(r)
			escaped = false
		case escaped:
			return "", fmt.Errorf("invalid field selector: invalid escape sequence: %s", string([]rune{'\\', r}))
		case r == '\\':
			escaped = true
		case r == ',' || r == '=':
			// The real server prints the character's number.
			return "", fmt.Errorf("invalid field selector: unescaped character in value: %d", r)
		default:
			b.WriteRune(r)
		}
	}
	if escaped {
		return "", errors.New(`invalid field selector: invalid escape sequence: \`)
	}
	return b.String(), nil
}
