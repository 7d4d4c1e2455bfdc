package library

import (
	"net/url"
	"regexp"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"
)

func regexFunctions() []cel.EnvOption {
	return []cel.EnvOption{
		member("find", "string_find_string", cel.StringType, binary(func(s, expr string) ref.Val {
			return withRegex(expr, func(re *regexp.Regexp) ref.Val { return types.String(re.FindString(s)) })
		}), cel.StringType, cel.StringType),
		member("findAll", "string_find_all_string", cel.ListType(cel.StringType), binary(func(s, expr string) ref.Val {
			return withRegex(expr, func(re *regexp.Regexp) ref.Val { return findAll(re, types.String(s), types.IntNegOne) })
		}), cel.StringType, cel.StringType),
		member("findAll", "string_find_all_string_int", cel.ListType(cel.StringType), cel.FunctionBinding(func(args ...ref.Val) ref.Val {
			if len(args) != 3 {
				return types.NoSuchOverloadErr()
			}
			expr, ok := args[1].Value().(string)
			if !ok {
				return types.MaybeNoSuchOverloadErr(args[1])
			}
			return withRegex(expr, func(re *regexp.Regexp) ref.Val { return findAll(re, args[0], args[2]) })
		}), cel.StringType, cel.StringType, cel.IntType),
	}
}

func withRegex(expr string, use func(*regexp.Regexp) ref.Val) ref.Val {
	re, err := regexp.Compile(expr)
	if err != nil {
		return types.NewErr("Illegal regex: %v", err.Error())
	}
	return use(re)
}

func findAll(re *regexp.Regexp, text, limit ref.Val) ref.Val {
	s, ok := text.Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(text)
	}
	n, ok := limit.Value().(int64)
	if !ok {
		return types.MaybeNoSuchOverloadErr(limit)
	}
	return types.NewStringList(types.DefaultTypeAdapter, re.FindAllString(s, int(n)))
}

// Regexes compile constant expressions of find and findAll once, with the rule.
func Regexes() cel.ProgramOption {
	compiled := func(use func(re *regexp.Regexp, args []ref.Val) ref.Val) func(interpreter.InterpretableCall, string) (interpreter.InterpretableCall, error) {
		return func(call interpreter.InterpretableCall, expr string) (interpreter.InterpretableCall, error) {
			re, err := regexp.Compile(expr)
			if err != nil {
				return nil, err
			}
			return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(args ...ref.Val) ref.Val {
				if len(args) < 2 || len(args) > 3 {
					return types.NoSuchOverloadErr()
				}
				return use(re, args)
			}), nil
		}
	}
	return cel.OptimizeRegex(
		&interpreter.RegexOptimization{Function: "find", RegexIndex: 1, Factory: compiled(func(re *regexp.Regexp, args []ref.Val) ref.Val {
			s, ok := args[0].Value().(string)
			if !ok {
				return types.MaybeNoSuchOverloadErr(args[0])
			}
			return types.String(re.FindString(s))
		})},
		&interpreter.RegexOptimization{Function: "findAll", RegexIndex: 1, Factory: compiled(func(re *regexp.Regexp, args []ref.Val) ref.Val {
			if len(args) == 2 {
				return findAll(re, args[0], types.IntNegOne)
			}
			return findAll(re, args[0], args[2])
		})},
	)
}

var urlType = cel.ObjectType("kubernetes.URL")

type urlValue struct{ opaque[*url.URL] }

// ConvertToType implements ref.Val.
func (u urlValue) ConvertToType(want ref.Type) ref.Val { return u.to(u, want) }

// Equal implements ref.Val.
func (u urlValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(urlValue)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(u.v.String() == o.v.String())
}

func urlFunctions() []cel.EnvOption {
	text := func(name, overload string, get func(*url.URL) string) cel.EnvOption {
		return member(name, overload, cel.StringType, unary(func(u *url.URL) ref.Val { return types.String(get(u)) }), urlType)
	}
	return []cel.EnvOption{
		global("url", "string_to_url", urlType, unary(func(s string) ref.Val {
			// The first refuses what is not absolute, and misreads fragments.
			_, err := url.ParseRequestURI(s)
			if err == nil {
				var u *url.URL
				if u, err = url.Parse(s); err == nil {
					return urlValue{opaque[*url.URL]{urlType, "URL", u}}
				}
			}
			return types.NewErr("URL parse error during conversion from string: %v", err)
		}), cel.StringType),
		global("isURL", "is_url_string", cel.BoolType, unary(func(s string) ref.Val {
			_, err := url.ParseRequestURI(s)
			return types.Bool(err == nil)
		}), cel.StringType),
		text("getScheme", "url_get_scheme", func(u *url.URL) string { return u.Scheme }),
		text("getHost", "url_get_host", func(u *url.URL) string { return u.Host }),
		text("getHostname", "url_get_hostname", (*url.URL).Hostname),
		text("getPort", "url_get_port", (*url.URL).Port),
		text("getEscapedPath", "url_get_escaped_path", (*url.URL).EscapedPath),
		member("getQuery", "url_get_query", cel.MapType(cel.StringType, cel.ListType(cel.StringType)),
			unary(func(u *url.URL) ref.Val {
				return types.DefaultTypeAdapter.NativeToValue(map[string][]string(u.Query()))
			}), urlType),
	}
}
