// Package library holds the functions that Kubernetes adds to CEL for the rules
// of custom resources, at version 1.37, and what they cost. Models
// k8s.io/apiserver/pkg/cel/library.
//
// A function never panics, whatever it is given, and its work is bounded by
// what it is said to cost.
package library

import (
	"fmt"
	"reflect"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// Functions declares the functions that every rule may use. includes says that
// a rule may use that function of lists too, which only stored rules may in the
// release that brings it.
func Functions(includes bool) []cel.EnvOption {
	var out []cel.EnvOption
	for _, part := range [][]cel.EnvOption{
		urlFunctions(), regexFunctions(), listFunctions(includes), authorizerFunctions(), quantityFunctions(),
		ipFunctions(), cidrFunctions(), formatFunctions(), semverFunctions(),
	} {
		out = append(out, part...)
	}
	return out
}

// function declares one function of the receiver style for each overload.
func member(name, overload string, result *cel.Type, binding cel.OverloadOpt, args ...*cel.Type) cel.EnvOption {
	return cel.Function(name, cel.MemberOverload(overload, args, result, binding))
}

// global declares one overload of a function that has no receiver.
func global(name, overload string, result *cel.Type, binding cel.OverloadOpt, args ...*cel.Type) cel.EnvOption {
	return cel.Function(name, cel.Overload(overload, args, result, binding))
}

// unary binds a function of one argument of the Go type A.
func unary[A any](f func(A) ref.Val) cel.OverloadOpt {
	return cel.UnaryBinding(func(arg ref.Val) ref.Val {
		a, ok := arg.Value().(A)
		if !ok {
			return types.MaybeNoSuchOverloadErr(arg)
		}
		return f(a)
	})
}

// binary binds a function of two arguments of the Go types A and B.
func binary[A, B any](f func(A, B) ref.Val) cel.OverloadOpt {
	return cel.BinaryBinding(func(lhs, rhs ref.Val) ref.Val {
		a, ok := lhs.Value().(A)
		if !ok {
			return types.MaybeNoSuchOverloadErr(lhs)
		}
		b, ok := rhs.Value().(B)
		if !ok {
			return types.MaybeNoSuchOverloadErr(rhs)
		}
		return f(a, b)
	})
}

// opaque is a value of a type of the library: rules hold it and hand it to the
// library's functions, and can do no more with it.
type opaque[T any] struct {
	kind *types.Type
	name string
	v    T
}

// ConvertToNative implements ref.Val.
func (o opaque[T]) ConvertToNative(want reflect.Type) (any, error) {
	if reflect.TypeOf(o.v).AssignableTo(want) {
		return o.v, nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%v'", o.name, want)
}

// Type implements ref.Val.
func (o opaque[T]) Type() ref.Type { return o.kind }

// Value implements ref.Val.
func (o opaque[T]) Value() any { return o.v }

// to is ConvertToType of the value self.
func (o opaque[T]) to(self ref.Val, want ref.Type) ref.Val {
	switch want.TypeName() {
	case o.kind.TypeName():
		return self
	case types.TypeType.TypeName():
		return o.kind
	}
	return types.NewErr("type conversion error from '%s' to '%s'", o.kind.TypeName(), want.TypeName())
}
