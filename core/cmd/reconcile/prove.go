package main

import (
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/report/verdict"
	"github.com/reconcile-playground/reconcile/core/sim"
)

const proveUsage = "[--scenario NAME|FILE.txtar] [--script FILE] [--faults all|LIST] [--schedules all|none|LIST] [--depth N] [--invariant NAME=EXPR] [--always NAME=EXPR] [--format text|json|md|junit]"

// proveFlags are what prove was asked for, as it was written.
type proveFlags struct {
	scenario, script, faults, schedules, format string
	invariants                                  invariants
	depth, sample, near, show                   int
	seed                                        uint64
}

// command prints the command line that does the same again.
func (f proveFlags) command() string {
	line := "reconcile prove" + subjectWords(f.scenario, f.script)
	if f.faults != "all" {
		line += " --faults " + shellWord(f.faults)
	}
	if f.schedules != "all" {
		line += " --schedules " + shellWord(f.schedules)
	}
	line += f.invariants.words()
	if f.depth != 1 {
		line += fmt.Sprintf(" --depth %d", f.depth)
	}
	if f.near != 2 {
		line += fmt.Sprintf(" --near %d", f.near)
	}
	if f.sample > 1 {
		line += fmt.Sprintf(" --sample %d --seed %d", f.sample, f.seed)
	}
	return line
}

// subjectWords are the flags that name what is run. A script that came on standard
// input, which a line cannot have again, is asked for in a file: savedFirst says so.
func subjectWords(scenario, script string) string {
	line := " --scenario " + shellWord(scenario)
	if script == "-" {
		script = reconcileScript
	}
	if script != "" {
		line += " --script " + shellWord(script)
	}
	return line
}

// savedFirst is a comment behind a command line: what has to be there first.
func savedFirst(script string) string {
	if script != "-" {
		return ""
	}
	return "  # " + reconcileScript + ": the script that came on standard input"
}

// prove is the subcommand that plays the life of a scenario once for each fault at each place.
func prove(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var f proveFlags
	flags := flag.NewFlagSet("prove", flag.ContinueOnError)
	flags.StringVar(&f.scenario, "scenario", "lab", "`NAME` of a scenario that comes with it, or a FILE.txtar")
	flags.StringVar(&f.script, "script", "", "`FILE` with the reconciler in bash instead of the scenario's own; - is standard input")
	flags.StringVar(&f.faults, "faults", "all", "all, or a `LIST` of kinds with commas: "+strings.Join(sim.FaultKinds, ","))
	flags.StringVar(&f.schedules, "schedules", "all", "all, none, or a `LIST` of other orders with commas: "+strings.Join(explore.ScheduleKinds, ","))
	f.invariants.flags(flags)
	flags.IntVar(&f.depth, "depth", 1, "how many faults a run has at most, 1 or 2")
	flags.IntVar(&f.near, "near", 2, "within how many of a key's next passes the second fault is made")
	flags.IntVar(&f.sample, "sample", 1, "make one in `N` of the runs with two faults")
	flags.Uint64Var(&f.seed, "seed", 1, "what draws the sample")
	flags.StringVar(&f.format, "format", "text", "text, json, md or junit")
	flags.IntVar(&f.show, "show", 0, "print the choices of finding `N` and nothing else: reconcile run --choices - plays them")
	if status, done := parseFlags(flags, args, stdout, stderr); done {
		return status
	}
	p, err := f.prove(stdin)
	if err != nil {
		return refused(stdout, stderr, "prove", f.format, f.scenario, err)
	}
	if f.show > 0 {
		return printChoices(stdout, stderr, "prove", slices.Concat(p.Findings, p.Stopped), f.show)
	}
	return printAccount(stdout, f.format, len(p.Findings) > 0, map[string]func() []byte{"text": p.Text, "json": p.JSON, "md": p.Markdown, "junit": p.JUnit})
}

// prove checks what was asked for and does it.
func (f proveFlags) prove(stdin io.Reader) (*verdict.Proof, error) {
	if err := checkFormat(f.format); err != nil {
		return nil, err
	}
	if f.depth < 1 || f.depth > 2 {
		return nil, fmt.Errorf("--depth is 1 or 2, not %d", f.depth)
	}
	if f.near < 1 || f.sample < 1 {
		return nil, fmt.Errorf("--near and --sample are at least 1")
	}
	o := explore.Options{Depth: f.depth, Near: f.near, Sample: f.sample, Seed: f.seed}
	if f.faults != "all" {
		o.Faults = words(f.faults)
	}
	switch f.schedules {
	case "all":
	case "none":
		o.Schedules = []string{}
	default:
		o.Schedules = words(f.schedules)
	}
	s, err := openWith(f.scenario, f.script, stdin)
	if err != nil {
		return nil, err
	}
	if err := f.invariants.want(s); err != nil {
		return nil, err
	}
	// Worlds are made and dropped: what is swept more seldom costs less, and what lives is small.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	r, err := explore.Run(explore.Of(s), o)
	if err != nil {
		return nil, err
	}
	return verdict.Prove(s, r, verdict.Again{Command: f.command(), Run: "reconcile run" + subjectWords(f.scenario, f.script) + f.invariants.words(), Note: savedFirst(f.script)}), nil
}

// words are those of a list with commas.
func words(list string) []string {
	var out []string
	for _, word := range strings.Split(list, ",") {
		out = append(out, strings.TrimSpace(word))
	}
	return out
}

// formats are those of prove and grade.
var formats = []string{"text", "json", "md", "junit"}

func checkFormat(format string) error {
	if !slices.Contains(formats, format) {
		return fmt.Errorf("--format is text, json, md or junit, not %q", format)
	}
	return nil
}

// printAccount prints an account in the format that was asked for and returns the exit status.
func printAccount(w io.Writer, format string, found bool, print map[string]func() []byte) int {
	if _, err := w.Write(print[format]()); err != nil {
		return exitUsage
	}
	if found {
		return exitFindings
	}
	return exitClean
}

// refused says what is at fault in the input, and prints it as an account too where the format is for programs: a file
// that a report was asked into is one.
func refused(stdout, stderr io.Writer, command, format, scenario string, err error) int {
	fmt.Fprintf(stderr, "reconcile %s: %v\n", command, err)
	r := verdict.NewRefused(scenario, err)
	if print := map[string]func() []byte{"json": r.JSON, "md": r.Markdown, "junit": r.JUnit}[format]; print != nil {
		stdout.Write(print())
	}
	return exitUsage
}

// printChoices prints the choices of one finding, counted from 1.
func printChoices(stdout, stderr io.Writer, command string, all []judge.Finding, n int) int {
	if n > len(all) {
		fmt.Fprintf(stderr, "reconcile %s: --show %s: there are %s\n", command, strconv.Itoa(n), plural(len(all), "finding"))
		return exitUsage
	}
	for _, c := range all[n-1].Choices {
		fmt.Fprintln(stdout, c)
	}
	return exitClean
}
