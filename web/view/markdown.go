package view

import "strings"

// markdown draws the Markdown that the report is written in: headings, tables,
// lists, fences and paragraphs. It is no reader of Markdown at large: what it
// does not know stays as it is written, as text.
func markdown(s string) *Node {
	box := el("div", class("report"))
	lines := strings.Split(s, "\n")
	for i := 0; i < len(lines); {
		n, used := block(lines[i:])
		if n != nil {
			box.add(n)
		}
		i += used
	}
	return box
}

// block draws the block that begins with the first line and tells how many
// lines it has taken.
func block(lines []string) (*Node, int) {
	first := lines[0]
	switch {
	case strings.TrimSpace(first) == "":
		return nil, 1
	case strings.HasPrefix(first, "#"):
		level := len(first) - len(strings.TrimLeft(first, "#"))
		// The page has its own headings above these.
		return el([]string{"h3", "h3", "h4", "h5"}[min(level, 4)-1], inlines(strings.TrimSpace(first[level:]))), 1
	case strings.HasPrefix(first, "|"):
		n := run(lines, func(l string) bool { return strings.HasPrefix(l, "|") })
		return mdTable(lines[:n]), n
	case strings.HasPrefix(first, "- "):
		n := run(lines, func(l string) bool { return strings.HasPrefix(l, "- ") })
		list := el("ul", class("md-list"))
		for _, l := range lines[:n] {
			list.add(el("li", inlines(l[2:])))
		}
		return list, n
	case strings.HasPrefix(first, "```"):
		n := 1 + run(lines[1:], func(l string) bool { return !strings.HasPrefix(l, "```") })
		return el("pre", class("mono"), text(strings.Join(lines[1:n], "\n"))), min(len(lines), n+1)
	}
	n := run(lines, func(l string) bool {
		return strings.TrimSpace(l) != "" && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "|") && !strings.HasPrefix(l, "- ") && !strings.HasPrefix(l, "```")
	})
	return el("p", inlines(strings.Join(lines[:n], " "))), n
}

// run counts the lines from the first on that are like it.
func run(lines []string, like func(string) bool) int {
	n := 0
	for n < len(lines) && like(lines[n]) {
		n++
	}
	return n
}

func mdTable(lines []string) *Node {
	table := el("table")
	for i, l := range lines {
		if i == 1 && strings.Trim(l, "|-: ") == "" {
			continue
		}
		row := el("tr")
		for j, c := range cells(l) {
			switch {
			case c == "":
				row.add(el("td"))
			case i == 0:
				row.add(el("th", attr("scope", "col"), inlines(c)))
			case j == 0:
				row.add(el("th", attr("scope", "row"), inlines(c)))
			default:
				row.add(el("td", inlines(c)))
			}
		}
		table.add(row)
	}
	return table
}

// cells splits a row at the bars that are not escaped.
func cells(l string) []string {
	l = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(l), "|"), "|")
	var out []string
	start := 0
	for i := 0; i < len(l); i++ {
		switch l[i] {
		case '\\':
			i++
		case '|':
			out = append(out, strings.TrimSpace(l[start:i]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(l[start:]))
}

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&amp;", "&")

// inlines draws a line's text: <br> breaks it, backticks make code, and a
// backslash takes a sign as it is.
func inlines(s string) group {
	var out group
	var b strings.Builder
	code := false
	flush := func() {
		if b.Len() == 0 {
			return
		}
		t := &Node{Text: entities.Replace(b.String())}
		if code {
			t = el("code", t)
		}
		out = append(out, t)
		b.Reset()
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && !code && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] == '`':
			flush()
			code = !code
		case !code && strings.HasPrefix(s[i:], "<br>"):
			flush()
			out = append(out, el("br"))
			i += len("<br>") - 1
		default:
			b.WriteByte(s[i])
		}
	}
	flush()
	return out
}
