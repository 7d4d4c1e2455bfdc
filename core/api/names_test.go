package api

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// TestNamesMatchTheExpressions: what is matched without regular expressions is
// what upstream's expressions match.
func TestNamesMatchTheExpressions(t *testing.T) {
	all := []struct {
		format  string
		matches func(string) bool
	}{
		{dns1123LabelFmt, matchesDNS1123Label}, {dns1123SubdomainFmt, matchesDNS1123Subdomain}, {dns1035LabelFmt, matchesDNS1035Label},
		{qualifiedNameFmt, matchesQualifiedName}, {labelValueFmt, matchesLabelValue},
	}
	texts := rapid.StringMatching(`[-a.A0_Z9zé\n]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		text := texts.Draw(t, "text")
		for _, c := range all {
			if got, want := c.matches(text), regexp.MustCompile("^"+c.format+"$").MatchString(text); got != want {
				t.Errorf("%q against %s: %v, and the expression says %v", text, c.format, got, want)
			}
		}
	})
}
