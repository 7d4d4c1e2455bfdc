package app

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/web/engine"
)

// Terminal is the user's shell beside the controller: what was typed, and what
// came of it.
type Terminal struct {
	Lines []TermLine
	// Text is what stands in the input line.
	Text string
	// Busy says that a line runs.
	Busy bool
	// Offers are what the last word may become, where there are several.
	Offers []string
	// at is the line of the history that was taken up, from the end; 0 none.
	at int
}

// TermLine is one line that was run.
type TermLine struct {
	engine.Output
	Line string
	// Cut says that only the end of the output is shown.
	Cut bool
}

// Piece is a part of what a line printed, to standard output or to standard error.
type Piece struct {
	Text string
	Errs bool
}

// Pieces are what the line printed, in the order in which it was written; none is empty.
func (l *TermLine) Pieces() []Piece {
	left := [2]string{l.Stdout, l.Stderr}
	lengths := strings.Split(l.Order, ",")
	if l.Order == "" {
		lengths = []string{strconv.Itoa(len(l.Stdout)), strconv.Itoa(len(l.Stderr))}
	}
	var out []Piece
	// Of what is cut the end is there: so from there.
	for i, length := range slices.Backward(lengths) {
		n, _ := strconv.Atoi(length)
		text := left[i%2]
		at := max(0, len(text)-n)
		if left[i%2] = text[:at]; text[at:] != "" {
			out = append(out, Piece{text[at:], i%2 == 1})
		}
	}
	slices.Reverse(out)
	return out
}

// Of the output of a line so much is shown, and so many lines are.
const (
	termOutput = 20_000
	termLines  = 200
)

// The acts on the terminal.
type (
	// Typed is the text of the input line.
	Typed struct{ Text string }
	// RunLine runs it.
	RunLine struct{}
	// ClearTerminal takes away what was printed.
	ClearTerminal struct{}
)

// WithValue sets the text.
func (Typed) WithValue(v string) Msg { return Typed{v} }

// TerminalID is the id of the input line.
const TerminalID = "terminal-input"

func (m *Model) updateTerminal(msg Msg) ([]Effect, bool) {
	t := &m.Terminal
	switch msg := msg.(type) {
	case Typed:
		t.Text, t.Offers, t.at = msg.Text, nil, 0
	case RunLine:
		return m.runLine(), true
	case ClearTerminal:
		t.Lines = nil
		return []Effect{Focus{TerminalID}}, true
	default:
		return nil, false
	}
	return nil, true
}

func (m *Model) runLine() []Effect {
	t := &m.Terminal
	line := strings.TrimSpace(t.Text)
	if line == "" || t.Busy {
		return nil
	}
	if m.Opening() != "" {
		return []Effect{m.wait()}
	}
	if line == "clear" {
		t.Text = ""
		return m.Update(ClearTerminal{})
	}
	t.Text, t.Offers, t.at = "", nil, 0
	p, command := pending{act: true, text: line}, line
	if what, ok := strings.CutPrefix(line, "kubectl edit "); ok && !strings.ContainsAny(what, "|;&<>$`") {
		// What is edited is edited in the editor: see editFile.
		command, p.file, p.edits = "kubectl get "+what+" -o yaml", editFile, what
	}
	return m.shell(command, p)
}

func (m *Model) shell(command string, p pending) []Effect {
	m.Terminal.Busy = true
	return append(m.dropEvidence(), m.send(engine.Command{Method: "shell", Text: command}, p))
}

// editFile is the file of the editor that kubectl edit opens. Applying it makes a
// patch of what was changed in it, and closes it.
const editFile = "kubectl-edit.yaml"

