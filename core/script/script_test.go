package script_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/cloud"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/script"
)

// wire is a world with a cloud and nothing else. Calls after it is cut are an
// error of the test.
type wire struct {
	t      testing.TB
	cloud  *cloud.Cloud
	now    time.Time
	memory any
	lines  []string
	log    []string
	line   string
	// die is how many calls are served before the process is killed; 0 for all.
	die, calls int
	dead       bool
}

type killed struct{}

func newWire(t testing.TB) *wire {
	return &wire{t: t, cloud: cloud.New(), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

func (w *wire) serve() {
	if w.dead {
		w.t.Error("a call after the process was killed")
	}
	if w.calls++; w.die > 0 && w.calls > w.die {
		w.dead = true
		panic(killed{})
	}
	w.lines = append(w.lines, w.line)
	w.now = w.now.Add(5 * time.Millisecond)
}

func (w *wire) Do(req api.Request) api.Response {
	w.serve()
	return api.Response{Code: 404}
}

func (w *wire) Cloud(req api.CloudRequest) api.CloudResponse {
	w.serve()
	return w.cloud.Do(w.now, req)
}

func (w *wire) Events(api.Request, int64) ([]api.WatchEvent, error) { w.serve(); return nil, nil }
func (w *wire) Now() time.Time                                      { return w.now }
func (w *wire) At(line string)                                      { w.line = line }
func (w *wire) Log(line string)                                     { w.log = append(w.log, line) }
func (w *wire) Sleep(d time.Duration)                               { w.now = w.now.Add(d) }
func (w *wire) Memory() any                                         { return w.memory }
func (w *wire) Remember(update func(any) any)                       { w.memory = update(w.memory) }
func (w *wire) Seed() uint64                                        { return 7 }

// pass runs a script once for default/a.
func (w *wire) pass(text string) (reconcile.Result, error) {
	w.t.Helper()
	p, err := script.Compile("reconcile.sh", text)
	if err != nil {
		w.t.Fatal(err)
	}
	r := p.Reconciler("WebApp", "webapps", "lab.example.com", "v1")
	return r.Reconcile(reconcile.NewContext(context.Background(), w), reconcile.Request{Namespace: "default", Name: "a"})
}

func TestScriptSeesItsKey(t *testing.T) {
	w := newWire(t)
	_, err := w.pass(`echo "$0 $1 $# $KIND $PLURAL $GROUP $VERSION $HOME $PWD" >&2; read x; echo "$? [$x]" >&2`)
	want := []string{"/root/op/reconcile/reconcile.sh default/a 1 WebApp webapps lab.example.com v1 /root /root/op/reconcile", "1 []"}
	if err != nil || fmt.Sprint(w.log) != fmt.Sprint(want) {
		t.Errorf("%v, %v", w.log, err)
	}
}

func TestDecision(t *testing.T) {
	for _, tc := range []struct{ name, text, want, err, log string }{
		{"nothing", `:`, "{0s }", "", ""},
		{"empty", `echo '{}'`, "{0s }", "", ""},
		{"both", `echo '{"requeueAfter":"30s","reason":"DependencyNotFound"}'`, "{30s DependencyNotFound}", "", ""},
		{"lines", `printf '%s\n' text '{' '"requeueAfter":' '"1m30s"}' ''`, "{1m30s }", "", ""},
		{"last counts", `echo '{"requeueAfter":"1s"}'; echo '{"reason":"x"}'`, "{0s x}", "", ""},
		{"text after", `echo '{"requeueAfter":"1s"}'; echo done`, "{0s }", "", ""},
		{"list", `echo '[{"requeueAfter":"1s"}]'`, "{0s }", "", ""},
		{"unknown key", `echo '{"requeue":true}'`, "{0s }", "", `warning: the JSON at the end of the output is taken for the decision, which knows requeueAfter and reason, and not requeue`},
		{"number", `echo '{"requeueAfter":30}'`, "", "must be a duration in a string", ""},
		{"no duration", `echo '{"requeueAfter":"30"}'`, "", "is no duration", ""},
		{"negative", `echo '{"requeueAfter":"-1s"}'`, "", "is not positive", ""},
		{"broken", `echo '{"requeueAfter":"30s"'`, "", "looks like JSON", ""},
		{"exit", `echo '{"requeueAfter":"30s"}'; echo oh no >&2; exit 3`, "", "oh no (exit status 3)", "oh no"},
		{"advice after", `printf "%s\n" "error: Apply failed with 1 conflict: .data.a" "Please review" "See https" >&2; exit 1`, "", "error: Apply failed with 1 conflict: .data.a (exit status 1)", "See https"},
		{"list after", `printf "%s\n" "error: conflicts with x:" "- .data.a" "Please" >&2; exit 1`, "", "error: conflicts with x: .data.a (exit status 1)", "Please"},
		{"own words after", `echo error: handled >&2; echo giving up >&2; exit 1`, "", "giving up (exit status 1)", "handled"},
		{"a success before", `echo webapp.lab.example.com/a patched >&2; [ a = b ] && echo`, "", "exit status 1 at reconcile.sh:1", "patched"},
		{"a trap after", `trap 'echo tidied up >&2' EXIT; echo giving up >&2; exit 1`, "", "giving up (exit status 1)", "tidied up"},
		{"usage after", `jq --argjson a x -n . `, "", "jq: invalid JSON text passed to --argjson (exit status 2)", "Use jq --help"},
		{"silent exit", `false`, "", "exit status 1", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWire(t)
			got, err := w.pass(tc.text)
			switch {
			case tc.err == "" && (err != nil || fmt.Sprintf("{%s %s}", got.RequeueAfter, got.Reason) != tc.want):
				t.Errorf("%v, %v", got, err)
			case tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)):
				t.Errorf("error %v", err)
			}
			if log := strings.Join(w.log, "\n"); !strings.Contains(log, tc.log) {
				t.Errorf("log %q", log)
			}
		})
	}
}

