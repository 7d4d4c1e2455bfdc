package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if err := register(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// reconcile runs the command and returns what it printed and its exit status.
func reconcile(stdin string, args ...string) (stdout, stderr string, status int) {
	var out, errs bytes.Buffer
	status = dispatch(args, strings.NewReader(stdin), &out, &errs)
	return out.String(), errs.String(), status
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestExitStatus(t *testing.T) {
	wrongChoices := write(t, "choices.txt", "# a comment\n\nlist controller configmaps\ncall controller default/plain\n")
	noScenario := write(t, "broken.txtar", "words\n-- scenario.yaml --\nname: x\ncontrollers: 7\n")
	for _, c := range []struct {
		args   []string
		status int
		out    string
		err    string
	}{
		{nil, exitUsage, "", "usage:"},
		{[]string{"help"}, exitClean, "reconcile run [--scenario NAME|FILE.txtar] [--script FILE]", ""},
		{[]string{"frobnicate"}, exitUsage, "", `unknown command "frobnicate"`},
		{[]string{"run"}, exitClean, "nothing found", ""},
		{[]string{"run", "--help"}, exitClean, "-choices FILE", ""},
		{[]string{"run", "--nothing"}, exitUsage, "", "flag provided but not defined"},
		{[]string{"run", "extra"}, exitUsage, "", `unexpected argument "extra"`},
		{[]string{"run", "--format", "pdf"}, exitUsage, "", `--format is text, json, md or html, not "pdf"`},
		{[]string{"run", "--script", "nowhere.sh"}, exitUsage, "", "nowhere.sh: no such file"},
		{[]string{"run", "--script", "-", "--choices", "-"}, exitUsage, "", "only one of --script and --choices"},
		{[]string{"run", "--scenario", "nowhere"}, exitUsage, "", `no such scenario: "nowhere"; there are lab`},
		{[]string{"run", "--scenario", "nowhere.txtar"}, exitUsage, "", "nowhere.txtar: no such file"},
		{[]string{"run", "--scenario", noScenario}, exitUsage, "", "broken.txtar:4:14: scenario.yaml: controllers: must list at least one controller"},
		{[]string{"run", "--choices", wrongChoices}, exitUsage, "", "choices.txt:4: step 2 (call controller default/plain) no longer repeats: not enabled"},
		{[]string{"run", "--choices", wrongChoices}, exitUsage, "", "see it again: reconcile run --scenario lab --choices " + wrongChoices},
		{[]string{"run", "--choices", wrongChoices}, exitUsage, "", "after step 1 there could happen:\n  list controller webapps.lab.example.com\n"},
		{[]string{"prove"}, exitClean, "Nothing found within these bounds.\nBounds: a life of 14 acts with ", ""},
		{[]string{"prove", "--faults", "crash-after,flood"}, exitUsage, "", `there is no fault "flood"`},
		{[]string{"prove", "--faults", "stale", "--schedules", "none", "--invariant", "few=[.cloud[]] | length < 3"}, exitClean, "Nothing found within these bounds.", ""},
		{[]string{"prove", "--faults", "stale", "--schedules", "none", "--always", "no lb=[.cloud[]] == []"}, exitFindings, "wrong-state: the state: the invariant \"no lb\" does not hold\n", ""},
		{[]string{"prove", "--invariant", "few=[.cloud[] |\n select(.a ==)]"}, exitUsage, "", `check "few": line 2, column 14: syntax error, unexpected ')'`},
		{[]string{"prove", "--invariant", "few=[.cloud[] | nothing]"}, exitUsage, "", `check "few": line 1, column 13: nothing/0 is not defined`},
		{[]string{"prove", "--invariant", "few"}, exitUsage, "", "it is NAME=EXPR"},
		{[]string{"prove", "--invariant", "few= "}, exitUsage, "", `invariant "few": its expression is empty`},
		{[]string{"prove", "--invariant", "a=true", "--always", "a=true"}, exitUsage, "", `invariant "a": there is another check of this name`},
		{[]string{"prove", "--faults", "stale", "--schedules", "sideways"}, exitUsage, "", `there is no schedule "sideways"`},
		{[]string{"prove", "--depth", "3"}, exitUsage, "", "--depth is 1 or 2, not 3"},
		{[]string{"prove", "--format", "html"}, exitUsage, "", `--format is text, json, md or junit, not "html"`},
		{[]string{"prove", "--faults", "crash-after", "--show", "1"}, exitUsage, "", "--show 1: there are 0 findings"},
		{[]string{"grade", "--lesson", "lab"}, exitClean, "pass not-idempotent: ", ""},
		{[]string{"grade"}, exitUsage, "", "--lesson is missing"},
		{[]string{"list"}, exitClean, "lab\n    Lab: three WebApps\n", ""},
		{[]string{"list", "--format", "xml"}, exitUsage, "", `--format is text or json, not "xml"`},
	} {
		out, errs, status := reconcile("", c.args...)
		if status != c.status || !strings.Contains(out, c.out) || !strings.Contains(errs, c.err) || c.out == "" && out != "" {
			t.Errorf("reconcile %s: exit status %d\nstdout: %.300s\nstderr: %.600s\nwant exit status %d with %q and %q",
				strings.Join(c.args, " "), status, out, errs, c.status, c.out, c.err)
		}
	}
}

// Every format is that of the same report.
func TestFormats(t *testing.T) {
	for format, want := range map[string]string{
		"json": `"schema": "reconcile.report/v1"`, "md": "# Lab: three WebApps\n", "html": "<!DOCTYPE html>\n", "text": "again: 0 writes sent, every resourceVersion of 10 objects stays\n",
	} {
		out, errs, status := reconcile("", "run", "--format", format)
		if status != exitClean || errs != "" || !strings.Contains(out, want) {
			t.Errorf("--format %s: exit status %d, stderr %q, no %q", format, status, errs, want)
		}
	}
}

// The choices of a report, given again, show what it saw; standard input does
// for a file.
func TestChoicesOfAReport(t *testing.T) {
	out, _, _ := reconcile("", "run", "--format", "json")
	var r struct {
		Choices []string `json:"choices"`
		Clock   struct {
			End string `json:"end"`
		} `json:"clock"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	out, errs, status := reconcile(strings.Join(r.Choices, "\n"), "run", "--choices", "-", "--format", "json")
	if status != exitClean || errs != "" {
		t.Fatalf("exit status %d: %s", status, errs)
	}
	var again struct {
		Given   int      `json:"given"`
		Choices []string `json:"choices"`
	}
	if err := json.Unmarshal([]byte(out), &again); err != nil {
		t.Fatal(err)
	}
	if again.Given != len(r.Choices) || strings.Join(again.Choices[:again.Given], "\n") != strings.Join(r.Choices, "\n") {
		t.Errorf("given %d of %d choices", again.Given, len(r.Choices))
	}
}

// A finding is exit status 1, and says how to see it again. Here the child's
// name would be longer than names may be.
func TestFinding(t *testing.T) {
	name := strings.Repeat("x", 250)
	choices := write(t, "choices.txt", `list controller webapps.lab.example.com
list controller configmaps
apply "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: `+name+`}\nspec: {message: hello}\n"
`)
	out, errs, status := reconcile("", "run", "--choices", choices)
	if status != exitFindings || errs != "" {
		t.Fatalf("exit status %d, stderr %q", status, errs)
	}
	for _, want := range []string{
		"\ncrashed: WebApp/default/" + name + ": the last pass ended with an error: ConfigMap: ",
		"must be no more than 253",
		"\n  see it again: reconcile run --scenario lab --choices " + choices + " --format json | jq -r '.findings[0].choices[]' > finding-1.txt && reconcile run --scenario lab --choices finding-1.txt\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out[strings.LastIndex(out, "== "):])
		}
	}
}

// The choices that came on standard input are not there again: the line names the file to save them in.
func TestFindingOfChoicesFromStandardInput(t *testing.T) {
	out, _, status := reconcile(`list controller webapps.lab.example.com
list controller configmaps
apply "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: `+strings.Repeat("x", 250)+`}\nspec: {message: hello}\n"
`, "run", "--choices", "-")
	want := "  see it again: reconcile run --scenario lab --choices choices.txt --format json | jq -r '.findings[0].choices[]' > finding-1.txt && " +
		"reconcile run --scenario lab --choices finding-1.txt  # choices.txt: the choices that came on standard input\n"
	if status != exitFindings || !strings.Contains(out, want) {
		t.Errorf("exit status %d, no %q in\n%s", status, want, out[strings.LastIndex(out, "== "):])
	}
}

// The text of a run has every event on a line of its own, and every pass with
// its six answers.
func TestText(t *testing.T) {
	out, _, _ := reconcile("", "run")
	for _, want := range []string{
		"\n10 15ms call controller default/plain | call ",
		"\n    pass 1 default/plain of controller, 10ms to 20ms\n",
		"\n      desired   WebApp/default/plain rv 1006 from cache\n",
		"\n      observed  ConfigMap/default/plain-config: not there\n",
		"\n      diff      create ConfigMap/default/plain-config\n",
		"\n      action    create ConfigMap/default/plain-config: created, rv 1009\n",
		"\n      requeue   after 30s: DependencyNotFound\n",
		"\n      status    unchanged\n",
		"\n== to quiet\n", "\n== one full pass\n", "\n== a second full pass\n",
		"\nwrites: 3 created, 4 updated\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{"lab": "lab", "a b.txtar": "'a b.txtar'", "it's": `'it'\''s'`, "": "''", "$(x)": "'$(x)'"} {
		if got := shellWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

// A report of what is refused is one that programs can read, and holds the error.
func TestRefusedReports(t *testing.T) {
	broken := write(t, "broken.sh", "if true; then\n  echo '<&>'\n")
	for _, command := range [][]string{{"grade", "--lesson", "lab-1"}, {"prove", "--scenario", "lab-1"}} {
		for _, format := range []string{"json", "junit", "md"} {
			out, errs, status := reconcile("", append(command, "--script", broken, "--format", format)...)
			said := strings.TrimSpace(strings.TrimPrefix(errs, "reconcile "+command[0]+": "))
			if status != exitUsage || !strings.Contains(said, "broken.sh:1:") {
				t.Errorf("%s as %s: exit status %d, %s", command[0], format, status, errs)
			}
			switch format {
			case "json":
				var r struct {
					Schema, Error string
					Scenario      struct{ Name string }
					Findings      []any
				}
				if err := json.Unmarshal([]byte(out), &r); err != nil || r.Schema != "reconcile.report/v1" || r.Error != said || r.Scenario.Name != "lab-1" || r.Findings == nil {
					t.Errorf("%s: %v in %s", command[0], err, out)
				}
			case "junit":
				var r struct {
					Tests  int    `xml:"tests,attr"`
					Errors int    `xml:"errors,attr"`
					Error  string `xml:"testsuite>testcase>error"`
				}
				if err := xml.Unmarshal([]byte(out), &r); err != nil || r.Tests != 1 || r.Errors != 1 || r.Error != said {
					t.Errorf("%s: %v in %s", command[0], err, out)
				}
			case "md":
				if !strings.Contains(out, "    "+said) {
					t.Errorf("%s: %s", command[0], out)
				}
			}
		}
	}
}
