package jq

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/reconcile-playground/reconcile/core/strftime"
)

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func addMath() {
	one := func(name string, f func(float64) float64) {
		natives[name+"/0"] = pure(func(v any) (any, error) {
			x, ok := isNumber(v)
			if !ok {
				return nil, failf("%s number required", shown(v))
			}
			return f(x), nil
		})
	}
	two := func(name string, f func(a, b float64) float64) {
		natives[name+"/2"] = func(_ *machine, _ any, args []any) (any, error) {
			x, okX := isNumber(args[0])
			y, okY := isNumber(args[1])
			if !okX || !okY {
				return nil, failf("%s number required", shown(args[map[bool]int{true: 1, false: 0}[okX]]))
			}
			return f(x, y), nil
		}
	}
	one("floor", math.Floor)
	one("ceil", math.Ceil)
	one("round", math.Round)
	one("trunc", math.Trunc)
	one("rint", math.RoundToEven)
	one("nearbyint", math.RoundToEven)
	one("fabs", math.Abs)
	one("sqrt", math.Sqrt)
	one("cbrt", math.Cbrt)
	one("exp", math.Exp)
	one("exp2", math.Exp2)
	one("exp10", func(x float64) float64 { return math.Pow(10, x) })
	one("log", math.Log)
	one("log2", math.Log2)
	one("log10", math.Log10)
	one("sin", math.Sin)
	one("cos", math.Cos)
	one("tan", math.Tan)
	one("asin", math.Asin)
	one("acos", math.Acos)
	one("atan", math.Atan)
	one("significand", func(x float64) float64 { f, _ := math.Frexp(x); return 2 * f })
	one("logb", math.Logb)
	two("pow", math.Pow)
	two("atan2", math.Atan2)
	two("fmin", math.Min)
	two("fmax", math.Max)
	two("fmod", math.Mod)
	two("ldexp", func(a, b float64) float64 { return math.Ldexp(a, int(b)) })
	one("pow10", func(x float64) float64 { return math.Pow(10, x) })
	one("expm1", math.Expm1)
	one("log1p", math.Log1p)
	two("copysign", math.Copysign)
	two("hypot", math.Hypot)
	two("fdim", math.Dim)
	two("drem", math.Remainder)
	two("remainder", math.Remainder)
	two("scalb", func(a, b float64) float64 { return math.Ldexp(a, int(b)) })
	two("scalbln", func(a, b float64) float64 { return math.Ldexp(a, int(b)) })
}

// addKinds adds the functions that give no number.
func addKinds() {
	pair := func(name string, f func(float64) (any, any)) {
		natives[name+"/0"] = pure(func(v any) (any, error) {
			x, ok := isNumber(v)
			if !ok {
				return nil, failf("%s number required", shown(v))
			}
			a, b := f(x)
			return []any{a, b}, nil
		})
	}
	pair("frexp", func(x float64) (any, any) { f, e := math.Frexp(x); return f, float64(e) })
	pair("modf", func(x float64) (any, any) { whole, f := math.Modf(x); return f, whole })
	is := func(name string, f func(float64) bool) {
		natives[name+"/0"] = pure(func(v any) (any, error) {
			x, ok := isNumber(v)
			if !ok {
				return nil, failf("%s number required", shown(v))
			}
			return f(x), nil
		})
	}
	is("isnan", math.IsNaN)
	is("isinfinite", func(x float64) bool { return math.IsInf(x, 0) })
	is("isnormal", func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) && math.Abs(x) >= 0x1p-1022 })
}

func addTime() {
	natives["now/0"] = func(m *machine, _ any, _ []any) (any, error) {
		if m.Now == nil {
			return 0.0, nil
		}
		t := m.Now()
		return float64(t.Unix()) + float64(t.Nanosecond()/1000)/1e6, nil
	}
	natives["mktime/0"] = pure(mktime)
	natives["gmtime/0"] = pure(gmtime)
	natives["localtime/0"] = pure(gmtime)
	natives["strftime/1"] = with1(formatTime)
	natives["strflocaltime/1"] = with1(formatTime)
	natives["strptime/1"] = with1(parseTime)
}

func gmtime(v any) (any, error) {
	f, ok := isNumber(v)
	if !ok {
		return nil, failf("gmtime() requires a number")
	}
	whole := math.Floor(f)
	if math.Abs(whole) > 1e15 {
		return nil, failf("error converting number of seconds since epoch to datetime")
	}
	t := time.Unix(int64(whole), 0).UTC()
	return brokenDown(t, f-whole), nil
}

func brokenDown(t time.Time, fraction float64) []any {
	return []any{float64(t.Year()), float64(t.Month() - 1), float64(t.Day()), float64(t.Hour()), float64(t.Minute()),
		float64(t.Second()) + fraction, float64(t.Weekday()), float64(t.YearDay() - 1)}
}

// timeOf reads a broken down time.
func timeOf(v any, name string) (time.Time, error) {
	list, ok := v.([]any)
	if !ok {
		return time.Time{}, failf("%s requires array inputs", name)
	}
	if len(list) < 6 {
		return time.Time{}, failf("%s requires parsed datetime inputs", name)
	}
	var n [6]int
	for i := range n {
		f, ok := isNumber(list[i])
		if !ok {
			return time.Time{}, failf("%s requires parsed datetime inputs", name)
		}
		n[i] = int(f)
	}
	return time.Date(n[0], time.Month(n[1]+1), n[2], n[3], n[4], n[5], 0, time.UTC), nil
}

func mktime(v any) (any, error) {
	t, err := timeOf(v, "mktime")
	if err != nil {
		return nil, err
	}
	return float64(t.Unix()), nil
}

func formatTime(v, layout any) (any, error) {
	if _, ok := isNumber(v); ok {
		var err error
		if v, err = gmtime(v); err != nil {
			return nil, err
		}
	} else if _, ok := v.([]any); !ok {
		return nil, failf("strftime/1 requires parsed datetime inputs")
	}
	text, ok := layout.(string)
	if !ok {
		return nil, failf("strftime/1 requires a string format")
	}
	t, err := timeOf(v, "strftime/1")
	if err != nil {
		return nil, err
	}
	return strftime.Format(t, text), nil
}

func parseTime(v, layout any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, failf("strptime/1 requires string inputs and arguments")
	}
	text, ok := layout.(string)
	if !ok {
		return nil, failf("strptime/1 requires string inputs and arguments")
	}
	tm, rest, ok := strftime.Parse(s, text)
	if !ok || rest != "" {
		return nil, failf("date \"%s\" does not match format \"%s\"", s, text)
	}
	return []any{float64(tm.Year), float64(tm.Month), float64(tm.Day), float64(tm.Hour), float64(tm.Minute), float64(tm.Second),
		float64(tm.Weekday), float64(tm.YearDay)}, nil
}