func TestCloud(t *testing.T) {
	w := newWire(t)
	_, err := w.pass(`
cloud lb create --name a --tag webapp=default/a --tag x=y
cloud lb list --tag webapp=default/a >&2
cloud lb list --name other >&2
cloud lb get lb-0001 >&2
cloud lb get lb-0007; echo $? >&2
cloud lb delete lb-0001; echo $? >&2
cloud lb delete; echo $? >&2
cloud vm list 2>/dev/null; echo $? >&2
k() { kubectl get "$@"; }
k cm x 2>/dev/null
y=$(k cm y 2>/dev/null)
exit 0
`)
	if err != nil {
		t.Fatal(err)
	}
	// A call within a function says from where that was called.
	if got, want := strings.Join(w.lines[len(w.lines)-2:], " and "), "reconcile.sh:10 kubectl get, from line 11 and reconcile.sh:10 kubectl get, from line 12"; got != want {
		t.Errorf("calls %s, want %s", got, want)
	}
	item := w.log[0]
	if !strings.HasPrefix(item, `[{"id":"lb-0001","type":"lb","name":"a","address":"203.0.113.`) || !strings.HasSuffix(item, `"tags":{"webapp":"default/a","x":"y"}}]`) {
		t.Errorf("list: %s", item)
	}
	got := strings.Join(w.log[1:], "|")
	if want := "[]|" + item[1:len(item)-1] + "|not found: lb-0007|1|0|cloud: an ID is required"; !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
	if !strings.Contains(got, "|2|2") {
		t.Errorf("exit statuses: %s", got)
	}
	if want := "reconcile.sh:2 cloud lb create"; w.lines[0] != want {
		t.Errorf("call %q, want %q", w.lines[0], want)
	}
}