// applyEdit goes on with kubectl edit: it is given the text as it was opened, which is what the file was applied as
// last, and as it is now. See core/kubectl's editedBefore.
func (m *Model) applyEdit(f *File) []Effect {
	what := f.edits
	if what == "" {
		what = "-f " + f.Name
	}
	was, now := strings.TrimSuffix(f.Applied, "\n"), strings.TrimSuffix(f.Text, "\n")
	end := "END-OF-FILE"
	for strings.Contains(was+now, end) {
		end += "-"
	}
	line := "KUBE_EDITOR=- kubectl edit " + what + " <<'" + end + "'\n" + was + "\n======= edited =======\n" + now + "\n" + end
	return m.shell(line, pending{act: true, file: f.Name, text: "kubectl edit " + what})
}

// edit goes on with kubectl edit once a line of it has run.
func (m *Model) edit(p pending, l *TermLine) []Effect {
	switch {
	case p.file == "":
		return nil
	case p.file == m.Files.Of && m.Files.Applying:
		m.Files.Applying = false
		if l.Code != 0 {
			return m.applyRefused(p, &engine.Error{Message: l.Stderr})
		}
		return m.removeFile(p.file)
	case l.Code != 0:
		return nil
	}
	f := &File{Name: editFile, Text: l.Stdout, Stored: l.Stdout, Applied: l.Stdout, edits: p.edits}
	m.Files.List = append(slices.DeleteFunc(m.Files.List, func(f *File) bool { return f.Name == editFile }), f)
	l.Stdout, m.Pane = m.Words.TerminalEdit()+"\n", PaneFiles
	save := m.send(engine.Command{Method: "file", Name: f.Name, Text: f.Text}, pending{})
	return append(append(m.openFile(f.Name), save), EditorFocus{})
}

// ranLine takes what a line printed, or why it did not run.
func (m *Model) ranLine(p pending, result json.RawMessage, err *engine.Error) []Effect {
	t := &m.Terminal
	l := TermLine{Line: p.text}
	if err != nil {
		l.Stderr, l.Code = err.Message, 1
		if err.Reason == engine.ReasonScripts && t.Text == "" {
			// It did not run, and is to be tried again.
			t.Text = p.text
		}
	} else if json.Unmarshal(result, &l.Output) != nil {
		l.Code = 1
	}
	t.Busy = false
	// The editor has the whole of a text.
	effects := m.edit(p, &l)
	for _, text := range []*string{&l.Stdout, &l.Stderr} {
		if len(*text) > termOutput {
			*text, l.Cut = strings.ToValidUTF8((*text)[len(*text)-termOutput:], ""), true
		}
	}
	t.Lines = append(t.Lines, l)
	if n := len(t.Lines); n > termLines {
		t.Lines = t.Lines[n-termLines:]
	}
	return append([]Effect{Reveal{"terminal-end"}}, effects...)
}

// typing does what a key means in the input line. Where it changes the line, that
// is drawn at once: the next key may come before the next frame.
func (m *Model) typing(k Key) []Effect {
	t := &m.Terminal
	switch {
	case k.Name == "Enter" && k.Shift, t.multiline() && (k.Name == "ArrowUp" || k.Name == "ArrowDown"):
		// The field does that itself.
		return nil
	case k.Name == "Enter" && !k.Mod && unfinished(t.Text):
		t.Text += "\n"
		return []Effect{Focus{TerminalID}}
	case k.Name == "Enter":
		return append(m.runLine(), Focus{TerminalID})
	case k.Name == "ArrowUp":
		m.recall(t.at + 1)
		return []Effect{Focus{TerminalID}}
	case k.Name == "ArrowDown":
		m.recall(t.at - 1)
		return []Effect{Focus{TerminalID}}
	case k.Name == "Tab" && !k.Shift:
		m.complete()
		return []Effect{Focus{TerminalID}}
	case k.Name == "c" && k.Mod && t.Busy:
		return []Effect{m.send(engine.Command{Method: "interrupt"}, pending{})}
	case k.Name == "l" && k.Mod:
		return m.Update(ClearTerminal{})
	case k.Name == "Escape":
		t.Offers = nil
		return []Effect{Focus{"tab-terminal"}}
	}
	return nil
}

