package gotemplate

import "errors"

var (
	errBadComparisonType = errors.New("invalid type for comparison")
	errBadComparison     = errors.New("incompatible types for comparison")
	errNoComparison      = errors.New("missing argument for comparison")
)

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
	if isNil(a) || isNil(b) {
		return isNil(a) && isNil(b), nil
	}
	switch x := a.(type) {
	case bool:
		if y, ok := b.(bool); ok {
			return x == y, nil
		}
	case string:
		if y, ok := b.(string); ok {
			return x == y, nil
		}
	case int64:
		if y, ok := b.(int64); ok {
			return x == y, nil
		}
	case float64:
		if y, ok := b.(float64); ok {
			return x == y, nil
		}
	default:
		return false, errBadComparisonType
	}
	return false, errBadComparison
}

func isNil(v any) bool {
	switch v.(type) {
	case nil, noValue:
		return true
	}
	return false
}

func less(a, b any) (bool, error) {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return x < y, nil
		}
	case int64:
		if y, ok := b.(int64); ok {
			return x < y, nil
		}
	case float64:
		if y, ok := b.(float64); ok {
			return x < y, nil
		}
	default:
		return false, errBadComparisonType
	}
	return false, errBadComparison
}

func lessOrEqual(args []any) (any, error) {
	lt, err := less(args[0], args[1])
	if lt || err != nil {
		return lt, err
	}
	return same(args[0], args[1])
}
