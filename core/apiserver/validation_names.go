package apiserver

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
	configMapKeyFmt     = "[-._a-zA-Z0-9]+"
	configMapKeyMsg     = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
)

// The functions that follow match as those expressions do, without a machine
// for expressions: every write checks its names.

// lowerAlphanumeric and alphanumeric are [a-z0-9] and [A-Za-z0-9].
func lowerAlphanumeric(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }
func alphanumeric(c byte) bool      { return lowerAlphanumeric(c) || 'A' <= c && c <= 'Z' }

// enclosed reports whether a text begins and ends with what is at its ends, and
// has between them that or one of the characters more.
func enclosed(v string, ends func(byte) bool, more string) bool {
	if v == "" || !ends(v[0]) || !ends(v[len(v)-1]) {
		return false
	}
	for i := range len(v) {
		if !ends(v[i]) && strings.IndexByte(more, v[i]) < 0 {
			return false
		}
	}
	return true
}

func matchesDNS1123Label(v string) bool { return enclosed(v, lowerAlphanumeric, "-") }

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

func matchesQualifiedName(v string) bool { return enclosed(v, alphanumeric, "-_.") }

func matchesLabelValue(v string) bool { return v == "" || matchesQualifiedName(v) }

func matchesConfigMapKey(v string) bool {
	for i := range len(v) {
		if !alphanumeric(v[i]) && strings.IndexByte("-._", v[i]) < 0 {
			return false
		}
	}
	return v != ""
}

// regexError words what a name must look like. Models validation.RegexError.
func regexError(msg, format string, examples ...string) string {
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

func maxLenError(n int) string { return fmt.Sprintf("must be no more than %d characters", n) }

func maxBytesError(n int) string { return fmt.Sprintf("must be no more than %d bytes", n) }

// A nameCheck returns what is wrong with a name. Models
// validation.ValidateNameFunc; prefix is set for a generateName.
type nameCheck func(name string, prefix bool) []string

// maskTrailingDash makes a prefix that ends in a dash one that ends well.
func maskTrailingDash(name string) string {
	if len(name) > 1 && strings.HasSuffix(name, "-") {
		return name[:len(name)-2] + "a"
	}
	return name
}

func nameIsDNSSubdomain(name string, prefix bool) []string {
	if prefix {
		name = maskTrailingDash(name)
	}
	return isDNS1123Subdomain(name)
}

func isDNS1123Subdomain(v string) []string {
	var errs []string
	if len(v) > 253 {
		errs = append(errs, maxLenError(253))
	}
	if !matchesDNS1123Subdomain(v) {
		errs = append(errs, regexError(dns1123SubdomainMsg, dns1123SubdomainFmt, "example.com"))
	}
	return errs
}

func nameIsDNSLabel(name string, prefix bool) []string {
	if prefix {
		name = maskTrailingDash(name)
	}
	var errs []string
	if len(name) > 63 {
		errs = append(errs, maxLenError(63))
	}
	if !matchesDNS1123Label(name) {
		if matchesDNS1123Subdomain(name) {
			return append(errs, "must not contain dots")
		}
		errs = append(errs, regexError(dns1123LabelMsg, dns1123LabelFmt, "my-name", "123-abc"))
	}
	return errs
}

func nameIsDNS1035Label(name string, prefix bool) []string {
	if prefix {
		name = maskTrailingDash(name)
	}
	var errs []string
	if len(name) > 63 {
		errs = append(errs, maxLenError(63))
	}
	if !matchesDNS1035Label(name) {
		errs = append(errs, regexError(dns1035LabelMsg, dns1035LabelFmt, "my-name", "abc-123"))
	}
	return errs
}

// nameIsPathSegment takes every name that can stand in a URL path. Models
// path.ValidatePathSegmentName.
func nameIsPathSegment(name string, prefix bool) []string {
	if prefix {
		return pathSegmentPrefix(name)
	}
	switch name {
	case ".", "..":
		return []string{fmt.Sprintf("may not be '%s'", name)}
	}
	return pathSegmentPrefix(name)
}

func pathSegmentPrefix(name string) []string {
	var errs []string
	for _, illegal := range []string{"/", "%"} {
		if strings.Contains(name, illegal) {
			errs = append(errs, fmt.Sprintf("may not contain '%s'", illegal))
		}
	}
	return errs
}

// isQualifiedName checks a label or annotation key, or a finalizer. Models
// content.IsLabelKey.
func isQualifiedName(v string) []string {
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
			for _, msg := range isDNS1123Subdomain(prefix) {
				// Here the real server counts in bytes, in words too.
				errs = append(errs, "prefix part "+strings.Replace(msg, maxLenError(253), maxBytesError(253), 1))
			}
		}
	default:
		return append(errs, "a valid label key "+regexError(qualifiedNameMsg, qualifiedNameFmt, "MyName", "my.name", "123-abc")+
			" with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')")
	}
	if name == "" {
		errs = append(errs, "name part must be non-empty")
	} else if len(name) > 63 {
		errs = append(errs, "name part "+maxBytesError(63))
	}
	if !matchesQualifiedName(name) {
		errs = append(errs, "name part "+regexError(qualifiedNameMsg, qualifiedNameFmt, "MyName", "my.name", "123-abc"))
	}
	return errs
}

// isLabelValue checks a label's value. Models content.IsLabelValue.
func isLabelValue(v string) []string {
	var errs []string
	if len(v) > 63 {
		errs = append(errs, maxBytesError(63))
	}
	if !matchesLabelValue(v) {
		errs = append(errs, regexError(labelValueMsg, labelValueFmt, "MyValue", "my_value", "12345"))
	}
	return errs
}

// isConfigMapKey checks a key of data. Models validation.IsConfigMapKey.
func isConfigMapKey(v string) []string {
	var errs []string
	if len(v) > 253 {
		errs = append(errs, maxLenError(253))
	}
	if !matchesConfigMapKey(v) {
		errs = append(errs, regexError(configMapKeyMsg, configMapKeyFmt, "key.name", "KEY_NAME", "key-name"))
	}
	switch {
	case v == ".":
		errs = append(errs, "must not be '.'")
	case v == "..":
		errs = append(errs, "must not be '..'")
	case strings.HasPrefix(v, ".."):
		errs = append(errs, "must not start with '..'")
	}
	return errs
}
