package verdict

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/report"
)

// Text prints the account for a terminal.
func (p *Proof) Text() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (scenario %s, seed %d)\n\n", p.Scenario.Title, p.Scenario.Name, p.Seed)
	for i, f := range p.Findings {
		printFinding(&b, i+1, f, p.again)
	}
	for i, f := range p.Stopped {
		printFinding(&b, len(p.Findings)+i+1, f, p.again)
	}
	if len(p.Matrix.Rows) > 0 {
		b.WriteString("\n" + grid(p.Matrix) + "\n")
	}
	fmt.Fprintf(&b, "%s\n%s\n", p.sentence(), p.bounds())
	return []byte(b.String())
}

// sentence says the verdict; the bounds stand beside it.
func (p *Proof) sentence() string {
	switch {
	case len(p.Findings) > 0:
		return number(len(p.Findings), "finding") + "."
	case len(p.Stopped) > 0:
		return "Nothing found within these bounds, but the reconciler stops and needs a person in " + number(len(p.Stopped), "case") + "."
	}
	return "Nothing found within these bounds."
}

// bounds says what was gone through: a verdict is about nothing else.
func (p *Proof) bounds() string {
	b := p.Bounds
	if b.Restless {
		return "The world does not come to rest even when nothing goes wrong: no fault was made, and no other order tried."
	}
	s := fmt.Sprintf("Bounds: a life of %s with %s; %s (%s) at %s", number(b.Acts, "act"), number(b.Passes, "pass"), number(len(b.Faults), "kind of fault"), strings.Join(b.Faults, ", "), number(b.Places, "place"))
	if b.Depth == 1 {
		s += ", one in a run"
	} else {
		s += fmt.Sprintf(", one or two in a run (depth %d), the second within the next %s of the key", b.Depth, number(b.Near, "pass"))
		if b.Sample > 1 {
			s += fmt.Sprintf(", one pair in %d, drawn by seed %d", b.Sample, b.Seed)
		}
	}
	if len(b.Schedules) > 0 {
		s += fmt.Sprintf("; other orders (%s), one in a run and without faults, in %s", strings.Join(b.Schedules, ", "), number(b.Orders, "run"))
	} else {
		s += "; no other order of what happens"
	}
	return s + fmt.Sprintf("; seed %d; %s in all, %s at rest told apart. Of what is beyond these it says nothing.", p.Seed, number(b.Runs, "run"), number(b.States, "state"))
}

func printFinding(b *strings.Builder, n int, f judge.Finding, again Again) {
	fmt.Fprintf(b, "%s: %s: %s\n", f.Finding, f.Object, f.Sentence)
	switch {
	case f.Fault != "":
		fmt.Fprintf(b, "  by %s at %s, %s, shown in %s\n", f.Fault, f.Call, times(f.Count), number(len(f.Choices), "step"))
	case f.Call != "":
		fmt.Fprintf(b, "  at %s, without any fault, %s\n", f.Call, number(len(f.Choices), "step"))
	default:
		fmt.Fprintf(b, "  without any fault, %s\n", number(len(f.Choices), "step"))
	}
	if again.Command != "" {
		fmt.Fprintf(b, "  see it again: %s\n", again.finding(n))
	}
}

// Again is how to do again what an account tells of, on a command line.
type Again struct {
	// Command does it all again; Run with the same scenario and script plays
	// choices from standard input.
	Command, Run string
	// Note is a comment behind each line: what it needs.
	Note string
}

// finding is the command line that plays what a finding shows.
func (a Again) finding(n int) string {
	return fmt.Sprintf("%s --show %d | %s --choices -%s", a.Command, n, a.Run, a.Note)
}

// grid prints the matrix: a row for each call site, a column for each fault.
func grid(m explore.Matrix) string {
	var b strings.Builder
	wide := 0
	for _, r := range m.Rows {
		wide = max(wide, len(r.Site))
	}
	for i, f := range m.Faults {
		fmt.Fprintf(&b, "%*s %c  %s\n", wide, "", 'a'+i, f)
	}
	fmt.Fprintf(&b, "%*s", wide, "")
	for i := range m.Faults {
		fmt.Fprintf(&b, " %c", 'a'+i)
	}
	b.WriteString("\n")
	for _, r := range m.Rows {
		fmt.Fprintf(&b, "%-*s", wide, r.Site)
		for _, c := range r.Cells {
			b.WriteString(" " + sign(c))
		}
		b.WriteString("\n")
	}
	b.WriteString("+ clean, ! findings, ? needs a person, . not reachable\n")
	return b.String()
}

func sign(c explore.Cell) string {
	switch {
	case c.Found > 0:
		return "!"
	case c.Stopped > 0:
		return "?"
	case c.Runs > 0:
		return "+"
	}
	return "."
}

