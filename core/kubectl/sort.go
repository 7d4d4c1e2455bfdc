package kubectl

import (
	"fmt"
	"math/big"
	"sort"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// sortTable sorts the rows of a Table by a field of their objects.
func sortTable(table *object.Map, by string) (*object.Map, error) {
	rows := object.New(table).List("rows")
	if rows.Len() < 2 {
		return table, nil
	}
	path, err := relaxedPath(by)
	if err != nil {
		path = by
	}
	roots := make([]any, rows.Len())
	for i, v := range rows.All() {
		m, _ := v.(*object.Map)
		roots[i], _ = object.At(m, "object")
	}
	order, err := sortOrder(roots, path)
	if err != nil {
		return nil, err
	}
	sorted := make([]any, len(order))
	for i, at := range order {
		sorted[i] = rows.At(at)
	}
	return table.With("rows", object.NewList(sorted...)), nil
}

// sortOrder returns the order of objects by a field. One that lacks it comes
// first.
func sortOrder(roots []any, path string) ([]int, error) {
	compiled, err := compilePath(path)
	if err != nil {
		return nil, err
	}
	keys := make([]any, len(roots))
	found := make([]bool, len(roots))
	any := len(roots) == 0
	for i, root := range roots {
		values, err := compiled.Find(root, true)
		if err != nil {
			return nil, err
		}
		if len(values) > 0 && len(values[0]) > 0 {
			keys[i], found[i], any = values[0][0], true, true
		}
	}
	if !any {
		return nil, errorf("couldn't find any field with path %q in the list of objects", path)
	}
	order := make([]int, len(roots))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool {
		a, b := order[i], order[j]
		switch {
		case !found[a]:
			return found[b]
		case !found[b]:
			return false
		}
		return lessKey(keys[a], keys[b])
	})
	return order, nil
}

func lessKey(a, b any) bool {
	switch x := a.(type) {
	case nil:
		return b != nil
	case int64:
		y, ok := b.(int64)
		return ok && x < y
	case float64:
		y, ok := b.(float64)
		return ok && x < y
	case string:
		y, ok := b.(string)
		if !ok {
			return false
		}
		p, okP := quantity(x)
		q, okQ := quantity(y)
		if okP && okQ {
			return p.Cmp(q) < 0
		}
		return x < y
	case *object.List:
		y, ok := b.(*object.List)
		for i := 0; ok && i < min(x.Len(), y.Len()); i++ {
			if !lessKey(x.At(i), y.At(i)) {
				return false
			}
		}
		return ok
	}
	return fmt.Sprint(object.ToAny(a)) < fmt.Sprint(object.ToAny(b))
}

var suffixes = []struct {
	text   string
	factor string
}{
	{"Ki", "1024"}, {"Mi", "1048576"}, {"Gi", "1073741824"}, {"Ti", "1099511627776"},
	{"Pi", "1125899906842624"}, {"Ei", "1152921504606846976"},
	{"n", "1/1000000000"}, {"u", "1/1000000"}, {"m", "1/1000"}, {"k", "1000"}, {"M", "1000000"},
	{"G", "1000000000"}, {"T", "1000000000000"}, {"P", "1000000000000000"}, {"E", "1000000000000000000"},
}

// quantity reads a text such as 100m or 2Gi.
func quantity(s string) (*big.Rat, bool) {
	factor := "1"
	for _, f := range suffixes {
		if rest, ok := strings.CutSuffix(s, f.text); ok {
			s, factor = rest, f.factor
			break
		}
	}
	if s == "" || strings.Trim(s, "0123456789.+-eE") != "" || s[0] == 'e' || s[0] == 'E' {
		return nil, false
	}
	n, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, false
	}
	by, _ := new(big.Rat).SetString(factor)
	return n.Mul(n, by), true
}