// typingBound reports whether a key means something in the input line.
func (m *Model) typingBound(k Key) bool {
	switch k.Name {
	case "Enter":
		return !k.Shift
	case "ArrowUp", "ArrowDown":
		return !m.Terminal.multiline()
	case "Escape":
		return true
	case "Tab":
		// In an empty line there is nothing to complete: Tab goes on.
		return !k.Shift && strings.TrimSpace(m.Terminal.Text) != ""
	case "c":
		return k.Mod && m.Terminal.Busy
	case "l":
		return k.Mod
	}
	return false
}

// multiline reports whether lines are being written in which the arrows move.
func (t *Terminal) multiline() bool { return t.at == 0 && strings.Contains(t.Text, "\n") }

// Unfinished reports whether a quote, a here-document or a line with a backslash
// at its end waits for more lines.
func (t *Terminal) Unfinished() bool { return unfinished(t.Text) }

func unfinished(text string) bool {
	// docs are the ends of the here-documents that this line has begun.
	var docs []string
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == '\'':
			if c == quote {
				quote = 0
			}
		case c == '\\':
			if i++; i == len(text) || i == len(text)-1 && text[i] == '\n' {
				return true
			}
		case quote == '"':
			if c == quote {
				quote = 0
			}
		case c == '\'', c == '"':
			quote = c
		case c == '#' && (i == 0 || strings.IndexByte(" \t\n;", text[i-1]) >= 0):
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case strings.HasPrefix(text[i:], "(("):
			// A << in there shifts.
			if end := strings.Index(text[i:], "))"); end > 0 {
				i += end + 1
			}
		case strings.HasPrefix(text[i:], "<<<"):
			i += 2
		case strings.HasPrefix(text[i:], "<<"):
			rest := strings.TrimLeft(strings.TrimPrefix(text[i+2:], "-"), " \t")
			word := rest
			if end := strings.IndexAny(word, " \t\n;&|<>()"); end >= 0 {
				word = word[:end]
			}
			docs = append(docs, strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(word))
			// Quotes in there are none of the line.
			i = len(text) - len(rest) + len(word) - 1
		case c == '\n' && len(docs) > 0:
			rest := text[i+1:]
			for _, end := range docs {
				for {
					line, more, ok := strings.Cut(rest, "\n")
					rest = more
					if strings.TrimLeft(line, "\t") == end {
						break
					}
					if !ok {
						return true
					}
				}
			}
			docs, i = nil, len(text)-len(rest)-1
		}
	}
	return quote != 0 || len(docs) > 0
}

// recall takes up a line of the history, counted from the end.
func (m *Model) recall(at int) {
	t := &m.Terminal
	if at < 0 || at > len(t.Lines) {
		return
	}
	t.at, t.Text, t.Offers = at, "", nil
	if at > 0 {
		t.Text = t.Lines[len(t.Lines)-at].Line
	}
}

// complete makes the last word as long as it can be, and shows what it may
// become where that is not one thing.
func (m *Model) complete() {
	t := &m.Terminal
	offers := m.completions()
	if len(offers) == 0 {
		t.Offers = nil
		return
	}
	common := offers[0]
	for _, o := range offers[1:] {
		n := 0
		for n < min(len(common), len(o)) && common[n] == o[n] {
			n++
		}
		common = common[:n]
	}
	if len(offers) == 1 {
		common += " "
	}
	head, _ := lastWord(t.Text)
	t.Text = head + common
	t.Offers = nil
	if len(offers) > 1 {
		t.Offers = offers
	}
}

func lastWord(s string) (head, word string) {
	i := strings.LastIndexAny(s, " \n|;&(") + 1
	return s[:i], s[i:]
}

