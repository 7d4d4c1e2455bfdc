package view

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/web/app"
)

// sheet is the style of the page, or a part of it.
type styles string

// in is what a rule of the style holds, such as in("@media (max-width: 1279px)").
func (s styles) in(t *testing.T, rule string) styles {
	t.Helper()
	_, rest, ok := strings.Cut(string(s), "\n"+rule+" {")
	if !ok {
		_, rest, ok = strings.Cut(string(s), "\n  "+rule+" {")
	}
	if !ok {
		t.Fatalf("static/style.css has no rule %s of its own", rule)
	}
	end := "}"
	if strings.HasPrefix(rule, "@") {
		end = "\n}"
	}
	rest, _, _ = strings.Cut(rest, end)
	return styles(rest)
}

var pixels = regexp.MustCompile(`(-?[\d.]+)px|\b0\b`)

// beside is what a padding takes on both sides.
func (s styles) beside(t *testing.T) float64 {
	t.Helper()
	_, rest, ok := strings.Cut(string(s), "padding: ")
	value, _, _ := strings.Cut(rest, ";")
	var sides []float64
	for _, m := range pixels.FindAllStringSubmatch(value, -1) {
		n, _ := strconv.ParseFloat(m[1], 64)
		sides = append(sides, n)
	}
	switch {
	case !ok || len(sides) == 0:
		t.Fatalf("no padding in %s", s)
	case len(sides) == 1:
		return 2 * sides[0]
	case len(sides) < 4:
		return 2 * sides[1]
	}
	return sides[1] + sides[3]
}

// pixels is the first number of pixels behind a text.
func (s styles) pixels(t *testing.T, behind string) float64 {
	t.Helper()
	_, rest, ok := strings.Cut(string(s), behind)
	m := pixels.FindStringSubmatch(rest)
	if !ok || m == nil {
		t.Fatalf("no pixels behind %s in %s", behind, s)
	}
	n, _ := strconv.ParseFloat(m[1], 64)
	return n
}

// What room.go tells of widths is what static/style.css lays out: a change of a padding there is one here.
func TestTheRoomIsThatOfTheStyle(t *testing.T) {
	text, err := os.ReadFile("../../static/style.css")
	if err != nil {
		t.Fatal(err)
	}
	usual := styles(text)
	narrow := usual.in(t, "@media (max-width: 1279px)")
	phone := usual.in(t, "@media (max-width: 719px), (max-height: 599px)")
	const borders = 2
	inPlace := usual.in(t, ".place ul").beside(t) + usual.in(t, ".chip").beside(t) + 2*borders
	for _, c := range []struct {
		width       int
		grid, place styles
		columns     bool
	}{
		{1440, usual.in(t, ".pipe-grid"), usual.in(t, ".place"), true},
		{1024, narrow.in(t, ".pipe-grid"), narrow.in(t, ".place"), true},
		{390, phone.in(t, ".pipe-grid"), narrow.in(t, ".place"), false},
	} {
		m := midPass()
		m.Update(app.Resized{Width: c.width, Letter: 7.25})
		grid := float64(m.LoopWidth()) - borders - c.grid.beside(t)
		want := grid
		if c.columns {
			arrow := c.grid.pixels(t, "minmax(0, .925fr)")
			if !strings.Contains(string(c.grid), "minmax(0, .95fr)") || !strings.Contains(string(c.grid), "minmax(0, 1.125fr)") {
				t.Errorf("the columns of the loop have other shares: %s", c.grid)
			}
			want = (grid - 2*arrow) / 3 * .925
		}
		want -= c.place.beside(t) + inPlace
		// Two pixels less are told than there are.
		if got := newPage(m).chipRoom("api"); got > want-1 || got < want-3 {
			t.Errorf("at %d pixels a chip has %.1f, and is told of %.1f", c.width, want, got)
		}
	}
	m := midPass()
	m.Update(app.Resized{Width: 1440, Letter: 7.25})
	column, line := newPage(m).drawerRooms()
	width := 1440 - 2*usual.in(t, ":root").pixels(t, "--gap:") - borders
	log := max(usual.in(t, ".time-body").pixels(t, "minmax(0, 1fr) minmax("), .31*width)
	if !strings.Contains(string(usual.in(t, ".time-body")), "31%)") {
		t.Error("the log has another share of the drawer")
	}
	names := usual.in(t, ".lane-box").pixels(t, "inset: 0 0 0 ")
	if want := (width - log - names) / mostSteps; column != want {
		t.Errorf("a column of the lanes has %.2f pixels, and is told of %.2f", want, column)
	}
	logLine := usual.in(t, ".log-line")
	if want := log - usual.in(t, ".log").pixels(t, "border-left: ") - logLine.beside(t) - logLine.pixels(t, "gap: "); line != want {
		t.Errorf("a line of the log has %.2f pixels, and is told of %.2f", want, line)
	}
}
