package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/web/engine"
)

func typed(s *session, text string) { s.do(Typed{}.WithValue(text)) }

func press(s *session, k Key) {
	k.Terminal, k.Typing = true, true
	if s.m.Bound(k) {
		s.do(Pressed{k})
	}
}

// A line runs at the engine; what it printed, or why it did not run, is in the
// log, and the arrows bring the lines back.
func TestTerminalRunsLinesAndRemembersThem(t *testing.T) {
	s := start(t, full(obj("WebApp", "plain", "10", "")))
	s.do(OpenTab{TabTerminal})
	if !s.has(Focus{TerminalID}) {
		t.Errorf("opened with %v", s.last)
	}
	typed(s, " kubectl get webapps ")
	press(s, Key{Name: "Enter"})
	if len(s.sent) != 1 || s.sent[0].Method != "shell" || s.sent[0].Text != "kubectl get webapps" || !s.m.Terminal.Busy || s.m.Terminal.Text != "" {
		t.Fatalf("sent %+v, terminal %+v", s.sent, s.m.Terminal)
	}
	typed(s, "false")
	press(s, Key{Name: "Enter"})
	if len(s.sent) != 1 {
		t.Error("a second line runs beside the first")
	}
	s.answer("shell", engine.Output{Stdout: strings.Repeat("x", termOutput+5), Code: 0}, nil)
	press(s, Key{Name: "Enter"})
	s.refuse("shell", &engine.Error{Message: "no scripts", Reason: engine.ReasonScripts})
	lines := s.m.Terminal.Lines
	if len(lines) != 2 || len(lines[0].Stdout) != termOutput || !lines[0].Cut || lines[1].Stderr != "no scripts" || lines[1].Code == 0 || s.m.Terminal.Busy {
		t.Fatalf("the log is %d lines, the last %+v", len(lines), lines[len(lines)-1])
	}
	if s.m.Terminal.Text != "false" {
		t.Errorf("a line that what runs it was missing for left %q to be tried again", s.m.Terminal.Text)
	}
	var seen []string
	for _, k := range []string{"ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown"} {
		press(s, Key{Name: k})
		seen = append(seen, s.m.Terminal.Text)
	}
	if want := []string{"false", "kubectl get webapps", "kubectl get webapps", "false", ""}; !slices.Equal(seen, want) {
		t.Errorf("the arrows bring %q, want %q", seen, want)
	}
}

