package words

import (
	"strings"
	"testing"
	"time"
)

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{
		5 * time.Millisecond: "5 ms", 30 * time.Second: "30 s", time.Minute: "1 min", 90 * time.Second: "1 min 30 s", 10 * time.Minute: "10 min",
		16*time.Minute + 40*time.Second: "16 min 40 s", time.Hour: "1 h", 25 * time.Hour: "25 h", 61 * time.Minute: "1 h 1 min", -time.Second: "0 s",
	} {
		if got := short(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestTimesAreTheReaders(t *testing.T) {
	was := time.Local
	defer func() { time.Local = was }()
	time.Local = time.FixedZone("here", 2*60*60)
	for text, want := range map[string]string{
		"opened at 2026-11-29T19:25:17.123Z": "opened at 21:25 on 29 November",
		"no time":                            "no time",
		"":                                   "",
	} {
		if got := local(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestSeveralAreNotReady(t *testing.T) {
	w := &english{}
	for want, names := range map[string][]string{"outside is not ready": {"outside"}, "outside, plain are not ready": {"outside", "plain"}} {
		if got := w.NextPending(names); !strings.Contains(got, ": "+want+".") {
			t.Errorf("%q does not say %q", got, want)
		}
	}
}

// Each reason of the controller manager's has a sentence of its own and a few words; the owner is gone in one alone.
func TestWhatTheCollectorsDo(t *testing.T) {
	w := &english{}
	said := map[string]string{}
	for _, reason := range []string{"namespace", "crd", "orphan", "foreground", "waiting", "partly", "there", "absent", "gone"} {
		title, text := w.NextFor("gc", "X", reason)
		if other, known := said[text]; known || !strings.Contains(title, " X ") && !strings.HasSuffix(title, " X.") || w.Collects(reason) == "" {
			t.Errorf("%s: %q, %q and %q, after %s", reason, title, text, w.Collects(reason), other)
		}
		said[text] = reason
		if gone := strings.Contains(text, "owner is gone"); gone != (reason == "gone") {
			t.Errorf("%s: %q", reason, text)
		}
	}
}
