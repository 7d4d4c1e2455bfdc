package report

import (
	"html"
	"strconv"
	"strings"
)

// HTML returns the report as one HTML file that needs nothing else: no script,
// its own style, made to be printed. What comes from the run stands as text,
// whatever it holds.
func (r *Report) HTML() []byte {
	p := &page{}
	r.account(p)
	return []byte(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>` + escape(r.Scenario.Title) + ` - report</title>
<style>` + style + `</style>
</head>
<body>
<main>
` + p.b.String() + `</main>
</body>
</html>
`)
}

const style = `
:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #1b1f24; font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.5rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .75rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; padding-top: .75rem; border-top: 2px solid #d5dae1; }
h3 { font-size: 1rem; margin: 1.75rem 0 .25rem; }
p { margin: .4rem 0 .8rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #d5dae1; }
th { font-weight: 600; color: #4a5462; white-space: nowrap; }
td { white-space: pre-wrap; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
td:first-child { font-weight: 600; }
td:nth-child(3) { min-width: 7rem; }
.pair td:first-child { width: 11rem; }
pre { margin: .5rem 0 1rem; padding: .75rem 1rem; background: #f4f6f8; border: 1px solid #d5dae1; border-radius: 4px;
  font: 12px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
@page { margin: 16mm; }
@media print {
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  h2, h3 { break-after: avoid; }
  tr { break-inside: avoid; }
  thead { display: table-header-group; }
  pre { background: none; }
}
`

// page is a paper.
type page struct{ b strings.Builder }

func (p *page) title(text string) { p.element("h1", text) }

func (p *page) section(level int, text string) { p.element("h"+strconv.Itoa(level), text) }

func (p *page) para(text string) { p.element("p", text) }

func (p *page) bullets(items []string) {
	if len(items) == 0 {
		return
	}
	p.b.WriteString("<ul>\n")
	for _, item := range items {
		p.element("li", item)
	}
	p.b.WriteString("</ul>\n")
}

func (p *page) table(head []string, rows [][]string) {
	class := ""
	if len(head) == 2 {
		class = ` class="pair"`
	}
	p.b.WriteString("<table" + class + ">\n<thead>")
	p.row("th", head)
	p.b.WriteString("</thead>\n<tbody>\n")
	for _, r := range rows {
		p.row("td", r)
	}
	p.b.WriteString("</tbody>\n</table>\n")
}

func (p *page) row(cell string, texts []string) {
	p.b.WriteString("<tr>")
	for _, t := range texts {
		p.b.WriteString("<" + cell + ">" + escape(t) + "</" + cell + ">")
	}
	p.b.WriteString("</tr>\n")
}

// pre writes a line break first: a parser drops one there.
func (p *page) pre(text string) { p.element("pre", "\n"+text) }

func (p *page) element(name, text string) {
	p.b.WriteString("<" + name + ">" + escape(text) + "</" + name + ">\n")
}

func escape(text string) string { return html.EscapeString(visible(text)) }
