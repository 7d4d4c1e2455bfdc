package apiserver_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// TestAlteredTracesFail checks the comparator itself: a recording in which any
// one token, text, number, key or item of an answer is altered must no longer
// fit the answers that fit it before.
func TestAlteredTracesFail(t *testing.T) {
	traces, err := loadTraces("testdata/traces")
	if err != nil {
		t.Fatal(err)
	}
	altered := 0
	for _, tr := range traces {
		if reasonPending(tr) != "" {
			continue
		}
		answers, err := newReplay().run(tr)
		if err != nil {
			t.Errorf("%s: %v", tr, err)
			continue
		}
		altered += checkAlterations(t, tr, answers)
	}
	if altered < 10000 {
		t.Errorf("only %d alterations were tried", altered)
	}
}

// parts are a trace's steps, and the events of its watch.
func parts(tr trace) []*node {
	out := slices.Clone(tr.root.get("steps").items)
	if w := tr.root.get("watch"); w != nil {
		out = append(out, w)
	}
	return out
}

// comparePart compares one part with its answer.
func comparePart(tokens *tokens, part *node, got answer) error {
	if part.kind == '[' {
		return tokens.compareEvents(part, got)
	}
	return tokens.compareStep(part, got)
}

// answered is what is recorded of the answer in a part.
func answered(part *node) *node {
	if part.kind == '[' {
		return part
	}
	return part.get("response")
}

func checkAlterations(t *testing.T, tr trace, answers []answer) int {
	recorded := parts(tr)
	known := newTokens()
	n := 0
	for i, part := range recorded {
		eachAlteration(answered(part), func(what string) {
			n++
			tokens := known.clone()
			for j := i; j < len(recorded); j++ {
				if comparePart(tokens, recorded[j], answers[j]) != nil {
					return
				}
			}
			t.Errorf("%s: part %d, %s: not noticed", tr, i+1, what)
		})
		if err := comparePart(known, part, answers[i]); err != nil {
			t.Errorf("%s: part %d is not as it was: %v", tr, i+1, err)
		}
	}
	return n
}

// eachAlteration alters one thing below n at a time, calls try, and puts it
// back.
func eachAlteration(n *node, try func(what string)) {
	switch n.kind {
	case '{':
		for i, k := range n.keys {
			if k == "causesUnordered" {
				continue
			}
			n.keys[i] = k + "x"
			try("key " + k)
			n.keys[i] = k
			eachAlteration(n.items[i], try)
		}
	case '[':
		eachItemAlteration(n, try)
	default:
		was := n.value
		for _, v := range alterations(was) {
			n.value = v
			try(fmt.Sprintf("%v made %v", was, v))
		}
		n.value = was
	}
}

func eachItemAlteration(n *node, try func(what string)) {
	items := n.items
	n.items = append(items[:len(items):len(items)], &node{})
	try("an item more")
	for i := range items {
		n.items = append(append([]*node{}, items[:i]...), items[i+1:]...)
		try(fmt.Sprintf("without item %d", i))
	}
	n.items = items
	for _, item := range items {
		eachAlteration(item, try)
	}
}

// alterations are other values than v.
func alterations(v any) []any {
	switch v := v.(type) {
	case string:
		out := []any{v + "x", nil}
		for _, at := range find(v) {
			token := v[at[0]:at[1]]
			kind, n := split(token)
			other := fmt.Sprintf("%s-%d", kind, n+1)
			if n == 0 {
				other = "2001-01-01"
			}
			out = append(out, v[:at[0]]+other+v[at[1]:])
		}
		return out
	case json.Number:
		return []any{v + "1", v.String()}
	case bool:
		return []any{!v}
	}
	return []any{json.Number("0")}
}
