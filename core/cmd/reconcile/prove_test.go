package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// found is a finding as the command prints it.
type found struct {
	Finding, Object, Check, Sentence string
	Choices                          []string
}

// soak has the long tests play all their runs: make soak.
var soak = os.Getenv("SOAK") != ""

// What prove and grade tell of is told again by run, from the choices of each
// finding: of every script of the grade's set that goes wrong, by the fault that
// shows it or without any. Some of them are tried here, and all by make soak.
func TestFindingsAreShownByRun(t *testing.T) {
	files, err := filepath.Glob("../../grade/testdata/wrong/*.sh")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	header := func(text []byte, name, otherwise string) string {
		if m := regexp.MustCompile(`(?m)^# ` + name + `: (.*)$`).FindSubmatch(text); m != nil {
			return string(m[1])
		}
		return otherwise
	}
	for i, file := range append(files, "../../grade/testdata/stopped/refuses.sh") {
		if !soak && i%14 != 0 && !strings.HasSuffix(file, "/not-idempotent.sh") {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sh"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			life := header(text, "scenario", "lab")
			args := []string{"grade", "--lesson", life, "--script", file}
			if faults := header(text, "faults", ""); faults != "" {
				args = []string{"prove", "--scenario", life, "--script", file, "--faults", faults, "--schedules", "none"}
			}
			shownByRun(t, file, args)
		})
	}
}

// Ends that are others only beside the run without the other order, and what
// somebody wants beside the scenario, are told of by run too.
func TestOtherOrdersAndInvariantsAreShownByRun(t *testing.T) {
	for _, args := range [][]string{
		{"prove", "--faults", "stale", "--schedules", "none", "--always", "no lb=[.cloud[]] == []"},
		{"prove", "--faults", "refused", "--schedules", "none", "--invariant", "two=[.cloud[]] | length == 0"},
	} {
		shownByRun(t, "", args)
	}
	args := []string{"prove", "--faults", "stale", "--schedules", "none", "--always", "no lb=[.cloud[]] == []"}
	text, _, _ := reconcile("", args...)
	line := regexp.MustCompile(`see it again: reconcile (.*) \| reconcile (.*)\n`).FindStringSubmatch(text)
	if line == nil || line[2] != "run --scenario lab --always 'no lb=[.cloud[]] == []' --choices -" {
		t.Fatalf("no line to see it again: %q in %s", line, text)
	}
	choices, _, _ := reconcile("", append(args, "--show", "1")...)
	if out, errs, status := reconcile(choices, "run", "--always", "no lb=[.cloud[]] == []", "--choices", "-"); status != exitFindings || !strings.Contains(out, `the invariant "no lb" does not hold`) {
		t.Errorf("the line shows %s %s", out, errs)
	}
}

// shownByRun plays each finding of a command again by the line that it prints.
func shownByRun(t *testing.T, file string, args []string) {
	t.Helper()
	out, errs, _ := reconcile("", append(args, "--format", "json")...)
	var all struct{ Findings, Stopped []found }
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all.Findings)+len(all.Stopped) == 0 {
		t.Fatalf("%d findings, %v, %s", len(all.Findings), err, errs)
	}
	for _, f := range append(all.Findings, all.Stopped...) {
		choices := strings.Join(f.Choices, "\n")
		run := []string{"run", "--choices", "-", "--format", "json"}
		for j, word := range args {
			if word == "--lesson" {
				word = "--scenario"
			}
			if word == "--scenario" || word == "--script" || word == "--invariant" || word == "--always" {
				run = append(run, word, args[j+1])
			}
		}
		out, errs, _ := reconcile(choices, run...)
		var again struct {
			Findings []found
			Notes    []string
		}
		if err := json.Unmarshal([]byte(out), &again); err != nil {
			t.Fatalf("%s does not repeat: %v %s", f.Finding, err, errs)
		}
		shown := f.Finding == "stopped" && len(again.Notes) > 0 && strings.Contains(again.Notes[0], f.Sentence[strings.Index(f.Sentence, "What came of it: ")+len("What came of it: "):])
		for _, g := range again.Findings {
			shown = shown || g.Finding == f.Finding && g.Object == f.Object && g.Check == f.Check
		}
		if !shown {
			t.Errorf("run does not tell of %s of %s: %s\nbut of %+v %v\n%s", f.Finding, f.Object, f.Sentence, again.Findings, again.Notes, choices)
		}
	}
}

// A script that came on standard input is asked for in a file, and the line says in
// which.
func TestSeeAgainWhatCameOnStandardInput(t *testing.T) {
	text, err := os.ReadFile("../../grade/testdata/wrong/for-in-list.sh")
	if err != nil {
		t.Fatal(err)
	}
	out, _, status := reconcile(string(text), "prove", "--script", "-", "--faults", "cloud-error", "--schedules", "none")
	line := regexp.MustCompile(`see it again: .*`).FindString(out)
	want := "see it again: reconcile prove --scenario lab --script reconcile.sh --faults cloud-error --schedules none --show 1 | reconcile run --scenario lab --script reconcile.sh --choices -  # reconcile.sh: the script that came on standard input"
	if status != exitFindings || line != want {
		t.Errorf("%d: %q", status, line)
	}
}
