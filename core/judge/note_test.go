package judge

import "testing"

// A controller notes under its group; where its kind has none, under any name
// that is not known to be another's.
func TestMayNote(t *testing.T) {
	for _, c := range []struct {
		name, group string
		want        bool
	}{
		{"lab.example.com/seen", "lab.example.com", true},
		{"east.lab.example.com/seen", "lab.example.com", true},
		{"other.example.com/n", "lab.example.com", false},
		{"seen", "lab.example.com", false},
		{"seen", "", true},
		{"stamps.example.org/seen", "", true},
		{"other.example.com/n", "", false},
		{"deployment.kubernetes.io/revision", "", false},
	} {
		if got := mayNote(c.name, c.group); got != c.want {
			t.Errorf("%s for group %q: %v", c.name, c.group, got)
		}
	}
}
