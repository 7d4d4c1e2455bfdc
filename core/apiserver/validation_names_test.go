package apiserver

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// TestKeysMatchTheExpression: keys of data are matched without a regular
// expression as upstream's matches.
func TestKeysMatchTheExpression(t *testing.T) {
	re := regexp.MustCompile("^" + configMapKeyFmt + "$")
	texts := rapid.StringMatching(`[-a.A0_Z9zé\n]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		text := texts.Draw(t, "text")
		if got, want := matchesConfigMapKey(text), re.MatchString(text); got != want {
			t.Errorf("%q: %v, and the expression says %v", text, got, want)
		}
	})
}
