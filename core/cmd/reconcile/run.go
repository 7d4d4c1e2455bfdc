package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/report"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

const runUsage = "[--scenario NAME|FILE.txtar] [--script FILE] [--choices FILE] [--invariant NAME=EXPR] [--always NAME=EXPR] [--format text|json|md|html]"

// runFlags are what run was asked for, as it was written.
type runFlags struct {
	scenario, script, choices, format string
	invariants                        invariants
}

// command prints the command line that does the same again, with other choices where they are given. Those that came
// on standard input are asked for in a file: saved says so.
func (f runFlags) command(choices string) string {
	if choices == "-" {
		choices = choicesFile
	}
	line := "reconcile run" + subjectWords(f.scenario, f.script) + f.invariants.words()
	if choices != "" {
		line += " --choices " + shellWord(choices)
	}
	return line
}

// choicesFile stands for choices that came on standard input.
const choicesFile = "choices.txt"

// saved is a comment behind the line of command: what has to be there first.
func (f runFlags) saved() string {
	if f.choices == "-" {
		return "  # " + choicesFile + ": the choices that came on standard input"
	}
	return savedFirst(f.script)
}

// run is the subcommand that plays a scenario: its own first choices or those given, then to quiet, one
// full pass and a second one.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var f runFlags
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.StringVar(&f.scenario, "scenario", "lab", "`NAME` of a scenario that comes with it, or a FILE.txtar")
	flags.StringVar(&f.choices, "choices", "", "`FILE` of choices to make instead of the scenario's own start, one printed action a line; - is standard input")
	f.invariants.flags(flags)
	flags.StringVar(&f.format, "format", "text", "text, json, md or html")
	flags.StringVar(&f.script, "script", "", "`FILE` with the reconciler in bash instead of the scenario's own; - is standard input")
	if status, done := parseFlags(flags, args, stdout, stderr); done {
		return status
	}
	if f.script == "-" && f.choices == "-" {
		fmt.Fprintln(stderr, "reconcile run: only one of --script and --choices can be standard input")
		return exitUsage
	}
	if !slices.Contains([]string{"text", "json", "md", "html"}, f.format) {
		fmt.Fprintf(stderr, "reconcile run: --format is text, json, md or html, not %q\n", f.format)
		return exitUsage
	}
	s, err := openWith(f.scenario, f.script, stdin)
	if err == nil {
		err = f.invariants.want(s)
	}
	if err != nil {
		fmt.Fprintf(stderr, "reconcile run: %v\n", err)
		return exitUsage
	}
	t, err := play(s, f.choices, stdin)
	if err != nil {
		fmt.Fprintf(stderr, "reconcile run: %v\n", err)
		if t != nil {
			printEnabled(stderr, t)
			fmt.Fprintf(stderr, "see it again: %s%s\n", f.command(f.choices), f.saved())
		}
		return exitUsage
	}
	r, err := report.Build(s, t)
	if err == nil && f.choices != "" {
		err = held(s, r)
	}
	if err != nil {
		fmt.Fprintf(stderr, "reconcile run: %v\nsee it again: %s%s\n", err, f.command(f.choices), f.saved())
		return exitUsage
	}
	if err := print(stdout, f, s, r); err != nil {
		fmt.Fprintf(stderr, "reconcile run: %v\n", err)
		return exitUsage
	}
	if len(r.Findings) > 0 {
		return exitFindings
	}
	return exitClean
}

// held adds to a report what only shows beside the run in which the user did the same and nothing else
// was done.
func held(s *scenario.Scenario, r *report.Report) error {
	found, stopped, err := explore.Replay(explore.Of(s), r.Choices)
	if err != nil {
		return err
	}
	for i := range found {
		found[i].Choices = slices.Clone(r.Choices[:min(found[i].Step, len(r.Choices))])
	}
	r.Findings = judge.Suppress(append(r.Findings, found...))
	for _, f := range stopped {
		r.Notes = append(r.Notes, f.Finding+": "+f.Sentence)
	}
	return nil
}

func print(w io.Writer, f runFlags, s *scenario.Scenario, r *report.Report) error {
	var text []byte
	switch f.format {
	case "json":
		text = r.JSON()
	case "md":
		text = r.Markdown()
	case "html":
		text = r.HTML()
	default:
		return printText(w, f, s, r)
	}
	_, err := w.Write(text)
	return err
}

// open reads a scenario: one that comes with the command, or a file.
func open(name string) (*scenario.Scenario, error) {
	if slices.Contains(scenario.Names(), name) {
		return scenario.Load(name)
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, "./") {
		_, err = scenario.Load(name)
	}
	if err != nil {
		return nil, err
	}
	s, err := scenario.Parse(text)
	var place *scenario.Error
	switch {
	case errors.As(err, &place) && place.Line > 0:
		at, what := fmt.Sprintf("%s:%d", name, place.Line), *place
		if place.Col > 0 {
			at += ":" + strconv.Itoa(place.Col)
		}
		what.Line, what.Col = 0, 0
		return nil, fmt.Errorf("%s: %w", at, &what)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// play makes the choices of a file, or those of the scenario's start. Where one of them does not repeat,
// the timeline up to there comes with the error.
func play(s *scenario.Scenario, file string, stdin io.Reader) (*timeline.Timeline, error) {
	choices, lines, err := readChoices(s, file, stdin)
	if err != nil {
		return nil, err
	}
	t := timeline.New(s.World)
	err = t.Replay(choices)
	var replay *timeline.ReplayError
	if errors.As(err, &replay) && lines != nil {
		return t, fmt.Errorf("%s:%d: %w", file, lines[replay.Step-1], err)
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", s.Name, err)
	}
	return t, nil
}

// readChoices returns the choices and the line of each; no lines for those of the scenario's start. Empty
// lines and lines that begin with # are no choices.
func readChoices(s *scenario.Scenario, file string, stdin io.Reader) ([]string, []int, error) {
	if file == "" {
		return s.Start, nil, nil
	}
	var text []byte
	var err error
	if file == "-" {
		text, err = io.ReadAll(stdin)
	} else {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, nil, err
	}
	choices, lines := []string{}, []int{}
	for i, l := range strings.Split(string(text), "\n") {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			choices, lines = append(choices, l), append(lines, i+1)
		}
	}
	return choices, lines, nil
}

// printEnabled says what could have happened instead of a choice that did not repeat.
func printEnabled(w io.Writer, t *timeline.Timeline) {
	const most = 10
	all := t.Tip().Enabled()
	fmt.Fprintf(w, "after step %d there could happen:\n", t.Len())
	for i, a := range all {
		if i == most {
			fmt.Fprintf(w, "  and %d more\n", len(all)-most)
			break
		}
		fmt.Fprintf(w, "  %s\n", a)
	}
}

// shellWord quotes a word for a POSIX shell where it needs that.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./+:@", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
