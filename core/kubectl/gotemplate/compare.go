package gotemplate

import (
	"errors"
	"fmt"

	"github.com/reconcile-playground/reconcile/core/object"
)

var (
	errBadComparisonType = errors.New("invalid type for comparison")
	errNoComparison      = errors.New("missing argument for comparison")
)

// basic is what values are compared as.
type basic int

const (
	invalidKind basic = iota
	boolKind
	intKind
	floatKind
	stringKind
)

func basicKind(v any) basic {
	switch v.(type) {
	case bool:
		return boolKind
	case int, int64:
		return intKind
	case float64:
		return floatKind
	case string:
		return stringKind
	}
	return invalidKind
}

// goType names a value's Go type.
func goType(v any) string {
	switch v.(type) {
	case *object.Map:
		return "map[string]interface {}"
	case *object.List:
		return "[]interface {}"
	}
	return fmt.Sprintf("%T", v)
}

func isNil(v any) bool {
	switch v.(type) {
	case nil, noValue:
		return true
	}
	return false
}

func whole(v any) int64 {
	if n, ok := v.(int); ok {
		return int64(n)
	}
	n, _ := v.(int64)
	return n
}

// equal reports whether the first argument is any of the others.
func equal(args []any) (any, error) {
	if len(args) < 2 {
		return false, errNoComparison
	}
	for _, b := range args[1:] {
		ok, err := same(args[0], b)
		if err != nil {
			return false, err
		}
		if ok {
			return true, nil
		}
	}
	return false, nil
}

func same(a, b any) (bool, error) {
	kind := basicKind(a)
	switch {
	case kind != basicKind(b):
		if isNil(a) || isNil(b) {
			return false, nil
		}
		return false, fmt.Errorf("incompatible types for comparison: %s and %s", goType(a), goType(b))
	case kind == intKind:
		return whole(a) == whole(b), nil
	case kind != invalidKind:
		return a == b, nil
	case isNil(a) || isNil(b):
		return isNil(a) && isNil(b), nil
	}
	return false, fmt.Errorf("non-comparable types %v: %s, %s: %v", plain(a), goType(a), goType(b), plain(b))
}

func less(a, b any) (bool, error) {
	kind := basicKind(a)
	switch other := basicKind(b); {
	case kind == invalidKind || other == invalidKind:
		return false, errBadComparisonType
	case kind != other:
		return false, fmt.Errorf("incompatible types for comparison: %s and %s", goType(a), goType(b))
	}
	switch kind {
	case intKind:
		return whole(a) < whole(b), nil
	case floatKind:
		return a.(float64) < b.(float64), nil
	case stringKind:
		return a.(string) < b.(string), nil
	}
	return false, errBadComparisonType
}

func lessOrEqual(args []any) (any, error) {
	lt, err := less(args[0], args[1])
	if lt || err != nil {
		return lt, err
	}
	return same(args[0], args[1])
}