// Markdown returns the account as GitHub-flavoured Markdown.
func (p *Proof) Markdown() []byte {
	page := &report.Page{}
	page.Title(p.Scenario.Title)
	page.Para(p.sentence())
	page.Para(p.bounds())
	findings(page, "Findings", p.Findings)
	findings(page, "Stopped, needs a person", p.Stopped)
	if len(p.Matrix.Rows) > 0 {
		page.Section(2, "Every fault at every place")
		page.Para("+ clean, ! findings, ? needs a person, . not reachable; how many runs.")
		rows := [][]string{}
		for _, r := range p.Matrix.Rows {
			row := []string{r.Site}
			for _, c := range r.Cells {
				cell := sign(c)
				if c.Runs > 0 {
					cell += " " + strconv.Itoa(c.Runs)
				}
				row = append(row, cell)
			}
			rows = append(rows, row)
		}
		page.Table(append([]string{"Place"}, p.Matrix.Faults...), rows)
	}
	replay(page, p.Findings, p.again)
	return page.Bytes()
}

// Markdown returns the account as GitHub-flavoured Markdown.
func (m *Mark) Markdown() []byte {
	page := &report.Page{}
	page.Title(m.Scenario.Title)
	page.Para(m.sentence())
	rows := [][]string{}
	for _, c := range m.Checks {
		mark := "passed"
		switch {
		case !c.Passed:
			mark = "failed"
		case c.NoOccasion:
			mark = "no occasion"
		}
		rows = append(rows, []string{c.Name, mark, c.Expected, c.Happened})
	}
	page.Section(2, "Checks")
	page.Table([]string{"Check", "", "Expected", "Happened"}, rows)
	findings(page, "Findings", m.Findings)
	replay(page, m.Findings, m.again)
	return page.Bytes()
}

func findings(page *report.Page, title string, all []judge.Finding) {
	if len(all) == 0 {
		return
	}
	page.Section(2, title)
	rows := [][]string{}
	for _, f := range all {
		rows = append(rows, []string{f.Finding, f.Object, f.Call, f.Fault, f.Sentence, strconv.Itoa(f.Count)})
	}
	page.Table([]string{"Finding", "Object", "Call", "Fault", "What happens", "Count"}, rows)
}

func replay(page *report.Page, all []judge.Finding, again Again) {
	if again.Command == "" {
		return
	}
	page.Section(2, "Play it again")
	lines := []string{again.Command + again.Note}
	for i := range all {
		lines = append(lines, again.finding(i+1))
	}
	page.Pre(strings.Join(lines, "\n"))
}

// Text prints the account for a terminal.
func (m *Mark) Text() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (lesson %s, seed %d)\n\n", m.Scenario.Title, m.Lesson, m.Seed)
	for _, c := range m.Checks {
		switch {
		case c.NoOccasion:
			fmt.Fprintf(&b, " --  %s: no occasion yet: %s\n", c.Name, c.Expected)
			continue
		case c.Passed:
			fmt.Fprintf(&b, "pass %s: %s\n", c.Name, c.Expected)
			continue
		}
		fmt.Fprintf(&b, "FAIL %s\n  expected: %s\n  happened: %s\n", c.Name, c.Expected, c.Happened)
	}
	b.WriteString("\n")
	for i, f := range m.Findings {
		printFinding(&b, i+1, f, m.again)
	}
	b.WriteString(m.sentence() + "\n")
	return []byte(b.String())
}

func (m *Mark) sentence() string {
	failed, idle := 0, 0
	for _, c := range m.Checks {
		switch {
		case !c.Passed:
			failed++
		case c.NoOccasion:
			idle++
		}
	}
	held, all := len(m.Checks)-failed-idle, len(m.Checks)
	if failed == 0 { // what had no occasion is not wanting
		all = held
	}
	s := fmt.Sprintf("%d of %s passed", held, number(all, "check"))
	if failed > 0 {
		s += fmt.Sprintf(", %d failed", failed)
	}
	s += ", in a run of " + number(m.Passes, "pass")
	if idle > 0 {
		s += fmt.Sprintf("; %d had no occasion", idle)
		if failed > 0 {
			s += " yet"
		}
	}
	s += "."
	if m.Skipped {
		s += " The scenario's own checks were not made: nothing here evaluates them."
	}
	return s
}

func times(n int) string { return "in " + number(n, "run") }

func number(n int, noun string) string {
	if kind, of, ok := strings.Cut(noun, " of "); ok && n != 1 {
		return strconv.Itoa(n) + " " + kind + "s of " + of
	}
	if n != 1 {
		if strings.HasSuffix(noun, "s") {
			noun += "e"
		}
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
