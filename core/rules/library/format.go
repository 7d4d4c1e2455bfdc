package library

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

var formatType = cel.ObjectType("kubernetes.NamedFormat")

// format is a named form of texts.
type format struct {
	// function is format.<function>; name is what equality goes by.
	function, name string
	// check says what is wrong with a text.
	check func(string) []string
	// regex is the length of the regular expression by which a check is priced.
	regex int
}

const (
	label1123 = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
	domain    = label1123 + "(\\." + label1123 + ")*"
	label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
	key       = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"

	uuidPattern     = `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`
	dateTimePattern = `^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$`
)

var (
	label1123RE = regexp.MustCompile("^" + label1123 + "$")
	domainRE    = regexp.MustCompile("^" + domain + "$")
	label1035RE = regexp.MustCompile("^" + label1035 + "$")
	keyRE       = regexp.MustCompile("^" + key + "$")
	valueRE     = regexp.MustCompile("^(" + key + ")?$")
	uuidRE      = regexp.MustCompile(uuidPattern)
	timeRE      = regexp.MustCompile(dateTimePattern)
)

// wrong is the text for what does not match; e.g. lists examples.
func wrong(what, expr, examples string) string {
	return what + " (e.g. " + examples + ", regex used for validation is '" + expr + "')"
}

func tooLong(s string, limit int, unit string) []string {
	if len(s) > limit {
		return []string{fmt.Sprintf("must be no more than %d %s", limit, unit)}
	}
	return nil
}

func checkLabel1123(s string) []string {
	bad := tooLong(s, 63, "characters")
	switch {
	case label1123RE.MatchString(s):
	case domainRE.MatchString(s):
		bad = append(bad, "must not contain dots")
	default:
		bad = append(bad, wrong("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character", label1123, "'my-name',  or '123-abc'"))
	}
	return bad
}

func checkDomain(s string) []string {
	bad := tooLong(s, 253, "characters")
	if !domainRE.MatchString(s) {
		bad = append(bad, wrong("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character", domain, "'example.com'"))
	}
	return bad
}

func checkLabel1035(s string) []string {
	bad := tooLong(s, 63, "characters")
	if !label1035RE.MatchString(s) {
		bad = append(bad, wrong("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character", label1035, "'my-name',  or 'abc-123'"))
	}
	return bad
}

const keyForm = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"

// checkQualifiedName models content.IsLabelKey.
func checkQualifiedName(s string) []string {
	const examples = "'MyName',  or 'my.name',  or '123-abc'"
	var bad []string
	parts := strings.Split(s, "/")
	name := parts[len(parts)-1]
	switch {
	case len(parts) > 2:
		return []string{"a valid label key " + wrong(keyForm, key, examples) + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}
	case len(parts) == 2 && parts[0] == "":
		bad = append(bad, "prefix part must be non-empty")
	case len(parts) == 2:
		for _, why := range checkDomain(parts[0]) {
			bad = append(bad, "prefix part "+why)
		}
	}
	if name == "" {
		bad = append(bad, "name part must be non-empty")
	} else if long := tooLong(name, 63, "bytes"); long != nil {
		bad = append(bad, "name part "+long[0])
	}
	if !keyRE.MatchString(name) {
		bad = append(bad, "name part "+wrong(keyForm, key, examples))
	}
	return bad
}

func checkLabelValue(s string) []string {
	bad := tooLong(s, 63, "bytes")
	if !valueRE.MatchString(s) {
		bad = append(bad, wrong("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character", "("+key+")?", "'MyValue',  or 'my_value',  or '12345'"))
	}
	return bad
}

// asPrefix checks what a name begins with: it may end in a dash.
func asPrefix(check func(string) []string) func(string) []string {
	return func(s string) []string {
		if len(s) > 1 && strings.HasSuffix(s, "-") {
			s = s[:len(s)-2] + "a"
		}
		return check(s)
	}
}

func unless(ok func(string) bool, text string) func(string) []string {
	return func(s string) []string {
		if ok(s) {
			return nil
		}
		return []string{text}
	}
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func isDateTime(s string) bool {
	parts := strings.Split(strings.ToLower(s), "t")
	if len(s) < 4 || len(parts) < 2 || !isDate(parts[0]) {
		return false
	}
	m := timeRE.FindStringSubmatch(parts[1])
	return m != nil && m[1] <= "23" && m[2] <= "59" && m[3] <= "59"
}

func isBase64(s string) bool {
	// As the validator of CRDs has it, which needs some text, and no line breaks.
	_, err := base64.StdEncoding.DecodeString(s)
	return err == nil && s != "" && !strings.ContainsAny(s, "\r\n")
}

func checkURI(s string) []string {
	if _, err := url.ParseRequestURI(s); err != nil {
		return []string{err.Error()}
	}
	return nil
}

var formats = []format{
	{"dns1123Label", "DNS1123Label", checkLabel1123, 30},
	{"dns1123Subdomain", "DNS1123Subdomain", checkDomain, 60},
	{"dns1035Label", "DNS1035Label", checkLabel1035, 30},
	{"qualifiedName", "QualifiedName", checkQualifiedName, 60},
	{"dns1123LabelPrefix", "DNS1123LabelPrefix", asPrefix(checkLabel1123), 30},
	{"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", asPrefix(checkDomain), 60},
	{"dns1035LabelPrefix", "DNS1035LabelPrefix", asPrefix(checkLabel1035), 30},
	{"labelValue", "LabelValue", checkLabelValue, 40},
	{"uri", "URI", checkURI, 1103},
	{"uuid", "uuid", unless(uuidRE.MatchString, "does not match the UUID format"), len(uuidPattern)},
	{"byte", "byte", unless(isBase64, "invalid base64"), 84},
	{"date", "date", unless(isDate, "invalid date"), len(dateTimePattern)},
	{"datetime", "datetime", unless(isDateTime, "invalid datetime"), len(dateTimePattern)},
}

type formatValue struct{ opaque[format] }

// ConvertToType implements ref.Val.
func (f formatValue) ConvertToType(want ref.Type) ref.Val { return f.to(f, want) }

// Equal implements ref.Val.
func (f formatValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(formatValue)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(f.v.name == o.v.name)
}

func newFormat(f format) ref.Val { return formatValue{opaque[format]{formatType, "Format", f}} }

func formatFunctions() []cel.EnvOption {
	out := []cel.EnvOption{
		member("validate", "format-validate", cel.OptionalType(cel.ListType(cel.StringType)), binary(func(f format, s string) ref.Val {
			bad := f.check(s)
			if len(bad) == 0 {
				return types.OptionalNone
			}
			return types.OptionalOf(types.NewStringList(types.DefaultTypeAdapter, bad))
		}), formatType, cel.StringType),
		global("format.named", "format-named", cel.OptionalType(formatType), unary(func(name string) ref.Val {
			i := slices.IndexFunc(formats, func(f format) bool { return f.function == name })
			if i < 0 {
				return types.OptionalNone
			}
			return types.OptionalOf(newFormat(formats[i]))
		}), cel.StringType),
	}
	for _, f := range formats {
		out = append(out, global("format."+f.function, "format."+f.function, formatType,
			cel.FunctionBinding(func(...ref.Val) ref.Val { return newFormat(f) })))
	}
	return out
}