func TestFilesAreOfTheProcess(t *testing.T) {
	w := newWire(t)
	count := `n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n; echo $n >&2`
	count = strings.ReplaceAll(count, "cat n 2>/dev/null || echo 0", "[ -e n ] && echo $(<n) || echo 0")
	for range 3 {
		if _, err := w.pass(count); err != nil {
			t.Fatal(err)
		}
	}
	before := w.memory
	if _, err := w.pass("echo $(<n) >&2; exit 1"); err == nil || w.memory != before {
		t.Error("a pass that only reads changes what is remembered")
	}
	w.memory = nil
	w.pass(count)
	if got := strings.Join(w.log, " "); got != "1 2 3 3 1" {
		t.Errorf("counted %s", got)
	}
}

// A killed process does nothing more: no call, no trap.
func TestKill(t *testing.T) {
	for _, text := range []string{
		`trap 'cloud lb create --name trap' EXIT; cloud lb list; cloud lb list; cloud lb list`,
		`trap 'cloud lb create --name trap' ERR EXIT; x=$(cloud lb list; cloud lb list); cloud lb create --name b`,
		`cloud lb list | while read -r x; do cloud lb list; cloud lb list; done | cat; cloud lb create --name b`,
		`read -r x < <(cloud lb list; cloud lb list); cloud lb create --name b`,
	} {
		w := newWire(t)
		w.die = 1
		func() {
			defer func() {
				if _, ok := recover().(killed); !ok {
					t.Errorf("%s: the wire's panic did not come through", text)
				}
			}()
			w.pass(text)
		}()
		if !w.dead {
			t.Errorf("%s: was not killed", text)
		}
		if w.memory != nil {
			t.Errorf("%s: a killed pass remembers", text)
		}
	}
}

