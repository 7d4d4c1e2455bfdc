package rules

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// toValue is a value as rules see it through a schema. What does not fit the
// schema is an error value. Models common.UnstructuredToVal.
func toValue(x any, s *schema.Schema) ref.Val {
	switch {
	case x == nil && s.Nullable:
		return types.NullValue
	case x == nil:
		return types.NewErr("invalid data, got null for schema with nullable=false")
	case s.IntOrString:
		switch x := x.(type) {
		case string:
			return types.String(x)
		case int64:
			return types.Int(x)
		}
		return types.NewErr("invalid data, expected XIntOrString value to be either a string or integer")
	}
	switch s.Type {
	case "object":
		m, ok := x.(*object.Map)
		if !ok {
			return types.NewErr("invalid data, expected a map for the provided schema with type=object")
		}
		if s.EmbeddedResource {
			s = withMetadata(s)
		}
		return mapValue{m, s}
	case "array":
		return toList(x, s)
	case "string":
		return toText(x, s.Format)
	case "number":
		switch x := x.(type) {
		case int64:
			return types.Double(x)
		case float64:
			return types.Double(x)
		}
		return types.NewErr("invalid data, expected float, got %s", goType(x))
	case "integer":
		if n, ok := x.(int64); ok {
			return types.Int(n)
		}
		return types.NewErr("invalid data, expected int, got %s", goType(x))
	case "boolean":
		if b, ok := x.(bool); ok {
			return types.Bool(b)
		}
		return types.NewErr("invalid data, expected bool, got %s", goType(x))
	}
	if s.PreserveUnknownFields {
		return unknownValue{x}
	}
	return types.NewErr("invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got %s", s.Type)
}

// goType names the Go type that the real server holds such a value in.
func goType(x any) string {
	switch x.(type) {
	case *object.Map:
		return "map[string]interface {}"
	case *object.List:
		return "[]interface {}"
	}
	return fmt.Sprintf("%T", x)
}

func toText(x any, format string) ref.Val {
	text, ok := x.(string)
	if !ok {
		return types.NewErr("invalid data, expected string, got %s", goType(x))
	}
	switch format {
	case "duration":
		d, err := parseDuration(text)
		if err != nil {
			return types.NewErr("Invalid duration %s: %v", text, err)
		}
		return types.Duration{Duration: d}
	case "date":
		t, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return types.NewErr("Invalid date formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: t}
	case "date-time":
		t, err := parseDateTime(text)
		if err != nil {
			return types.NewErr("Invalid date-time formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: t}
	case "byte":
		b, err := base64.URLEncoding.DecodeString(text)
		if err != nil {
			return types.NewErr("Invalid byte formatted string %s: %v", text, err)
		}
		return types.Bytes(b)
	}
	return types.String(text)
}

// parseDateTime models strfmt.ParseDateTime.
func parseDateTime(text string) (t time.Time, err error) {
	if text == "" {
		return time.Unix(0, 0).UTC(), nil
	}
	for _, layout := range []string{"2006-01-02T15:04:05.000000Z07:00", "2006-01-02T15:04:05.000Z07:00", time.RFC3339, time.RFC3339Nano, "2006-01-02T15:04:05"} {
		if t, err = time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return t, err
}

// durationUnits are matched one by one: as they are, and where prefix is set by
// any word that begins so.
var durationUnits = []struct {
	name   string
	unit   time.Duration
	prefix bool
}{
	{"ns", time.Nanosecond, false}, {"nano", time.Nanosecond, true},
	{"us", time.Microsecond, false}, {"µs", time.Microsecond, false}, {"micro", time.Microsecond, true},
	{"ms", time.Millisecond, false}, {"milli", time.Millisecond, true},
	{"s", time.Second, false}, {"sec", time.Second, true},
	{"m", time.Minute, false}, {"min", time.Minute, true},
	{"h", time.Hour, false}, {"hr", time.Hour, false}, {"hour", time.Hour, true},
	{"d", 24 * time.Hour, false}, {"day", 24 * time.Hour, true},
	{"w", 7 * 24 * time.Hour, false}, {"wk", 7 * 24 * time.Hour, false}, {"week", 7 * 24 * time.Hour, true},
}

var durationRE = regexp.MustCompile(`(\d+)\s*([A-Za-zµ]+)`)

// parseDuration takes Go's durations, and also "3 days" and the like anywhere in
// the text. Models strfmt.ParseDuration.
func parseDuration(text string) (time.Duration, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return d, nil
	}
	var total time.Duration
	known := false
	for _, m := range durationRE.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return 0, err
		}
		word := strings.ToLower(m[2])
		for _, u := range durationUnits {
			if strings.EqualFold(u.name, word) || u.prefix && strings.HasPrefix(word, u.name) {
				known = true
				total += time.Duration(n) * u.unit
			}
		}
	}
	if !known {
		return 0, fmt.Errorf("unable to parse %s as duration", text)
	}
	return total, nil
}

// unknownValue is data that no schema describes. Rules cannot reach it; it is
// compared where what holds it is.
type unknownValue struct{ x any }

const notSupported = "type conversion to '%s' not supported for values preserved by x-kubernetes-preserve-unknown-fields"

// ConvertToNative implements ref.Val.
func (unknownValue) ConvertToNative(want reflect.Type) (any, error) {
	return nil, fmt.Errorf(notSupported, want)
}

// ConvertToType implements ref.Val.
func (unknownValue) ConvertToType(want ref.Type) ref.Val {
	return types.NewErr(notSupported, want.TypeName())
}

// Equal implements ref.Val.
func (u unknownValue) Equal(other ref.Val) ref.Val {
	o, ok := other.Value().(any)
	return types.Bool(ok && comparable(o) && object.Equal(u.x, o))
}

// comparable reports whether object.Equal knows the value.
func comparable(x any) bool {
	switch x.(type) {
	case *object.Map, *object.List, string, bool, int64, float64:
		return true
	}
	return false
}

// Type implements ref.Val.
func (unknownValue) Type() ref.Type { return types.UnknownType }

// Value implements ref.Val.
func (u unknownValue) Value() any { return u.x }
