package app

import (
	"bytes"
	"encoding/json"
)

// Over returns what to store in place of the preferences that are stored, which
// another tab may have changed since: those with what differs between p and was,
// which this tab read or stored last. A text that is not understood is replaced.
func (p Prefs) Over(was Prefs, stored string) string {
	mine, before := p.fields(), was.fields()
	var out map[string]json.RawMessage
	if json.Unmarshal([]byte(stored), &out) != nil || out == nil {
		out, before = map[string]json.RawMessage{}, nil
	}
	for name := range before {
		if mine[name] == nil {
			delete(out, name)
		}
	}
	for name, value := range mine {
		if !bytes.Equal(value, before[name]) {
			out[name] = value
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err) // it was JSON before
	}
	return string(text)
}

// fields are the preferences that are not the usual ones, by their names in JSON.
func (p Prefs) fields() (out map[string]json.RawMessage) {
	text, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err) // nothing of them fails to be JSON
	}
	return out
}

// Shown is what a tab shows again when it is loaded anew. Each tab has its own.
type Shown struct {
	// Selected is the object whose YAML was shown last; Stays says that the
	// selection stays with it.
	Selected string `json:"selected,omitempty"`
	Stays    bool   `json:"stays,omitempty"`
}

// ShowAgain shows what the tab showed before it was loaded anew. It comes before
// Start.
func (m *Model) ShowAgain(s Shown) {
	m.shown = s
	m.Selected, m.Follow = s.Selected, !s.Stays
}
