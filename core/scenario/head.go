package scenario

import (
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Head is what a list says of a scenario of the library. It is read without
// building the scenario, so one that this build cannot run has one too.
type Head struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Kind is lab, lesson, incident or empty.
	Kind  string `json:"kind,omitempty"`
	Story string `json:"story,omitempty"`
	// Look says what to look at while it runs, one thing a text.
	Look  []string   `json:"look,omitempty"`
	Cures []CureHead `json:"cures,omitempty"`
}

// CureHead is a cure that can be switched on.
type CureHead struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Says names another way to act, where the cure changes nothing else.
	Says string `json:"says,omitempty"`
}

// Heads are those of the library, in the order of Names.
func Heads() []Head {
	var out []Head
	for _, name := range Names() {
		text, _, err := libraryText(name)
		if err != nil {
			panic(err) // it is embedded
		}
		h := HeadOf(text)
		h.Name = name
		out = append(out, h)
	}
	return out
}

// HeadOf reads the head of a document; what is not there stays empty.
func HeadOf(text []byte) Head { return headOf(txtar.Parse(text)) }

// Head is the head of the scenario's document.
func (s *Scenario) Head() Head { return s.head }

func headOf(a *txtar.Archive) Head {
	h := Head{Story: strings.TrimSpace(string(a.Comment))}
	for _, f := range a.Files {
		if f.Name != "scenario.yaml" {
			continue
		}
		docs, err := object.DecodeYAML(f.Data)
		if err != nil || len(docs) == 0 {
			continue
		}
		m, _ := docs[0].Value.(*object.Map)
		o := object.New(m)
		h.Name, h.Title, h.Kind = o.Str("name"), o.Str("title"), o.Str("kind")
		for _, v := range o.List("look").All() {
			if s, ok := v.(string); ok {
				h.Look = append(h.Look, s)
			}
		}
		for _, v := range o.List("cures").All() {
			if c, ok := v.(*object.Map); ok {
				cure := object.New(c)
				h.Cures = append(h.Cures, CureHead{cure.Str("name"), cure.Str("title"), cure.Str("says")})
			}
		}
	}
	if h.Title == "" {
		h.Title = h.Name
	}
	return h
}
