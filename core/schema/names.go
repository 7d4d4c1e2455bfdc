package schema

import (
	"fmt"
	"regexp"
)

const (
	dns1035LabelFmt     = "[a-z]([-a-z0-9]*[a-z0-9])?"
	dns1123LabelFmt     = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
	dns1123SubdomainFmt = dns1123LabelFmt + "(\\." + dns1123LabelFmt + ")*"
)

var (
	dns1035LabelRE     = regexp.MustCompile("^" + dns1035LabelFmt + "$")
	dns1123SubdomainRE = regexp.MustCompile("^" + dns1123SubdomainFmt + "$")
)

// dns1035Label says what keeps a text from being a label of RFC 1035. Models
// apimachinery's IsDNS1035Label.
func dns1035Label(s string) []string {
	return notName(s, 63, dns1035LabelRE, "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '"+dns1035LabelFmt+"')")
}

// dns1123Subdomain says what keeps a text from being a subdomain of RFC 1123.
func dns1123Subdomain(s string) []string {
	return notName(s, 253, dns1123SubdomainRE, "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '"+dns1123SubdomainFmt+"')")
}

func notName(s string, limit int, re *regexp.Regexp, msg string) []string {
	var bad []string
	if len(s) > limit {
		bad = append(bad, fmt.Sprintf("must be no more than %d characters", limit))
	}
	if !re.MatchString(s) {
		bad = append(bad, msg)
	}
	return bad
}
