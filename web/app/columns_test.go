package app

import (
	"slices"
	"testing"

	"github.com/reconcile-playground/reconcile/web/words"
)

func TestColumnsKeepTheirLeastWidths(t *testing.T) {
	for width := 900; width < 2600; width += 37 {
		for _, share := range []int{0, 1, 200, 400, 700, 1000} {
			m := New(words.English, Prefs{Columns: Columns{share, 1000 - share, share}})
			m.Update(Resized{Width: width})
			rest := width - columnGaps
			for _, d := range m.Dividers() {
				w, least, most, _ := m.Column(d)
				if w < least || w > most {
					t.Errorf("at %d, share %d: %s is %d wide, between %d and %d", width, share, d, w, least, most)
				}
				rest -= w
			}
			if least := columnBounds[DivideSide].loop; len(m.Dividers()) > 0 && rest < least {
				t.Errorf("at %d, share %d: the loop is left %d", width, share, rest)
			}
		}
	}
}

func TestDividersMoveByKeysAndAreRemembered(t *testing.T) {
	m := New(words.English, Prefs{})
	m.Update(Resized{Width: 1440})
	if !slices.Equal(m.Dividers(), []Divider{DivideFiles, DivideObjects}) {
		t.Fatal(m.Dividers())
	}
	width := func(d Divider) int { w, _, _, _ := m.Column(d); return w }
	usual := width(DivideFiles)
	effects := m.Update(DivideKey{DivideFiles, "ArrowRight"})
	if got := width(DivideFiles); got <= usual || got > usual+columnStep {
		t.Errorf("the files went from %d to %d", usual, got)
	}
	if len(effects) != 1 || effects[0].(SavePrefs).Prefs.Columns.Files == 0 {
		t.Errorf("nothing remembers it: %v", effects)
	}
	was := width(DivideObjects)
	if m.Update(DivideKey{DivideObjects, "ArrowRight"}); width(DivideObjects) >= was {
		t.Errorf("the objects went from %d to %d", was, width(DivideObjects))
	}
	for key, want := range map[string]func() int{
		"Home": func() int { _, least, _, _ := m.Column(DivideFiles); return least },
		"End":  func() int { _, _, most, _ := m.Column(DivideFiles); return most },
	} {
		if m.Update(DivideKey{DivideFiles, key}); width(DivideFiles) < want()-2 || width(DivideFiles) > want()+2 {
			t.Errorf("%s: %d, want %d", key, width(DivideFiles), want())
		}
	}
	if m.Update(DivideKey{DivideFiles, "Enter"}); width(DivideFiles) != usual || m.Prefs.Columns.Files != 0 {
		t.Errorf("Enter leaves %d, usual is %d", width(DivideFiles), usual)
	}
	if effects := m.Update(Divide{DivideFiles, 330, false}); len(effects) != 0 || width(DivideFiles) < 328 {
		t.Errorf("on the way: %d, %v", width(DivideFiles), effects)
	}
}

func TestTheLoopGetsWhatTheColumnsLeave(t *testing.T) {
	for _, c := range []struct{ width, panes, loop int }{{390, 1, 374}, {760, 2, 400}, {1024, 2, 605}, {1440, 3, 679}} {
		m := New(words.English, Prefs{})
		m.Update(Resized{Width: c.width})
		if m.Panes() != c.panes || m.LoopWidth() != c.loop {
			t.Errorf("at %d pixels there are %d columns, and the loop has %d pixels", c.width, m.Panes(), m.LoopWidth())
		}
	}
}
