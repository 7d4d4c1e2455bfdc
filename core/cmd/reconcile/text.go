package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/reconcile-playground/reconcile/core/report"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

// printText prints a run for a terminal: every event on its line, the six answers of each pass where it
// ends, and what was found.
func printText(out io.Writer, f runFlags, s *scenario.Scenario, r *report.Report) error {
	t := timeline.New(s.World)
	if err := t.Replay(r.Choices); err != nil {
		return err
	}
	ended := map[int][]*sim.Pass{}
	for _, p := range t.Tip().Passes() {
		ended[p.EndEvent] = append(ended[p.EndEvent], p)
	}
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%s (scenario %s, seed %d)\n", r.Scenario.Title, r.Scenario.Name, r.Seed)
	events := t.Events()
	round := 0
	for i, e := range events {
		switch {
		case i == r.Given && i > 0:
			fmt.Fprintf(w, "\n== to quiet\n")
		case i >= r.Given && strings.HasPrefix(e.Action, "resync ") && !strings.HasPrefix(events[i-1].Action, "resync "):
			fmt.Fprintf(w, "\n== %s\n", []string{"one full pass", "a second full pass"}[min(round, 1)])
			round++
		}
		fmt.Fprintln(w, e)
		for _, p := range ended[e.N] {
			fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(strings.TrimSuffix(p.String(), "\n"), "\n", "\n    "))
		}
	}
	printResult(w, f, r)
	return w.Flush()
}

// printResult prints what came of a run.
func printResult(w io.Writer, f runFlags, r *report.Report) {
	fmt.Fprintf(w, "\n== after %s, %s of virtual time\n", plural(len(r.Choices), "step"), r.Clock.Elapsed)
	var counts []string
	for _, o := range report.Outcomes {
		if n := r.Totals[o]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, o))
		}
	}
	if counts == nil {
		counts = []string{"none"}
	}
	fmt.Fprintf(w, "writes: %s\n", strings.Join(counts, ", "))
	if r.Idempotence.Unchanged {
		fmt.Fprintf(w, "again: %s sent, every resourceVersion of %s stays\n", plural(r.Idempotence.Sent, "write"), plural(len(r.Idempotence.ResourceVersions), "object"))
	} else {
		fmt.Fprintf(w, "again: %s with an effect\n", plural(r.Idempotence.Writes, "write"))
		for _, v := range r.Idempotence.ResourceVersions {
			if v.Before != v.After {
				fmt.Fprintf(w, "  %s rv %s -> %s\n", v.Object, v.Before, v.After)
			}
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	if len(r.Findings) == 0 {
		fmt.Fprintln(w, "nothing found")
		return
	}
	for i, x := range r.Findings {
		fmt.Fprintf(w, "%s: %s: %s\n", x.Finding, x.Object, x.Sentence)
		file := fmt.Sprintf("finding-%d.txt", i+1)
		fmt.Fprintf(w, "  see it again: %s --format json | jq -r '.findings[%d].choices[]' > %s && %s%s\n", f.command(f.choices), i, file, f.command(file), f.saved())
	}
}
