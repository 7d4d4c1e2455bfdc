package apiserver_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// tokenRE finds what stands for a value that differs from run to run.
var tokenRE = regexp.MustCompile(`<time>|<suffix>|list-rv-\d+|rv-\d+|uid-\d+|continue-\d+`)

// forms are what each kind of token stands for.
var forms = map[string]string{
	"<time>":   `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`,
	"<suffix>": `[a-z0-9]{5}`,
	"list-rv":  `\d+`,
	"rv":       `\d+`,
	"uid":      `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`,
	"continue": `[A-Za-z0-9_-]+`,
}

// tokens holds what tokens stand for in one replay.
type tokens struct {
	values map[string]string
	// owners is the way back, for uid and rv: two tokens are two values.
	owners map[string]string
	// seen counts the tokens of each kind: they are numbered as they appear.
	seen map[string]int
	// continued is set for a page of a list: it repeats the list's version.
	continued bool
	// whole holds where managedFields were not stripped from the recording.
	whole bool
}

func newTokens() *tokens {
	return &tokens{values: map[string]string{}, owners: map[string]string{}, seen: map[string]int{}}
}

// split takes a token apart.
func split(token string) (kind string, n int) {
	i := strings.LastIndexByte(token, '-')
	if i < 0 {
		return token, 0
	}
	n, err := strconv.Atoi(token[i+1:])
	if err != nil {
		return token, 0
	}
	return token[:i], n
}

// find returns the tokens of a text. A token stands alone: the end of a
// namespace such as patch-rv-2 is none.
func find(text string) [][]int {
	var out [][]int
	for _, at := range tokenRE.FindAllStringIndex(text, -1) {
		if at[0] > 0 && text[at[0]] != '<' && wordByte(text[at[0]-1]) || at[1] < len(text) && text[at[1]-1] != '>' && wordByte(text[at[1]]) {
			continue
		}
		out = append(out, at)
	}
	return out
}