// What the words of a line may be.
var (
	programs     = strings.Fields("awk base64 basename cat cloud cut date diff dirname echo env find grep head jq kubectl ls printf sed sleep sort tail tee tr uniq wc xargs")
	kubectlVerbs = strings.Fields("annotate api-resources apply create delete describe diff edit events explain get label patch replace scale version wait")
	kubectlFlags = strings.Fields("--all-namespaces --field-manager= --field-selector= --force --force-conflicts --from-literal= --ignore-not-found --namespace= --output= --overwrite --patch= --selector= --server-side --show-labels --subresource=status --timeout= --type=merge --wait=false --watch -A -f -l -n -o -p -w")
	outputs      = strings.Fields("custom-columns= go-template= json jsonpath= name wide yaml")
	cloudVerbs   = strings.Fields("create delete get list")
)

// completions are what the last word of the line may become.
func (m *Model) completions() []string {
	head, word := lastWord(m.Terminal.Text)
	command := head[strings.LastIndexAny(head, "\n|;&(")+1:]
	words := strings.Fields(command)
	var all []string
	switch {
	case strings.TrimSpace(m.Terminal.Text) == "":
	case len(words) == 0:
		all = programs
	case words[0] == "cloud":
		all = [][]string{{"db", "lb"}, cloudVerbs, {"--name", "--tag"}}[min(len(words)-1, 2)]
	case words[0] != "kubectl":
	case len(words) == 1:
		all = kubectlVerbs
	case words[len(words)-1] == "-o":
		all = outputs
	case words[len(words)-1] == "-n":
		all = m.namesOf("namespaces")
	case strings.HasPrefix(word, "-"):
		all = kubectlFlags
	default:
		all = m.kubectlWords(words, word)
	}
	var fits []string
	for _, w := range all {
		if strings.HasPrefix(w, word) && w != word {
			fits = append(fits, w)
		}
	}
	return fits
}

// kubectlWords are kinds, or names of the kind that the line names.
func (m *Model) kubectlWords(words []string, word string) []string {
	if kind, _, ok := strings.Cut(word, "/"); ok {
		var out []string
		for _, name := range m.namesOf(kind) {
			out = append(out, kind+"/"+name)
		}
		return out
	}
	for _, w := range words[2:] {
		if names := m.namesOf(w); len(names) > 0 {
			return names
		}
	}
	kinds := strings.Fields("configmaps customresourcedefinitions events namespaces secrets")
	for _, e := range m.Objects.All {
		if p := plural(e.Kind); !e.Gone() && !slices.Contains(kinds, p) {
			kinds = append(kinds, p)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// plural is the resource of a kind, as far as English goes.
func plural(kind string) string {
	k := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(k, "s"):
		return k + "es"
	case strings.HasSuffix(k, "y"):
		return strings.TrimSuffix(k, "y") + "ies"
	}
	return k + "s"
}

// shortNames are those of the kinds that every cluster has.
var shortNames = map[string]string{
	"cm": "ConfigMap", "ns": "Namespace", "ev": "Event", "crd": "CustomResourceDefinition", "crds": "CustomResourceDefinition",
}

// kindOf is the kind of a short name; the word itself where it is none.
func (m *Model) kindOf(word string) string {
	if kind, ok := shortNames[word]; ok {
		return kind
	}
	for _, e := range m.Objects.All {
		if e.Gone() || e.Kind != "CustomResourceDefinition" {
			continue
		}
		for _, short := range e.Server.List("spec", "names", "shortNames").All() {
			if short == word {
				return e.Server.Str("spec", "names", "kind")
			}
		}
	}
	return word
}

// namesOf are the names of the objects of a kind, written in any of its forms.
func (m *Model) namesOf(kind string) []string {
	var out []string
	word, _, _ := strings.Cut(strings.ToLower(kind), ".")
	k := strings.ToLower(m.kindOf(word))
	for _, e := range m.Objects.All {
		if !e.Gone() && (k == strings.ToLower(e.Kind) || k == plural(e.Kind)) && !slices.Contains(out, e.Name) {
			out = append(out, e.Name)
		}
	}
	slices.Sort(out)
	return out
}
