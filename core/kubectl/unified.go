package kubectl

import (
	"fmt"
	"strings"
)

// edit is one line of a comparison: kept, removed or added.
type edit struct {
	kind byte
	text string
}

// context is how many lines are shown around a change.
const context = 3

// unified compares two texts and prints the hunks of a unified diff; empty where
// they are the same.
func unified(a, b []string) string {
	edits := compare(a, b)
	var out strings.Builder
	for at := 0; at < len(edits); {
		if edits[at].kind == ' ' {
			at++
			continue
		}
		from, to := hunk(edits, at)
		printHunk(&out, edits, from, to)
		at = to
	}
	return out.String()
}

// hunk returns the bounds of the hunk that begins with the change at a place.
func hunk(edits []edit, at int) (from, to int) {
	last := at
	for i := at; i < len(edits) && i-last <= 2*context; i++ {
		if edits[i].kind != ' ' {
			last = i
		}
	}
	return max(at-context, 0), min(last+1+context, len(edits))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func printHunk(out *strings.Builder, edits []edit, from, to int) {
	startA, startB, countA, countB := 1, 1, 0, 0
	for i, e := range edits[:to] {
		inA, inB := boolInt(e.kind != '+'), boolInt(e.kind != '-')
		if i < from {
			startA += inA
			startB += inB
		} else {
			countA += inA
			countB += inB
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", extent(startA, countA), extent(startB, countB))
	for _, e := range edits[from:to] {
		out.WriteByte(e.kind)
		out.WriteString(e.text + "\n")
	}
}

func extent(start, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", start-1)
	case 1:
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, count)
}

// compare aligns two texts by their longest common subsequence.
func compare(a, b []string) []edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []edit
	for _, s := range a[:head] {
		out = append(out, edit{' ', s})
	}
	out = append(out, aligned(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, s := range a[len(a)-tail:] {
		out = append(out, edit{' ', s})
	}
	return out
}

func aligned(a, b []string) []edit {
	// best[i][j] is how many lines a[i:] and b[j:] share.
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				best[i][j] = best[i+1][j+1] + 1
			} else {
				best[i][j] = max(best[i+1][j], best[i][j+1])
			}
		}
	}
	var out []edit
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, edit{' ', a[i]})
			i++
			j++
		case j >= len(b) || i < len(a) && best[i+1][j] >= best[i][j+1]:
			out = append(out, edit{'-', a[i]})
			i++
		default:
			out = append(out, edit{'+', b[j]})
			j++
		}
	}
	return out
}
