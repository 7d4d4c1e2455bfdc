package report

// Page is a page of Markdown, for accounts that other packages write. Texts are
// plain: whatever they hold stays text.
type Page struct{ m markdown }

// Title writes the title.
func (p *Page) Title(text string) { p.m.title(text) }

// Section writes a heading; level 2 is the highest.
func (p *Page) Section(level int, text string) { p.m.section(level, text) }

// Para writes a paragraph.
func (p *Page) Para(text string) { p.m.para(text) }

// Table writes a table. A line break in a cell stays one.
func (p *Page) Table(head []string, rows [][]string) { p.m.table(head, rows) }

// Pre writes lines as they are.
func (p *Page) Pre(text string) { p.m.pre(text) }

// Bytes returns the page.
func (p *Page) Bytes() []byte { return []byte(p.m.b.String()) }
