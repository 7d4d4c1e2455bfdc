package app

import (
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/web/engine"
	"github.com/reconcile-playground/reconcile/web/words"
)

const linkText = `{"format":"reconcile.link/v1","scenario":"story\n-- scenario.yaml --\nname: x\ntitle: \"A <b>loop</b>\"\n","choices":["tick","tick"]}`

// A link in the address waits for the cluster; where the visitor has something
// the page asks first, and keeps it if the answer is no.
func TestALinkAsksFirst(t *testing.T) {
	s := &session{t: t, m: New(words.English, Prefs{})}
	s.take(s.m.Start())
	s.do(LinkFound{LinkPrefix + "abc"})
	if len(s.last) != 0 {
		t.Fatalf("before the cluster is there: %+v", s.last)
	}
	d := full()
	d.Timeline.Touched = true
	s.answer("open", nil, d)
	if got, ok := effect[ReadLink](s.last); !ok || got.Packed != LinkPrefix+"abc" {
		t.Fatalf("after it: %+v", s.last)
	}
	s.do(LinkRead{Text: linkText})
	if s.m.Sheet.Key != "link" || !strings.Contains(s.m.Sheet.About, "A <b>loop</b>") || !strings.Contains(s.m.Sheet.About, "2 steps") {
		t.Fatalf("the sheet is %+v", s.m.Sheet)
	}
	s.do(CloseAll{})
	if len(s.sent) != 0 {
		t.Fatalf("after no: %+v", s.sent)
	}
	s.do(LinkRead{Text: linkText})
	s.do(Confirm{})
	if len(s.sent) != 1 || s.sent[0].Method != "openLink" || s.sent[0].Text != linkText {
		t.Fatalf("after yes: %+v", s.sent)
	}
}

// Who has made nothing is not asked; a link that cannot be read is said to be so.
func TestALinkOpensOnAFirstVisit(t *testing.T) {
	s := start(t, full())
	s.do(LinkRead{Text: linkText})
	if len(s.sent) != 1 || s.sent[0].Method != "openLink" {
		t.Fatalf("sent: %+v, sheet %+v", s.sent, s.m.Sheet)
	}
	// What is being typed is something, before it is stored.
	d := full()
	d.Files = []engine.File{{Name: "plain.yaml", Text: "kind: WebApp\n", Applied: "kind: WebApp\n"}}
	s = start(t, d)
	s.do(OpenFile{"plain.yaml"})
	s.do(Edited{"# mine\n"})
	if s.do(LinkRead{Text: linkText}); len(s.sent) != 0 || s.m.Sheet.Key != "link" {
		t.Errorf("over what is typed: sent %+v, sheet %+v", s.sent, s.m.Sheet)
	}
	s = start(t, full())
	s.do(LinkFound{"run9.abc"})
	if _, ok := effect[ReadLink](s.last); !ok || len(s.m.Toasts) != 1 {
		t.Errorf("a later format: %+v, toasts %+v", s.last, s.m.Toasts)
	}
	s.do(LinkRead{Err: "it is damaged"})
	if n := len(s.m.Toasts); n != 2 || !strings.Contains(s.m.Toasts[1].Text, "it is damaged") || len(s.sent) != 0 {
		t.Errorf("a damaged one: toasts %+v, sent %+v", s.m.Toasts, s.sent)
	}
}

// Calls of window.reconcile that come while a link is read are for its run; where it
// cannot be read, or a question is asked first, for what is there.
func TestCallsWaitForTheLink(t *testing.T) {
	for name, tc := range map[string]struct {
		touched bool
		read    LinkRead
		want    string
	}{
		"opened": {false, LinkRead{Text: "{}"}, "openLink state"},
		"asked":  {true, LinkRead{Text: "{}"}, "state"},
		"broken": {false, LinkRead{Err: "it is damaged"}, "state"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, full())
			s.m.Timeline.Touched = tc.touched
			s.do(LinkFound{LinkPrefix + "abc"})
			if s.do(Called{Token: 1, Method: "state"}); len(s.sent) != 0 {
				t.Fatalf("sent %+v while the link is read", s.sent)
			}
			s.do(tc.read)
			var got []string
			for _, c := range s.sent {
				got = append(got, c.Method)
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("sent %v, want %s", got, tc.want)
			}
		})
	}
}

// A link is shown, or offered as a file where it is too long; window.reconcile
// gets it, or is told that it is too long.
func TestLinksThatAreTooLongAreFiles(t *testing.T) {
	s := start(t, full())
	s.do(OpenShare{})
	s.answer("link", "text", nil)
	if p, ok := effect[PackLink](s.last); !ok || p.Text != "text" || p.Token != 0 {
		t.Fatalf("effects: %+v", s.last)
	}
	s.do(LinkMade{URL: "x#short"})
	if s.m.Share.URL != "x#short" || s.m.Sheet.Kind != "share" {
		t.Errorf("the sheet %+v shows %+v", s.m.Sheet, s.m.Share)
	}
	long := strings.Repeat("x", MaxLink+1)
	s.do(OpenShare{})
	s.answer("link", "text", nil)
	s.do(LinkMade{URL: long})
	if s.m.Share.URL != "" || s.m.Share.Size != MaxLink+1 {
		t.Errorf("a long link shows %+v", s.m.Share)
	}
	s.do(Called{Token: 3, Method: "link"})
	s.answer("link", "text", nil)
	if p, ok := effect[PackLink](s.last); !ok || p.Token != 3 || len(s.last) != 1 {
		t.Fatalf("effects: %+v", s.last)
	}
	s.do(LinkMade{Token: 3, URL: "x#short"})
	if r, ok := effect[Resolve](s.last); !ok || string(r.Result) != `"x#short"` {
		t.Errorf("resolved with %+v", s.last)
	}
	s.do(LinkMade{Token: 3, URL: long})
	if r, ok := effect[Reject](s.last); !ok || r.Reason != "TooLong" {
		t.Errorf("rejected with %+v", s.last)
	}
}

// effect is the first effect of a type.
func effect[T Effect](effects []Effect) (T, bool) {
	for _, e := range effects {
		if t, ok := e.(T); ok {
			return t, true
		}
	}
	var none T
	return none, false
}
