package view

import "strings"

// LetterHeight is the size of code where it is smallest, in rem: that of chips,
// marks and lines of the log. app.Resized has the width of a letter of it.
const LetterHeight = .86

// A text that fits has no clip: every clip costs the browser something at each
// step. So what there is room for is told here, in pixels, as static/style.css
// lays it out. It is 0 where the width of a letter is not known.

// chipRoom is the room of what a chip of a place says.
func (p *page) chipRoom(place string) float64 {
	if p.m.Letter == 0 || place == "cloud" {
		return 0
	}
	// The paddings and borders of the grid, of a place with its list and of a chip.
	grid, arrow, around := p.m.LoopWidth()-18, 42, 34
	switch p.m.Panes() {
	case 3:
		grid, arrow, around = p.m.LoopWidth()-26, 46, 38
	case 1:
		return float64(grid - around)
	}
	third := float64(grid-2*arrow) / 3
	switch place {
	case "api":
		third *= .925
	case "wire":
		third *= .95
	case "work":
		third = third*(.925+.95) + float64(arrow)
	default:
		third *= 1.125
	}
	return third - float64(around)
}

// gap is the space between the parts of a chip.
const gap = 6

// needs is the room that a chip needs without its kind, and with it.
func (c chip) needs(letter float64) (name, all float64) {
	name = textWidth(c.name, letter)
	if c.ns != "" && c.ns != "default" {
		name += textWidth(c.ns+"/", letter)
	}
	if c.sign != "" {
		name += 2*letter + gap
	}
	if c.note != "" {
		name += textWidth(c.note, letter) + gap
	}
	if c.kind == "" {
		return name, name
	}
	// It is not set in code: a little wider.
	return name, name + 1.2*textWidth(c.kind, letter) + gap
}

// textWidth is the width of a text at most: a letter that is in no font of code
// may be twice as wide.
func textWidth(s string, letter float64) float64 {
	n := 0
	for _, r := range s {
		n += 2
		if inCode(r) {
			n--
		}
	}
	return letter * float64(n)
}

// inCode reports whether fonts of code have a letter, as wide as all others: Latin,
// punctuation, arrows and signs of mathematics.
func inCode(r rune) bool { return r < 0x250 || 0x2010 <= r && r <= 0x22ff }

func notInCode(r rune) bool { return !inCode(r) }

// fitted is what of a text there is room for, with the class of one that the
// style cuts: where that is not known here.
func (p *page) fitted(s string, room float64) (shown, classes string) {
	letter := p.m.Letter
	if letter == 0 || strings.ContainsFunc(s, notInCode) {
		return beginning(s, shortLine), "cut"
	}
	if room < letter {
		return "", ""
	}
	return beginning(s, int(room/letter)), ""
}

// laneSteps is how many steps the lanes have room for, so that no mark lies over
// another; a block always has the step in view in sight where it is this many.
func (p *page) laneSteps() int {
	if p.m.Width == 0 {
		return mostSteps
	}
	lanes, _ := p.lanesAndLog()
	return max(12, min(mostSteps, int(lanes/18)))
}

// drawerRooms are the rooms of a column of the lanes and of a line of the log
// beside them.
func (p *page) drawerRooms() (column, line float64) {
	lanes, log := p.lanesAndLog()
	return lanes / float64(p.laneSteps()), log - 29
}

// lanesAndLog are the widths of the lanes, without their names, and of the log.
func (p *page) lanesAndLog() (lanes, log float64) {
	width := float64(p.m.Width - 22)
	lanes, log = width, width
	if p.m.Panes() > 1 {
		log = max(260, .31*width)
		lanes = width - log
	}
	return lanes - 62, log
}
