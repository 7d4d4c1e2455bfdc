package kubectl_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// TestAlteredTranscriptsFail checks the comparator itself: a recording in which
// any one line, token or exit code is altered must no longer fit the answers
// that fit it before.
func TestAlteredTranscriptsFail(t *testing.T) {
	list, err := loadTranscripts("testdata/transcripts")
	if err != nil {
		t.Fatal(err)
	}
	altered := 0
	for _, tr := range list {
		answers, err := replay(tr)
		if err != nil {
			t.Errorf("%s: %v", tr.Name, err)
			continue
		}
		known := newTokens()
		for i, cmd := range tr.Commands {
			if cmd.API != nil {
				continue
			}
			for _, other := range alterations(cmd) {
				altered++
				if !noticed(known.clone(), tr.Commands[i:], other, answers[i:]) {
					t.Errorf("%s: command %d: not noticed: %q %q", tr.Name, i+1, other.Stdout, other.Stderr)
				}
			}
			if err := known.compareCommand(cmd, answers[i]); err != nil {
				t.Errorf("%s: command %d is not as it was: %v", tr.Name, i+1, err)
			}
		}
	}
	if altered < 1500 {
		t.Errorf("only %d alterations were tried", altered)
	}
}

// noticed reports whether the comparison fails with the first command altered,
// there or later.
func noticed(known *tokens, rest []*command, first *command, answers []answer) bool {
	for i, cmd := range rest {
		if i == 0 {
			cmd = first
		}
		if cmd.API == nil && known.compareCommand(cmd, answers[i]) != nil {
			return true
		}
	}
	return false
}

func (t *tokens) clone() *tokens {
	return &tokens{values: maps.Clone(t.values), owners: maps.Clone(t.owners), seen: maps.Clone(t.seen)}
}

// alterations are other recordings of a command.
func alterations(cmd *command) []*command {
	var out []*command
	add := func(change func(*command)) {
		other := *cmd
		change(&other)
		out = append(out, &other)
	}
	add(func(c *command) {
		if code := 3; c.Code == nil {
			c.Code = &code
		} else {
			c.Code = nil
		}
	})
	if cmd.Code != nil {
		add(func(c *command) { code := *cmd.Code + 1; c.Code = &code })
	}
	if cmd.Environment {
		return out
	}
	for _, text := range altered(cmd.Stdout) {
		add(func(c *command) { c.Stdout = text })
	}
	for _, text := range altered(cmd.Stderr) {
		add(func(c *command) { c.Stderr = text })
	}
	return out
}

// altered are other texts: a line more, less or changed, and other tokens.
func altered(text string) []string {
	out := []string{text + "x\n", "x" + text}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if line == "" {
			continue
		}
		without := append(append([]string{}, lines[:i]...), lines[i+1:]...)
		changed := append(append([]string{}, lines[:i]...), "x"+line)
		out = append(out, strings.Join(without, ""), strings.Join(append(changed, lines[i+1:]...), ""))
	}
	for _, at := range find(text) {
		token := text[at[0]:at[1]]
		other := "2001"
		if kind, n := split(token); n > 0 {
			other = fmt.Sprintf("%s-%d", kind, n+1)
		}
		out = append(out, text[:at[0]]+other+text[at[1]:])
	}
	return out
}
