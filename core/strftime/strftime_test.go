package strftime

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Every conversion prints what date(1) prints, on days at the edges of years,
// leap days and all hours.
func TestAgainstDate(t *testing.T) {
	date, err := exec.LookPath("date")
	if err != nil {
		t.Skip("NOTICE: date is not on this machine: nothing was compared")
	}
	const layout = "%a %A %b %B %c %C %d %D %e %F %g %G %h %H %I %j %k %l %m %M %n %p %P %r %R %s %S %t %T %u %U %V %w %W %x %X %y %Y %z %:z %::z %:::z %Z %% %-d %_m %05H %^a %^B %#p %10Y %-j %_5d %q"
	for _, sec := range []int64{0, 1, 86399, 951782400, 1230768000, 1262304000, 1293839999, 1325375999, 1709164800, 1735689600, 1767225600, 1767225599, 1782864000, 2147483647, 4102444799} {
		cmd := exec.Command(date, "-u", "-d", "@"+strconv.FormatInt(sec, 10), "+"+layout)
		cmd.Env = []string{"LC_ALL=C", "TZ=UTC"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := Format(time.Unix(sec, 0).UTC(), layout), strings.TrimSuffix(string(out), "\n"); got != want {
			t.Errorf("@%d:\n got %q\nwant %q", sec, got, want)
		}
	}
}

// What Format prints Parse reads back.
func TestParseReadsBack(t *testing.T) {
	at := time.Date(2026, 2, 3, 16, 5, 6, 0, time.UTC)
	for _, layout := range []string{"%Y-%m-%dT%H:%M:%SZ", "%a, %d %b %Y %H:%M:%S %z", "%c", "%D %T", "%s", "%F %I:%M:%S %p", "%Y %j %R:%S", "%e %B %Y %k:%M:%S"} {
		tm, rest, ok := Parse(Format(at, layout), layout)
		if !ok || rest != "" || !tm.Time().Equal(at) {
			t.Errorf("%s: %+v, rest %q, %v", layout, tm, rest, ok)
		}
		if tm.Weekday != 2 || tm.YearDay != 33 {
			t.Errorf("%s: weekday %d, day of the year %d", layout, tm.Weekday, tm.YearDay)
		}
	}
	for _, bad := range [][2]string{{"2026-13-01", "%F"}, {"x", "%Y"}, {"2026", "%Y-%m"}, {"25", "%H"}} {
		if _, _, ok := Parse(bad[0], bad[1]); ok {
			t.Errorf("%s is no %s", bad[0], bad[1])
		}
	}
	if _, rest, ok := Parse("2026-01-01 x", "%F"); !ok || rest != " x" {
		t.Errorf("the rest is %q", rest)
	}
}
