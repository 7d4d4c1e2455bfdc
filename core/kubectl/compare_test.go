package kubectl_test

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// tokenRE finds what stands for a value that differs from run to run.
var tokenRE = regexp.MustCompile(`<time>|<age>(   )?|<server>|\brv-\d+\b|\buid-\d+\b`)

// forms are what each kind of token stands for.
var forms = map[string]string{
	"<time>":   `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`,
	"<age>":    `\d+[smhd](?:\d+[smhd])?`,
	"<age>   ": `\d+[smhd](?:\d+[smhd])? +`,
	"<server>": `[a-z0-9.-]+(?::\d+)?`,
	"rv":       `\d+`,
	"uid":      `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`,
}

// tokens holds what tokens stand for in one replay.
type tokens struct {
	values map[string]string
	// owners is the way back: two tokens are two values.
	owners map[string]string
	seen   map[string]int
}

func newTokens() *tokens {
	return &tokens{values: map[string]string{}, owners: map[string]string{}, seen: map[string]int{}}
}

// split takes a token apart.
func split(token string) (kind string, n int) {
	i := strings.LastIndexByte(token, '-')
	if i < 0 || strings.HasPrefix(token, "<") {
		return token, 0
	}
	n, _ = strconv.Atoi(token[i+1:])
	return token[:i], n
}

// find returns the tokens of a text. The end of a name such as kubectl-rv-2 is
// none.
func find(text string) [][]int {
	var out [][]int
	for _, at := range tokenRE.FindAllStringIndex(text, -1) {
		if at[0] > 0 && text[at[0]] != '<' && text[at[0]-1] == '-' {
			continue
		}
		out = append(out, at)
	}
	return out
}

// match compares a recorded text with the one given and learns new tokens.
func (t *tokens) match(want, got string) error {
	var pattern strings.Builder
	last := 0
	at := find(want)
	for _, p := range at {
		pattern.WriteString(regexp.QuoteMeta(want[last:p[0]]))
		kind, _ := split(want[p[0]:p[1]])
		pattern.WriteString("(" + forms[kind] + ")")
		last = p[1]
	}
	pattern.WriteString(regexp.QuoteMeta(want[last:]))
	m := regexp.MustCompile("(?s)^" + pattern.String() + "$").FindStringSubmatch(got)
	if m == nil {
		return fmt.Errorf("got\n%s\nwant\n%s\n%s", got, want, firstDifference(got, want))
	}
	for i, p := range at {
		if err := t.learn(want[p[0]:p[1]], m[i+1]); err != nil {
			return fmt.Errorf("%w in\n%s\nwant\n%s", err, got, want)
		}
	}
	return nil
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		switch {
		case i >= len(g):
			return fmt.Sprintf("line %d is missing: %q", i+1, w[i])
		case i >= len(w):
			return fmt.Sprintf("line %d is too much: %q", i+1, g[i])
		case g[i] != w[i] && len(find(w[i])) == 0:
			return fmt.Sprintf("line %d: %q, want %q", i+1, g[i], w[i])
		}
	}
	return ""
}

// learn binds a token to a value, or checks that it still stands for it.
func (t *tokens) learn(token, value string) error {
	kind, n := split(token)
	if n == 0 {
		return nil
	}
	if old, ok := t.values[token]; ok {
		if old != value {
			return fmt.Errorf("%s is %s and was %s", token, value, old)
		}
		return nil
	}
	if n != t.seen[kind]+1 {
		return fmt.Errorf("%s comes after %d of its kind", token, t.seen[kind])
	}
	if other, ok := t.owners[kind+value]; ok {
		return fmt.Errorf("%s is %s, the value of %s", token, value, other)
	}
	t.owners[kind+value], t.seen[kind], t.values[token] = token, n, value
	return nil
}

// compareCommand compares what a command gave with what was recorded.
func (t *tokens) compareCommand(want *command, got answer) error {
	switch {
	case (want.Code == nil) != (got.code == nil):
		return errors.New("one of the two was ended, the other ended by itself")
	case want.Code != nil && *want.Code != *got.code:
		return fmt.Errorf("exit code %d, want %d: %s%s", *got.code, *want.Code, got.stdout, got.stderr)
	case want.Environment:
		return compareForm(want, got)
	}
	if err := t.match(want.Stdout, got.stdout); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	if err := t.match(want.Stderr, got.stderr); err != nil {
		return fmt.Errorf("stderr: %w", err)
	}
	return nil
}

// compareForm compares an answer that describes the recording's own server:
// what is printed looks the same, line by line, and is not the same.
func compareForm(want *command, got answer) error {
	if got.stderr != want.Stderr {
		return fmt.Errorf("stderr: got %q, want %q", got.stderr, want.Stderr)
	}
	form := regexp.MustCompile(`^(?:[a-z0-9.-]+/)?v[0-9]+[a-z0-9]*$|^[a-z0-9.-]+$`)
	lines := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
	if !strings.Contains(want.Stdout, " ") {
		for _, line := range lines {
			if !form.MatchString(line) {
				return fmt.Errorf("stdout: %q is no such line", line)
			}
		}
		return nil
	}
	return newTokens().match(want.Stdout, got.stdout)
}
