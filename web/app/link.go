package app

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/web/engine"
)

// LinkPrefix is what a link begins with behind its #: format and version.
const LinkPrefix = "run1."

// MaxLink is how many characters a link may have; a longer run is offered as a
// file.
const MaxLink = 8 << 10

// Share is what the sheet of the link shows.
type Share struct {
	// URL is the link; empty while it is made, and where it would be too long.
	URL string
	// Size is how many characters it has, or would have.
	Size int
	// Copied says that it is in the clipboard.
	Copied bool
}

// The messages about links.
type (
	// OpenShare makes the link of the run and shows it.
	OpenShare struct{}
	// CopyLink puts the link into the clipboard; Copied says that it is there.
	CopyLink struct{}
	Copied   struct{}
	// LinkMade is the link of a run; Token is the caller's of window.reconcile,
	// 0 for the sheet.
	LinkMade struct {
		Token    int
		URL, Err string
	}
	// LinkFound says that the page's address holds a link.
	LinkFound struct{ Packed string }
	// LinkRead is the run of the link that was found, or why it cannot be read.
	LinkRead struct{ Text, Err string }
	// OpenLink plays the run of a link.
	OpenLink struct{ Text string }
	// BackToMine goes back from a run that shows what was found to the one before
	// it, or to the scenario's beginning where nothing was made of that or it is not
	// kept any more.
	BackToMine struct{}
	// TakeUp makes a kept run the current one; DropKept forgets it, where Sure is
	// not set after asking.
	TakeUp   struct{ ID int }
	DropKept struct {
		ID   int
		Sure bool
	}
)

// The effects about links.
type (
	// PackLink makes a link of a text; LinkMade follows.
	PackLink struct {
		Token int
		Text  string
	}
	// ReadLink unpacks the link that was found and takes it out of the page's
	// address; LinkRead follows.
	ReadLink struct{ Packed string }
	// Copy puts a text into the clipboard; Copied follows where that is allowed.
	Copy struct{ Text string }
)

// updateLinks takes the acts about links and kept runs.
func (m *Model) updateLinks(msg Msg) ([]Effect, bool) {
	switch msg := msg.(type) {
	case OpenLibrary:
		return m.openLibrary(), true
	case OpenShare:
		m.Share, m.Menu, m.Why = Share{}, "", ""
		m.Sheet = Sheet{Kind: "share", Back: "share"}
		return []Effect{m.send(engine.Command{Method: "link"}, pending{}), Focus{"sheet-close"}}, true
	case CopyLink:
		return []Effect{Copy{m.Share.URL}}, true
	case Copied:
		m.Share.Copied = true
	case LinkMade:
		return m.linkMade(msg), true
	case LinkFound:
		m.linkFound = msg.Packed
		return m.readLink(), true
	case LinkRead:
		return m.linkRead(msg), true
	case OpenLink:
		return m.act(engine.Command{Method: "openLink", Text: msg.Text}), true
	case BackToMine:
		return m.backToMine(), true
	case TakeUp:
		m.Sheet = Sheet{}
		return m.act(engine.Command{Method: "takeUp", N: msg.ID}), true
	case DropKept:
		if !msg.Sure {
			return m.ask("dropKept", m.keptTitle(msg.ID), DropKept{msg.ID, true}), true
		}
		return []Effect{m.send(engine.Command{Method: "dropKept", N: msg.ID}, pending{})}, true
	default:
		return nil, false
	}
	return nil, true
}

func (m *Model) backToMine() []Effect {
	c := engine.Command{Method: "takeUp", N: m.Mine}
	if !slices.ContainsFunc(m.Kept, func(k engine.KeptRun) bool { return k.ID == m.Mine }) {
		c = engine.Command{Method: "cure", Name: m.Scenario.Cure}
	}
	return append(m.dropEvidence(), m.send(c, pending{act: true, back: true}))
}

func (m *Model) keptTitle(id int) string {
	for _, k := range m.Kept {
		if k.ID == id {
			return k.Title
		}
	}
	return ""
}

// linkMade shows a link, or hands it to who asked for it.
func (m *Model) linkMade(made LinkMade) []Effect {
	long := len(made.URL) > MaxLink
	switch {
	case made.Token != 0 && made.Err != "":
		return []Effect{Reject{made.Token, made.Err, "Internal"}}
	case made.Token != 0 && long:
		return []Effect{Reject{made.Token, m.Words.LinkTooLong(len(made.URL), MaxLink), "TooLong"}}
	case made.Token != 0:
		url, _ := json.Marshal(made.URL)
		return []Effect{Resolve{made.Token, url}}
	case made.Err != "":
		m.Sheet = Sheet{}
		return []Effect{m.toast("fault", made.Err)}
	}
	m.Share.Size = len(made.URL)
	if !long {
		m.Share.URL = made.URL
		return []Effect{Focus{"share-link"}}
	}
	return nil
}

// readLink asks for the link that was found, once the cluster is there: what the
// visitor has comes first.
func (m *Model) readLink() []Effect {
	if m.linkFound == "" || !m.Ready {
		return nil
	}
	packed := m.linkFound
	m.linkFound = ""
	if !strings.HasPrefix(packed, LinkPrefix) {
		return []Effect{ReadLink{}, m.toast("fault", m.Words.LinkUnknown())}
	}
	m.linkReading = true
	m.Said = m.openingGuide().Title
	return []Effect{ReadLink{packed}}
}

// linkRead goes on once a link is read, and then serves the calls that came before.
func (m *Model) linkRead(read LinkRead) []Effect {
	m.linkReading = false
	effects := m.openRead(read)
	held := m.held
	m.held = nil
	for _, c := range held {
		effects = append(effects, m.called(c)...)
	}
	return effects
}

// openRead opens a link where nothing would be put aside for it, and asks first
// where something would.
func (m *Model) openRead(read LinkRead) []Effect {
	if read.Err != "" {
		return []Effect{m.toast("fault", m.Words.LinkBroken(read.Err))}
	}
	if !m.touched() {
		return m.Update(OpenLink{read.Text})
	}
	var l struct {
		Scenario string   `json:"scenario"`
		Choices  []string `json:"choices"`
	}
	if err := json.Unmarshal([]byte(read.Text), &l); err != nil {
		return []Effect{m.toast("fault", m.Words.LinkBroken(err.Error()))}
	}
	return m.ask("link", m.Words.LinkAbout(titleIn(l.Scenario), len(l.Choices)), OpenLink{read.Text})
}

// touched reports whether the person has made something of this run, if only what is
// typed and not stored yet.
func (m *Model) touched() bool { return m.Timeline.Touched || m.Unsaved() }

// titleIn is the title that a scenario document gives itself.
func titleIn(document string) string {
	for line := range strings.Lines(document) {
		if title, ok := strings.CutPrefix(line, "title:"); ok {
			title = strings.Trim(strings.TrimSpace(title), `"'`)
			if r := []rune(title); len(r) > 80 {
				title = string(r[:79]) + "…"
			}
			return title
		}
	}
	return ""
}