func TestBudgets(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"loop", `while :; do :; done`, "stopped after 100,000 commands"},
		{"until", `until false; do x=1; done`, "stopped after 100,000 commands"},
		{"for", `for ((;;)); do :; done`, "stopped after 100,000 commands"},
		{"recursion", `f() { f; }; f`, "functions nested more than 1,000 deep"},
		{"pipe bomb", `:() { : | :; }; :`, "stopped"},
		{"subst bomb", `f() { x=$(f)$(f); }; f`, "stopped"},
		{"eval", `f='eval "$f"'; eval "$f"`, "nested more than 1,000 deep"},
		{"string", `x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done`, "a string of more than 16 MiB"},
		{"width", `printf '%0100000000d' 1`, "a string of more than 16 MiB"},
		{"array", `while :; do a+=(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx); done`, "stopped"},
		{"braces", `echo {1..100000000}`, "braces that make more than 100,000 words"},
		{"braces product", `echo {1..1000}{1..1000}`, "braces that make more than 100,000 words"},
		{"output", `x=$(printf '%1000000d' 1); while :; do echo "$x"; done`, "more than 16 MiB on standard output"},
		{"log", `while :; do printf '%10000d\n' 1 >&2; done`, "more than 1 MiB on standard error"},
		{"calls", `while :; do cloud lb list > /dev/null; done`, "stopped after 1,000 calls"},
		{"arithmetic", `x=x; y=$((x))`, ""},
		{"pattern", `shopt -s extglob
x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab; [[ $x == +(+(a)|+(aa))c ]]`, "one expression takes too long"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := newWire(t).pass(tc.text)
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	for _, tc := range []struct {
		text      string
		line, col int
		reason    string
	}{
		{"echo a\nsleep 1 &\n", 2, 9, "background job"},
		{":(){ :|:& };:", 1, 9, "background job"},
		{"coproc cat", 1, 1, "coproc"},
		{"tee >(cat)", 1, 5, ">( )"},
		{"#!/usr/bin/python3\n", 1, 1, "run by bash"},
		{"#!/usr/bin/env -S zsh\n", 1, 1, "run by bash"},
		{"select x in a b; do :; done", 1, 1, "select"},
		{"echo @(a|b)", 1, 6, "extglob"},
		{"if true; then\n", 1, 10, "then"},
		{"kill -9 $$", 1, 1, "kill"},
		{"alias x=y", 1, 1, "aliases"},
	} {
		_, err := script.Compile("reconcile.sh", tc.text)
		var e *script.Error
		if !errors.As(err, &e) {
			t.Errorf("%q is not refused: %v", tc.text, err)
			continue
		}
		if e.Line != tc.line || e.Col != tc.col || !strings.Contains(e.Reason, tc.reason) {
			t.Errorf("%q: %v", tc.text, err)
		}
	}
	for _, text := range []string{"#!/bin/sh\n", "#!/usr/bin/env bash\n", "#! /bin/bash -e\n", "# no shebang\n", ""} {
		if _, err := script.Compile("reconcile.sh", text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Two outputs of jq that are compared as text get a warning, unless both are
// sorted, or are no JSON.
func TestWarnings(t *testing.T) {
	for _, tc := range []struct {
		text  string
		warns bool
	}{
		{"a=$(jq .x <<< \"$o\")\nb=$(kubectl get x -o json | jq -c .y)\nif [[ $a != \"$b\" ]]; then :; fi", true},
		{`[ "$(jq . a)" = "$(jq . b)" ] || :`, true},
		{`a=$(jq -S . x); [ "$a" = "$(jq . y)" ]`, true},
		{`a=$(jq -S . x); [ "$a" = "$(jq -cS . y)" ]`, false},
		{`a=$(jq -r .x <<< "$o"); b=$(jq -r .y <<< "$o"); [[ $a == $b ]]`, false},
		{`a=$(jq .x <<< "$o"); [[ $a == true ]]`, false},
		{`a=$(date); [[ $a == $(date) ]]`, false},
		{`ln -s a b || :`, true},
		{`x=$(yq .a f)`, true},
		{`ln() { :; }; ln a`, false},
		{`command -v curl || :`, false},
	} {
		p, err := script.Compile("reconcile.sh", tc.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(p.Warnings()) > 0; got != tc.warns {
			t.Errorf("%s: warnings %v", tc.text, p.Warnings())
		}
	}
	w := newWire(t)
	w.pass(`[ "$(printf 1)" = "$(jq . <<< 1)" ]; [[ $(jq -n 1) == $(jq -n 1) ]]`)
	if log := strings.Join(w.log, "\n"); !strings.Contains(log, "warning: reconcile.sh:1:41: two outputs of jq") {
		t.Errorf("log %q", log)
	}
}

func TestTerminal(t *testing.T) {
	w := newWire(t)
	out, errs, _, code := script.Shell(w, `cloud lb create --name x > made; read -r x < made; echo "${x:0:15}"`, "")
	if out != `{"id":"lb-0001"`+"\n" || errs != "" || code != 0 {
		t.Errorf("%q %q %d", out, errs, code)
	}
	out, errs, _, code = script.Shell(w, `echo "$(<made)"; nosuch`, "")
	if !strings.Contains(out, "lb-0001") || errs != "bash: nosuch: command not found\n" || code != 127 {
		t.Errorf("%q %q %d", out, errs, code)
	}
	if _, errs, _, code = script.Shell(w, `sleep 1 &`, ""); code != 2 || !strings.Contains(errs, "background") {
		t.Errorf("%q %d", errs, code)
	}
	if w.lines[0] != "cloud lb create" {
		t.Errorf("call %q", w.lines[0])
	}
	if out, _, _, _ = script.Shell(w, `read -r x; echo "<$x>"`, "input"); out != "<input>\n" {
		t.Errorf("%q", out)
	}
	// What is written to both is told in its order, where that is not the output first.
	for line, want := range map[string]string{
		"nosuch; echo one; echo two; nosuch; echo three": "0,32,8,32,6",
		"echo one; nosuch": "", "echo one": "", "nosuch": "",
	} {
		if _, _, order, _ := script.Shell(w, line, ""); order != want {
			t.Errorf("%s: %q, want %q", line, order, want)
		}
	}
}