func TestTerminalCompletes(t *testing.T) {
	for text, want := range map[string]string{
		"kube":                        "kubectl ",
		"kubectl get we":              "kubectl get webapps ",
		"kubectl get webapps pl":      "kubectl get webapps plain ",
		"kubectl get webapp/pl":       "kubectl get webapp/plain ",
		"kubectl get webapps -o js":   "kubectl get webapps -o json",
		"kubectl get cm | wc":         "kubectl get cm | wc",
		"x=$(kubectl desc":            "x=$(kubectl describe ",
		"cloud lb cr":                 "cloud lb create ",
		"kubectl delete configmaps o": "kubectl delete configmaps o",
		"":                            "",
	} {
		s := start(t, full(obj("WebApp", "plain", "10", ""), obj("ConfigMap", "one", "11", ""), obj("ConfigMap", "other", "12", "")))
		typed(s, text)
		press(s, Key{Name: "Tab"})
		if got := s.m.Terminal.Text; got != want {
			t.Errorf("%q becomes %q, want %q (offers %q)", text, got, want, s.m.Terminal.Offers)
		}
	}
	s := start(t, full(obj("ConfigMap", "one", "11", ""), obj("ConfigMap", "other", "12", "")))
	typed(s, "kubectl delete configmaps o")
	press(s, Key{Name: "Tab"})
	if want := []string{"one", "other"}; !slices.Equal(s.m.Terminal.Offers, want) {
		t.Errorf("offers %q, want %q", s.m.Terminal.Offers, want)
	}
	// Where nothing fits, Tab stays in the line; in an empty line, and with Shift, it goes on.
	for text, stays := range map[string]bool{"": false, "kubectl get nothing-like-it": true, "kubectl get cm one ": true} {
		typed(s, text)
		if got := s.m.Bound(Key{Name: "Tab", Terminal: true, Typing: true}); got != stays {
			t.Errorf("after %q Tab stays: %t", text, got)
		}
		if s.m.Bound(Key{Name: "Tab", Shift: true, Terminal: true, Typing: true}) {
			t.Errorf("after %q Shift+Tab is caught", text)
		}
	}
	typed(s, "kubectl delete configmaps o")
	press(s, Key{Name: "Tab"})
	typed(s, "kubectl delete configmaps ox")
	press(s, Key{Name: "Tab"})
	if len(s.m.Terminal.Offers) > 0 || s.m.Terminal.Text != "kubectl delete configmaps ox" {
		t.Errorf("where nothing fits the line is %q, the offers %q", s.m.Terminal.Text, s.m.Terminal.Offers)
	}
	// Short names are names of a kind: those of every cluster, and those of a definition.
	definition := obj("CustomResourceDefinition", "webapps.lab.example.com", "9", "").
		Set("WebApp", "spec", "names", "kind").Set(object.Strings("wa"), "spec", "names", "shortNames")
	s = start(t, full(definition, obj("WebApp", "outside", "10", ""), obj("WebApp", "plain", "11", ""), obj("ConfigMap", "one", "12", "")))
	for text, want := range map[string]string{
		"kubectl get wa o":                           "kubectl get wa outside ",
		"kubectl get -w wa/p":                        "kubectl get -w wa/plain ",
		"kubectl describe webapps.lab.example.com p": "kubectl describe webapps.lab.example.com plain ",
		"kubectl get cm o":                           "kubectl get cm one ",
	} {
		typed(s, text)
		press(s, Key{Name: "Tab"})
		if got := s.m.Terminal.Text; got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// A script is rolled out, not applied; until then it is not what runs.
func TestScriptsAreRolledOut(t *testing.T) {
	s := start(t, full())
	s.do(AddScript{})
	f := s.m.Files.Current()
	if f == nil || f.Name != engine.ScriptName || s.m.StateOf(f) != FileNotApplied {
		t.Fatalf("the open file is %+v", f)
	}
	s.answer("file", nil, nil)
	s.do(Apply{})
	if len(s.sent) != 1 || s.sent[0].Method != "setScript" || s.sent[0].Text != f.Text {
		t.Fatalf("sent %+v", s.sent)
	}
	s.refuse("setScript", &engine.Error{Message: "no", Marks: []engine.Mark{{Line: 3, Message: "no"}}})
	if s.m.Files.Error == nil || !s.has(EditorMarks{Marks: []engine.Mark{{Line: 3, Message: "no"}}}) || s.m.StateOf(f) != FileNotApplied {
		t.Errorf("refused: %+v, %v", s.m.Files.Error, s.last)
	}
	s.do(Apply{})
	s.answer("setScript", nil, nil)
	if s.m.StateOf(f) != FileApplied || s.m.Files.Applying {
		t.Errorf("rolled out it is %q", s.m.StateOf(f))
	}
	s.do(Edited{"exit 1\n"})
	if s.m.StateOf(f) != FileEdited {
		t.Errorf("edited it is %q", s.m.StateOf(f))
	}
}

// Enter goes on with a line that waits for more, and runs it once that is there.
func TestTerminalLinesThatGoOn(t *testing.T) {
	doc := "kubectl apply -f - <<EOF\nkind: ConfigMap\n"
	for text, want := range map[string]bool{
		"kubectl get cm": false, "echo 'a": true, "echo 'a\nb'": false, `echo "it's`: true, `echo "it's"`: false, `echo \"`: false, `echo 'a\'`: false,
		`echo a \`: true, "echo a \\\nb": false, `echo \\`: false, "echo a # don't": false, "echo a#'": true,
		"cat <<EOF": true, doc: true, doc + "EOF": false, doc + "EOF\n": false, doc + "  EOF": true, "cat <<-'EO'\n\tx": true,
		"cat <<-\"END\"\n\tdon't\n\tEND": false, "cat <<A <<B\na\nA\n": true, "cat <<A <<B\na\nA\nB": false, "cat <<A | sort\nb\nA\necho 'x": true,
		"cat <<< x": false, "cat <<<'x": true, "echo $((1 << 2))": false, "x=$(cat <<E\ny\nE\n)": false, "cat <<": true, "": false,
	} {
		if got := unfinished(text); got != want {
			t.Errorf("%q goes on: %v", text, got)
		}
	}
	s := start(t, full(obj("WebApp", "plain", "10", "")))
	s.do(OpenTab{TabTerminal})
	typed(s, "cat <<EOF")
	press(s, Key{Name: "Enter"})
	if s.m.Terminal.Text != "cat <<EOF\n" || len(s.sent) != 0 || !s.has(Focus{TerminalID}) {
		t.Fatalf("the line is %q, sent %+v, then %v", s.m.Terminal.Text, s.sent, s.last)
	}
	if s.m.Bound(Key{Name: "ArrowUp", Terminal: true}) || s.m.Bound(Key{Name: "Enter", Shift: true, Terminal: true}) {
		t.Error("keys that move in the lines, or begin one, are taken away")
	}
	typed(s, "cat <<EOF\nwords\nEOF")
	press(s, Key{Name: "Enter"})
	if len(s.sent) != 1 || s.sent[0].Text != "cat <<EOF\nwords\nEOF" || s.m.Terminal.Text != "" {
		t.Fatalf("sent %+v, the line is %q", s.sent, s.m.Terminal.Text)
	}
	s.answer("shell", engine.Output{Stdout: "words\n"}, nil)
	press(s, Key{Name: "ArrowUp"})
	if s.m.Terminal.Text != "cat <<EOF\nwords\nEOF" || !s.m.Bound(Key{Name: "ArrowUp", Terminal: true}) {
		t.Errorf("the history brings %q", s.m.Terminal.Text)
	}
	typed(s, "cat <<EOF")
	press(s, Key{Name: "Enter", Mod: true})
	if len(s.sent) != 1 {
		t.Error("it cannot be run as it is")
	}
}

// What a line printed is shown in the order in which it was written, also where its beginning is cut.
func TestTerminalPieces(t *testing.T) {
	for _, step := range []struct {
		out  engine.Output
		want []Piece
	}{
		{engine.Output{Stdout: "abc", Stderr: "xyz"}, []Piece{{"abc", false}, {"xyz", true}}},
		{engine.Output{Stdout: "abc", Stderr: "xyz", Order: "0,1,2,2,1"}, []Piece{{"x", true}, {"ab", false}, {"yz", true}, {"c", false}}},
		{engine.Output{Stdout: "bc", Stderr: "z", Order: "0,1,2,2,1"}, []Piece{{"b", false}, {"z", true}, {"c", false}}},
		{engine.Output{}, nil},
	} {
		l := TermLine{Output: step.out}
		if got := l.Pieces(); !slices.Equal(got, step.want) {
			t.Errorf("%+v: %v, want %v", step.out, got, step.want)
		}
	}
}
