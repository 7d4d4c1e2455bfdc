package app

// Divider is a border between columns that can be moved, by the name of the
// column whose width it sets.
type Divider string

// The dividers. A window that has room for two columns alone has the last of
// them: its second column shows the files or the objects.
const (
	DivideFiles   Divider = "files"
	DivideObjects Divider = "objects"
	DivideSide    Divider = "side"
)

// Columns are the widths that a person gave to columns, in thousandths of the
// window's, with the margin at its edge; 0 is the usual width.
type Columns struct {
	Files   int `json:"files,omitempty"`
	Objects int `json:"objects,omitempty"`
	Side    int `json:"side,omitempty"`
}

// The messages about columns.
type (
	// Resized says how wide the window is, and a letter of code where it is
	// smallest, in pixels; 0 where the latter is not known.
	Resized struct {
		Width  int
		Letter float64
	}
	// Divide gives a column a width in pixels. With Over it is to be remembered.
	Divide struct {
		At   Divider
		To   int
		Over bool
	}
	// DivideKey is a key that was pressed on a divider.
	DivideKey struct {
		At  Divider
		Key string
	}
	// DivideAgain gives a column its usual width again.
	DivideAgain struct{ At Divider }
)

// What the widths of columns depend on, in pixels; static/style.css has the
// usual widths and the windows with two and with three columns as well.
const (
	onePane      = 720
	twoColumns   = 1024
	threeColumns = 1280
	columnGaps   = 20
	paneMargins  = 16
	columnStep   = 16
)

// bounds are the least width of a column, its usual share of the window in
// thousandths, and what the loop must be left.
type bounds struct{ least, usual, usualLeast, loop int }

var columnBounds = map[Divider]bounds{
	DivideFiles:   {220, 205, 260, 500},
	DivideObjects: {380, 310, 400, 500},
	DivideSide:    {320, 390, 340, 460},
}

// Dividers are those that the window has room for.
func (m *Model) Dividers() []Divider {
	switch {
	case m.Width >= threeColumns:
		return []Divider{DivideFiles, DivideObjects}
	case m.Width >= twoColumns:
		return []Divider{DivideSide}
	}
	return nil
}

func (c *Columns) of(d Divider) *int {
	switch d {
	case DivideFiles:
		return &c.Files
	case DivideObjects:
		return &c.Objects
	}
	return &c.Side
}

// wished is the width that a column would have in a window wide enough.
func (m *Model) wished(d Divider) int {
	b := columnBounds[d]
	if share := *m.Prefs.Columns.of(d); share > 0 {
		return max(b.least, m.Width*share/1000)
	}
	return max(b.usualLeast, m.Width*b.usual/1000)
}

// Column is the width of the column that a divider sets, in pixels, with its
// least and its most; own says that a person gave it.
func (m *Model) Column(d Divider) (width, least, most int, own bool) {
	b := columnBounds[d]
	most = m.Width - b.loop - columnGaps
	switch d {
	case DivideFiles:
		most -= m.wished(DivideObjects)
	case DivideObjects:
		files, _, _, _ := m.Column(DivideFiles)
		most -= files
	}
	most = max(most, b.least)
	return min(m.wished(d), most), b.least, most, *m.Prefs.Columns.of(d) > 0
}

// LoopWidth is what the columns leave to the loop, in pixels; in a window of one
// pane too low for more it is wider.
func (m *Model) LoopWidth() int {
	switch {
	case m.Width >= threeColumns:
		files, _, _, _ := m.Column(DivideFiles)
		objects, _, _, _ := m.Column(DivideObjects)
		return m.Width - files - objects - columnGaps
	case m.Width >= twoColumns:
		side, _, _, _ := m.Column(DivideSide)
		return m.Width - side - columnGaps
	case m.Width >= onePane:
		return m.Width - max(columnBounds[DivideSide].usualLeast, m.Width*columnBounds[DivideSide].usual/1000) - columnGaps
	}
	return m.Width - paneMargins
}

// Panes says how many columns of panes the window has.
func (m *Model) Panes() int {
	switch {
	case m.Width >= threeColumns:
		return 3
	case m.Width >= onePane:
		return 2
	}
	return 1
}

func (m *Model) updateColumns(msg Msg) ([]Effect, bool) {
	switch msg := msg.(type) {
	case Resized:
		m.Stale = m.Width != msg.Width || m.Letter != msg.Letter
		m.Width, m.Letter = msg.Width, msg.Letter
	case Divide:
		return m.divide(msg.At, msg.To, msg.Over), true
	case DivideAgain:
		*m.Prefs.Columns.of(msg.At) = 0
		return []Effect{SavePrefs{m.Prefs}}, true
	case DivideKey:
		return m.divideBy(msg.At, msg.Key), true
	default:
		return nil, false
	}
	return nil, true
}

func (m *Model) divide(d Divider, to int, over bool) []Effect {
	if m.Width == 0 {
		return nil
	}
	_, least, most, _ := m.Column(d)
	*m.Prefs.Columns.of(d) = max(1, max(least, min(to, most))*1000/m.Width)
	if !over {
		return nil
	}
	return []Effect{SavePrefs{m.Prefs}}
}

// DividerKeys are the keys that a divider knows.
var DividerKeys = []string{"ArrowLeft", "ArrowRight", "Home", "End", "Enter"}

// divideBy moves a divider by a key: the arrows the way they point, to its least
// and most, and back to the usual.
func (m *Model) divideBy(d Divider, key string) []Effect {
	width, least, most, _ := m.Column(d)
	step := columnStep
	if d == DivideFiles {
		step = -columnStep
	}
	switch key {
	case "ArrowLeft":
		width += step
	case "ArrowRight":
		width -= step
	case "Home":
		width = least
	case "End":
		width = most
	default:
		effects, _ := m.updateColumns(DivideAgain{d})
		return effects
	}
	return m.divide(d, width, true)
}
