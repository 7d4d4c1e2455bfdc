package library

import (
	"errors"
	"math/big"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

var quantityType = cel.ObjectType("kubernetes.Quantity")

// quantityValue is a quantity. Upstream gives a sum as a pointer, to which
// nothing is equal: a sum may only stand on the left of ==.
type quantityValue struct {
	opaque[amount]
	sum bool
}

// ConvertToType implements ref.Val.
func (q quantityValue) ConvertToType(want ref.Type) ref.Val { return q.to(q, want) }

// Equal implements ref.Val.
func (q quantityValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(quantityValue)
	if !ok || o.sum {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(q.v.compare(o.v) == 0)
}

func newQuantity(a amount, err error, sum bool) ref.Val {
	if err != nil {
		return types.WrapErr(err)
	}
	return quantityValue{opaque[amount]{quantityType, "Quantity", a}, sum}
}

func whole(n int64) amount { return amount{big.NewInt(n), 0, true} }

func quantityFunctions() []cel.EnvOption {
	compared := func(name, overload string, result *cel.Type, f func(order int) ref.Val) cel.EnvOption {
		return member(name, overload, result, binary(func(a, b amount) ref.Val { return f(a.compare(b)) }), quantityType, quantityType)
	}
	added := func(a, b amount) ref.Val {
		total, err := a.add(b)
		return newQuantity(total, err, true)
	}
	return []cel.EnvOption{
		global("quantity", "string_to_quantity", quantityType, unary(func(s string) ref.Val {
			a, err := parseAmount(s)
			return newQuantity(a, err, false)
		}), cel.StringType),
		global("isQuantity", "is_quantity_string", cel.BoolType, unary(func(s string) ref.Val {
			_, err := parseAmount(s)
			return types.Bool(err == nil)
		}), cel.StringType),
		global("sign", "quantity_sign", cel.IntType, unary(func(a amount) ref.Val { return types.Int(a.unscaled.Sign()) }), quantityType),
		compared("isGreaterThan", "quantity_is_greater_than", cel.BoolType, func(o int) ref.Val { return types.Bool(o > 0) }),
		compared("isLessThan", "quantity_is_less_than", cel.BoolType, func(o int) ref.Val { return types.Bool(o < 0) }),
		compared("compareTo", "quantity_compare_to", cel.IntType, func(o int) ref.Val { return types.Int(o) }),
		member("asApproximateFloat", "quantity_get_float", cel.DoubleType, unary(func(a amount) ref.Val { return types.Double(a.float()) }), quantityType),
		member("asInteger", "quantity_get_int", cel.IntType, unary(func(a amount) ref.Val {
			n, ok := a.int64()
			if !ok {
				return types.WrapErr(errors.New("cannot convert value to integer"))
			}
			return types.Int(n)
		}), quantityType),
		member("isInteger", "quantity_is_integer", cel.BoolType, unary(func(a amount) ref.Val {
			_, ok := a.int64()
			return types.Bool(ok)
		}), quantityType),
		member("add", "quantity_add", quantityType, binary(added), quantityType, quantityType),
		member("add", "quantity_add_int", quantityType, binary(func(a amount, n int64) ref.Val { return added(a, whole(n)) }), quantityType, cel.IntType),
		member("sub", "quantity_sub", quantityType, binary(func(a, b amount) ref.Val { return added(a, b.negated()) }), quantityType, quantityType),
		member("sub", "quantity_sub_int", quantityType, binary(func(a amount, n int64) ref.Val { return added(a, whole(n).negated()) }), quantityType, cel.IntType),
	}
}
