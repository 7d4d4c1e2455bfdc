package library

import (
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// element is a type whose lists have functions of their own.
type element struct {
	name string
	kind *cel.Type
}

var comparable = []element{
	{"int", cel.IntType}, {"uint", cel.UintType}, {"double", cel.DoubleType}, {"bool", cel.BoolType},
	{"duration", cel.DurationType}, {"timestamp", cel.TimestampType}, {"string", cel.StringType}, {"bytes", cel.BytesType},
}

// summable are the types that can be added, each with its zero.
var summable = []struct {
	element
	zero traits.Adder
}{
	{element{"int", cel.IntType}, types.Int(0)}, {element{"uint", cel.UintType}, types.Uint(0)},
	{element{"double", cel.DoubleType}, types.Double(0)}, {element{"duration", cel.DurationType}, types.Duration{}},
}

func listFunctions(withIncludes bool) []cel.EnvOption {
	var out []cel.EnvOption
	for _, e := range comparable {
		list := cel.ListType(e.kind)
		out = append(out,
			member("isSorted", fmt.Sprintf("list_%s_is_sorted_bool", e.name), cel.BoolType, cel.UnaryBinding(isSorted), list),
			member("max", fmt.Sprintf("list_%s_max_%s", e.name, e.name), e.kind, cel.UnaryBinding(extreme("max", types.IntNegOne)), list),
			member("min", fmt.Sprintf("list_%s_min_%s", e.name, e.name), e.kind, cel.UnaryBinding(extreme("min", types.IntOne)), list))
	}
	for _, e := range summable {
		out = append(out, member("sum", fmt.Sprintf("list_%s_sum_%s", e.name, e.name), e.kind, cel.UnaryBinding(sum(e.zero)), cel.ListType(e.kind)))
	}
	a := cel.TypeParamType("A")
	out = append(out,
		member("indexOf", "list_a_index_of_int", cel.IntType, cel.BinaryBinding(indexOf), cel.ListType(a), a),
		member("lastIndexOf", "list_a_last_index_of_int", cel.IntType, cel.BinaryBinding(lastIndexOf), cel.ListType(a), a))
	if withIncludes {
		out = append(out, member("includes", "list_includes_dyn_dyn", cel.BoolType, cel.BinaryBinding(includes), cel.DynType, cel.DynType))
	}
	return out
}

// items returns the elements of a list; where it is none, the error to give.
func items(list ref.Val) ([]ref.Val, ref.Val) {
	iterable, ok := list.(traits.Iterable)
	if !ok {
		return nil, types.MaybeNoSuchOverloadErr(list)
	}
	var out []ref.Val
	for it := iterable.Iterator(); it.HasNext() == types.True; {
		out = append(out, it.Next())
	}
	return out, nil
}

func isSorted(list ref.Val) ref.Val {
	all, bad := items(list)
	if bad != nil {
		return bad
	}
	var before traits.Comparer
	for _, x := range all {
		c, ok := x.(traits.Comparer)
		if !ok {
			return types.MaybeNoSuchOverloadErr(x)
		}
		if before != nil && before.Compare(x) == types.IntOne {
			return types.False
		}
		before = c
	}
	return types.True
}

func sum(zero traits.Adder) func(ref.Val) ref.Val {
	return func(list ref.Val) ref.Val {
		all, bad := items(list)
		if bad != nil {
			return bad
		}
		total := zero
		for _, x := range all {
			if _, ok := x.(traits.Adder); !ok {
				return types.MaybeNoSuchOverloadErr(x)
			}
			next := total.Add(x)
			adder, ok := next.(traits.Adder)
			if !ok {
				return types.MaybeNoSuchOverloadErr(next)
			}
			total = adder
		}
		return total.(ref.Val)
	}
}

// extreme finds the element that another takes the place of where comparing
// with it gives replace.
func extreme(name string, replace ref.Val) func(ref.Val) ref.Val {
	return func(list ref.Val) ref.Val {
		all, bad := items(list)
		if bad != nil {
			return bad
		}
		var best traits.Comparer
		for _, x := range all {
			c, ok := x.(traits.Comparer)
			if !ok {
				return types.MaybeNoSuchOverloadErr(x)
			}
			if best == nil || best.Compare(x) == replace {
				best = c
			}
		}
		if best == nil {
			return types.NewErr("%s called on empty list", name)
		}
		return best.(ref.Val)
	}
}

func indexOf(list, item ref.Val) ref.Val {
	l, ok := list.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	n, _ := l.Size().(types.Int)
	for i := types.Int(0); i < n; i++ {
		if l.Get(i).Equal(item) == types.True {
			return i
		}
	}
	return types.IntNegOne
}

func lastIndexOf(list, item ref.Val) ref.Val {
	l, ok := list.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	n, _ := l.Size().(types.Int)
	for i := n - 1; i >= 0; i-- {
		if l.Get(i).Equal(item) == types.True {
			return i
		}
	}
	return types.IntNegOne
}

// includes takes a value that is no list as a list of itself.
func includes(target, item ref.Val) ref.Val {
	if _, ok := target.(traits.Lister); !ok {
		return types.Bool(target.Equal(item) == types.True)
	}
	all, bad := items(target)
	if bad != nil {
		return bad
	}
	for _, x := range all {
		if x.Equal(item) == types.True {
			return types.True
		}
	}
	return types.False
}
