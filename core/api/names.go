package api

import (
	"fmt"
	"strings"
)

// The regular expressions and texts of
// k8s.io/apimachinery/pkg/util/validation/validation.go.
const (
	dns1123LabelFmt     = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
	dns1123LabelMsg     = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
	dns1123SubdomainFmt = dns1123LabelFmt + "(\\." + dns1123LabelFmt + ")*"
	dns1123SubdomainMsg = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
	dns1035LabelFmt     = "[a-z]([-a-z0-9]*[a-z0-9])?"
	dns1035LabelMsg     = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
	qualifiedNameFmt    = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
	qualifiedNameMsg    = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
	labelValueFmt       = "(" + qualifiedNameFmt + ")?"
	labelValueMsg       = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)

// The functions that follow match as those expressions do, without a machine
// for expressions: every write checks its names.

// What a character is, as bits of class.
const (
	lower = 1 << iota // [a-z0-9]
	upper             // [A-Z]
	dash              // -
	dot               // _ and .
)

// class is what each byte is.
var class = func() (t [256]byte) {
	for c := range byte(26) {
		t['a'+c], t['A'+c] = lower, upper
	}
	for c := range byte(10) {
		t['0'+c] = lower
	}
	t['-'], t['_'], t['.'] = dash, dot, dot
	return t
}()

// Alphanumeric reports whether a byte is one of A-Z, a-z and 0-9.
func Alphanumeric(c byte) bool { return class[c]&(lower|upper) != 0 }

// enclosed reports whether a text begins and ends with what is at its ends, and
// has between them that or more.
func enclosed(v string, ends, more byte) bool {
	if v == "" || class[v[0]]&ends == 0 || class[v[len(v)-1]]&ends == 0 {
		return false
	}
	for i := range len(v) {
		if class[v[i]]&(ends|more) == 0 {
			return false
		}
	}
	return true
}

func matchesDNS1123Label(v string) bool { return enclosed(v, lower, dash) }

func matchesDNS1123Subdomain(v string) bool {
	for {
		label, rest, more := strings.Cut(v, ".")
		if !matchesDNS1123Label(label) {
			return false
		}
		if !more {
			return true
		}
		v = rest
	}
}

func matchesDNS1035Label(v string) bool {
	return matchesDNS1123Label(v) && 'a' <= v[0]
}

func matchesQualifiedName(v string) bool { return enclosed(v, lower|upper, dash|dot) }

func matchesLabelValue(v string) bool { return v == "" || matchesQualifiedName(v) }

// RegexError words what a name must look like. Models validation.RegexError.
func RegexError(msg, format string, examples ...string) string {
	if len(examples) == 0 {
		return msg + " (regex used for validation is '" + format + "')"
	}
	msg += " (e.g. "
	for i, e := range examples {
		if i > 0 {
			msg += " or "
		}
		msg += "'" + e + "', "
	}
	return msg + "regex used for validation is '" + format + "')"
}

// MaxLenError words that a text is too long.
func MaxLenError(n int) string { return fmt.Sprintf("must be no more than %d characters", n) }

// MaxBytesError is MaxLenError where bytes are said to count.
func MaxBytesError(n int) string { return fmt.Sprintf("must be no more than %d bytes", n) }

// IsDNS1123Subdomain says what keeps a text from being a subdomain of RFC 1123.
func IsDNS1123Subdomain(v string) []string {
	var errs []string
	if len(v) > 253 {
		errs = append(errs, MaxLenError(253))
	}
	if !matchesDNS1123Subdomain(v) {
		errs = append(errs, RegexError(dns1123SubdomainMsg, dns1123SubdomainFmt, "example.com"))
	}
	return errs
}

// IsDNS1123Label says what keeps a text from being a label of RFC 1123.
func IsDNS1123Label(v string) []string {
	var errs []string
	if len(v) > 63 {
		errs = append(errs, MaxLenError(63))
	}
	if !matchesDNS1123Label(v) {
		if matchesDNS1123Subdomain(v) {
			return append(errs, "must not contain dots")
		}
		errs = append(errs, RegexError(dns1123LabelMsg, dns1123LabelFmt, "my-name", "123-abc"))
	}
	return errs
}

// IsDNS1035Label says what keeps a text from being a label of RFC 1035.
func IsDNS1035Label(v string) []string {
	var errs []string
	if len(v) > 63 {
		errs = append(errs, MaxLenError(63))
	}
	if !matchesDNS1035Label(v) {
		errs = append(errs, RegexError(dns1035LabelMsg, dns1035LabelFmt, "my-name", "abc-123"))
	}
	return errs
}

// IsLabelKey says what keeps a text from being the key of a label or an
// annotation, or a finalizer. Models
// content.IsLabelKey.
func IsLabelKey(v string) []string {
	var errs []string
	name := v
	switch strings.Count(v, "/") {
	case 0:
	case 1:
		var prefix string
		prefix, name, _ = strings.Cut(v, "/")
		if prefix == "" {
			errs = append(errs, "prefix part must be non-empty")
		} else {
			for _, msg := range IsDNS1123Subdomain(prefix) {
				// Here the real server counts in bytes, in words too.
				errs = append(errs, "prefix part "+strings.Replace(msg, MaxLenError(253), MaxBytesError(253), 1))
			}
		}
	default:
		return append(errs, "a valid label key "+RegexError(qualifiedNameMsg, qualifiedNameFmt, "MyName", "my.name", "123-abc")+
			" with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')")
	}
	if name == "" {
		errs = append(errs, "name part must be non-empty")
	} else if len(name) > 63 {
		errs = append(errs, "name part "+MaxBytesError(63))
	}
	if !matchesQualifiedName(name) {
		errs = append(errs, "name part "+RegexError(qualifiedNameMsg, qualifiedNameFmt, "MyName", "my.name", "123-abc"))
	}
	return errs
}

// IsLabelValue says what keeps a text from being the value of a label. Models content.IsLabelValue.
func IsLabelValue(v string) []string {
	var errs []string
	if len(v) > 63 {
		errs = append(errs, MaxBytesError(63))
	}
	if !matchesLabelValue(v) {
		errs = append(errs, RegexError(labelValueMsg, labelValueFmt, "MyValue", "my_value", "12345"))
	}
	return errs
}