func wordByte(c byte) bool {
	return c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// fill replaces the tokens of a request by what they stand for.
func (t *tokens) fill(text string) (string, error) {
	var b strings.Builder
	last := 0
	for _, at := range find(text) {
		token := text[at[0]:at[1]]
		if token == "<time>" {
			continue
		}
		v, ok := t.values[token]
		if !ok {
			return "", fmt.Errorf("the request uses %s, which no answer gave", token)
		}
		b.WriteString(text[last:at[0]] + v)
		last = at[1]
	}
	return b.String() + text[last:], nil
}

// match compares a recorded text with the one given and learns new tokens.
func (t *tokens) match(want, got string) error {
	at := find(want)
	if len(at) == 0 {
		if want != got {
			return fmt.Errorf("got %q, want %q", got, want)
		}
		return nil
	}
	var pattern strings.Builder
	last := 0
	for _, p := range at {
		pattern.WriteString(regexp.QuoteMeta(want[last:p[0]]))
		kind, _ := split(want[p[0]:p[1]])
		pattern.WriteString("(" + forms[kind] + ")")
		last = p[1]
	}
	pattern.WriteString(regexp.QuoteMeta(want[last:]))
	m := compiled("(?s)^" + pattern.String() + "$").FindStringSubmatch(got)
	if m == nil {
		return fmt.Errorf("got %q, want %q", got, want)
	}
	for i, p := range at {
		if err := t.learn(want[p[0]:p[1]], m[i+1]); err != nil {
			return fmt.Errorf("%w in %q, want %q", err, got, want)
		}
	}
	return nil
}

var patterns = map[string]*regexp.Regexp{}

// compiled compiles a pattern once.
func compiled(pattern string) *regexp.Regexp {
	re, ok := patterns[pattern]
	if !ok {
		re = regexp.MustCompile(pattern)
		patterns[pattern] = re
	}
	return re
}

// learn binds a token to a value, or checks that it still stands for it.
func (t *tokens) learn(token, value string) error {
	kind, n := split(token)
	switch kind {
	case "<time>":
		return nil
	case "<suffix>":
		t.values[token] = value
		return nil
	}
	if old, ok := t.values[token]; ok {
		if old != value {
			return fmt.Errorf("%s is %s and was %s", token, value, old)
		}
		return nil
	}
	if n != t.seen[kind]+1 {
		return fmt.Errorf("%s comes after %d of its kind", token, t.seen[kind])
	}
	if kind == "list-rv" && t.continued {
		return fmt.Errorf("%s is new in a page of a list that began before", token)
	}
	if kind == "uid" || kind == "rv" {
		if other, ok := t.owners[kind+value]; ok {
			return fmt.Errorf("%s is %s, the value of %s", token, value, other)
		}
		t.owners[kind+value] = token
	}
	t.seen[kind], t.values[token] = n, value
	return nil
}

// compareStep compares an answer with the one recorded in a step.
func (t *tokens) compareStep(step *node, got answer) error {
	t.continued = step.get("query").get("continue") != nil
	return t.compareAnswer(step.get("response"), got)
}

func (t *tokens) compareAnswer(want *node, got answer) error {
	for _, k := range want.keys {
		if !slices.Contains([]string{"code", "body", "rawBody", "warnings", "events", "causesUnordered"}, k) {
			return fmt.Errorf("the recording has an answer with %q", k)
		}
	}
	code := want.get("code")
	if code == nil || code.text() != fmt.Sprint(got.Code) {
		return fmt.Errorf("code %d, want %v: %s", got.Code, code, got.Body)
	}
	if err := t.compareWarnings(want.get("warnings"), got.Warnings); err != nil {
		return err
	}
	if events := want.get("events"); events != nil {
		return t.compareEvents(events, got)
	}
	if raw := want.get("rawBody"); raw != nil {
		return t.compare("rawBody", raw, string(got.Body))
	}
	body := want.get("body")
	if body == nil {
		return nil
	}
	v, err := object.DecodeJSON(got.Body)
	if err != nil {
		return fmt.Errorf("%w: %s", err, got.Body)
	}
	if want.flag("causesUnordered") {
		return t.compareUnordered(body, v)
	}
	return t.compare("body", body, v)
}

func (t *tokens) compareWarnings(want *node, got []string) error {
	var wanted []*node
	if want != nil {
		wanted = want.items
	}
	if len(wanted) != len(got) {
		return fmt.Errorf("warnings %q, want %d", got, len(wanted))
	}
	for i := range got {
		if err := t.compare(fmt.Sprintf("warnings[%d]", i), wanted[i], got[i]); err != nil {
			return err
		}
	}
	return nil
}

// compareEvents compares the lines of a watch; an answer that is none counts
// as one line.
func (t *tokens) compareEvents(want *node, got answer) error {
	if got.events == nil {
		got.events = []any{mustDecode(got.Body)}
	}
	return t.compare("events", want, object.NewList(got.events...))
}

// compare walks a recorded value in the order of its file beside the one given.
func (t *tokens) compare(path string, want *node, got any) error {
	switch want.kind {
	case '{':
		return t.compareMap(path, want, got)
	case '[':
		l, ok := got.(*object.List)
		if !ok || l.Len() != len(want.items) {
			return fmt.Errorf("%s: got %s, want %s", path, object.EncodeJSON(got), want.text())
		}
		for i, item := range want.items {
			if err := t.compare(fmt.Sprintf("%s[%d]", path, i), item, l.At(i)); err != nil {
				return err
			}
		}
		return nil
	}
	switch v := want.value.(type) {
	case string:
		s, ok := got.(string)
		if !ok {
			return fmt.Errorf("%s: got %s, want %s", path, object.EncodeJSON(got), want.text())
		}
		if err := t.match(v, s); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	case json.Number:
		n, err := object.DecodeJSON([]byte(v))
		if err != nil {
			return err
		}
		if string(object.EncodeJSON(n)) != string(object.EncodeJSON(got)) {
			return fmt.Errorf("%s: got %s, want %s", path, object.EncodeJSON(got), v)
		}
		return nil
	}
	if want.value != got {
		return fmt.Errorf("%s: got %s, want %s", path, object.EncodeJSON(got), want.text())
	}
	return nil
}

func (t *tokens) compareMap(path string, want *node, got any) error {
	m, ok := got.(*object.Map)
	if !ok {
		return fmt.Errorf("%s: got %s, want %s", path, object.EncodeJSON(got), want.text())
	}
	names := make([]string, len(want.keys))
	for i, k := range want.keys {
		names[i] = t.key(k, m)
	}
	for _, k := range m.Keys() {
		if !slices.Contains(names, k) && !(k == "managedFields" && !t.whole && strings.HasSuffix(path, ".metadata")) {
			v, _ := m.Get(k)
			return fmt.Errorf("%s.%s: got %s, want nothing", path, k, object.EncodeJSON(v))
		}
	}
	for i, k := range names {
		v, ok := m.Get(k)
		if !ok {
			return fmt.Errorf("%s.%s: got nothing, want %s", path, k, want.items[i].text())
		}
		if err := t.match(want.keys[i], k); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := t.compare(path+"."+k, want.items[i], v); err != nil {
			return err
		}
	}
	return nil
}

// key is the field of m that a recorded field stands for: managedFields have a
// uid in the names of their fields.
func (t *tokens) key(want string, m *object.Map) string {
	if len(find(want)) == 0 {
		return want
	}
	if k, err := t.fill(want); err == nil {
		return k
	}
	for _, k := range m.Keys() {
		if t.clone().match(want, k) == nil {
			return k
		}
	}
	return want
}

// compareUnordered compares a Status whose causes came in changing order from
// the real server: as sets, and the message as what is built from them.
func (t *tokens) compareUnordered(want *node, got any) error {
	m, _ := got.(*object.Map)
	status := object.New(m)
	list := want.get("details").get("causes")
	if list == nil {
		return errors.New("the recording has no causes")
	}
	wanted := list.items
	causes := status.List("details", "causes")
	if causes.Len() != len(wanted) {
		return fmt.Errorf("%d causes, want %d: %s", causes.Len(), len(wanted), object.EncodeJSON(causes))
	}
	used := make([]bool, len(wanted))
	inOrder := object.NewList()
	for _, w := range wanted {
		at := -1
		for i := range wanted {
			if !used[i] && t.clone().compare("", w, causes.At(i)) == nil {
				at = i
				break
			}
		}
		if at < 0 {
			return fmt.Errorf("no cause is %s: %s", w.text(), object.EncodeJSON(causes))
		}
		used[at] = true
		inOrder = inOrder.Append(causes.At(at))
	}
	if head, ok := strings.CutSuffix(status.Str("message"), aggregate(causes)); ok {
		status = status.Set(head+aggregate(inOrder), "message")
	}
	return t.compare("body", want, status.Set(inOrder, "details", "causes").Root())
}

// clone returns tokens that learn apart from these.
func (t *tokens) clone() *tokens {
	return &tokens{values: maps.Clone(t.values), owners: maps.Clone(t.owners), seen: maps.Clone(t.seen), whole: t.whole}
}

// aggregate prints causes as the message of a 422 does: each once.
func aggregate(causes *object.List) string {
	var texts []string
	for _, v := range causes.All() {
		m, _ := v.(*object.Map)
		c := object.New(m)
		if text := c.Str("field") + ": " + c.Str("message"); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
