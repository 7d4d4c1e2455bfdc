package report

import "strings"

// Markdown returns the report as GitHub-flavoured Markdown. What comes from the
// run stands as text, whatever it holds.
func (r *Report) Markdown() []byte {
	p := &markdown{}
	r.account(p)
	return []byte(p.b.String())
}

// markdown is a paper.
type markdown struct{ b strings.Builder }

func (m *markdown) title(text string) { m.b.WriteString("# " + inline(text) + "\n") }

func (m *markdown) section(level int, text string) {
	m.b.WriteString("\n" + strings.Repeat("#", level) + " " + inline(text) + "\n")
}

func (m *markdown) para(text string) { m.b.WriteString("\n" + inline(text) + "\n") }

func (m *markdown) bullets(items []string) {
	for i, item := range items {
		if i == 0 {
			m.b.WriteString("\n")
		}
		m.b.WriteString("- " + inline(item) + "\n")
	}
}

func (m *markdown) table(head []string, rows [][]string) {
	m.b.WriteString("\n")
	m.row(head)
	m.b.WriteString(strings.Repeat("| --- ", len(head)) + "|\n")
	for _, r := range rows {
		m.row(r)
	}
}

func (m *markdown) row(cells []string) {
	for _, c := range cells {
		m.b.WriteString("| " + inline(c) + " ")
	}
	m.b.WriteString("|\n")
}

// pre writes a fence that is longer than any in the text.
func (m *markdown) pre(text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	m.b.WriteString("\n" + fence + "text\n" + visible(strings.TrimSuffix(text, "\n")) + "\n" + fence + "\n")
}

// inline escapes everything that means something in Markdown, or in the HTML
// that it may hold. Line breaks become <br>.
func inline(text string) string { return markdownEscapes.Replace(visible(text)) }

var markdownEscapes = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", "<br>", "\t", " ",
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "#", `\#`, "~", `\~`, "!", `\!`,
)
