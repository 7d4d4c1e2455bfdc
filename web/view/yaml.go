package view

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// yamlLine is one line of an object printed as YAML beside what it was before.
type yamlLine struct {
	// mark is ' ' for a line that stays, '+' for one that is new, '-' for one
	// that went, '~' for a value that changed from before to after.
	mark          byte
	text          string
	before, after string
}

// yamlDiff prints the tree now, in the order in which kubectl prints, with the
// lines that went from before in their places. A nil before or now prints the
// other alone, as lines that went or are new.
func yamlDiff(before, now *object.Map) []yamlLine {
	p := yamlPrinter{}
	switch {
	case before == nil:
		p.value('+', "", "", now)
	case now == nil:
		p.value('-', "", "", before)
	default:
		p.maps("", before, now)
	}
	return p.lines
}

// yamlText prints one tree.
func yamlText(now *object.Map) []yamlLine { return yamlDiff(now, now) }

type yamlPrinter struct{ lines []yamlLine }

func (p *yamlPrinter) line(mark byte, s string) {
	p.lines = append(p.lines, yamlLine{mark: mark, text: s})
}

// keyRank puts first what kubectl prints first, and status last.
func keyRank(k string) int {
	switch k {
	case "apiVersion":
		return 0
	case "kind":
		return 1
	case "metadata":
		return 2
	case "name":
		return 3
	case "namespace":
		return 4
	case "status":
		return 6
	}
	return 5
}

func orderedKeys(ms ...*object.Map) []string {
	var keys []string
	for _, m := range ms {
		keys = append(keys, m.Keys()...)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if d := keyRank(a) - keyRank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(keys)
}

// maps prints two maps as one. head is what the first line begins with.
func (p *yamlPrinter) maps(indent string, a, b *object.Map) {
	for _, k := range orderedKeys(a, b) {
		av, inA := a.Get(k)
		bv, inB := b.Get(k)
		name := yamlScalar(k) + ":"
		switch {
		case !inA:
			p.value('+', indent, name, bv)
		case !inB:
			p.value('-', indent, name, av)
		default:
			p.pair(indent, name, av, bv)
		}
	}
}

// pair prints a value that is on both sides under the same name.
func (p *yamlPrinter) pair(indent, name string, a, b any) {
	if object.Equal(a, b) {
		p.value(' ', indent, name, b)
		return
	}
	am, aMap := a.(*object.Map)
	bm, bMap := b.(*object.Map)
	if aMap && bMap && am.Len() > 0 && bm.Len() > 0 {
		p.line(' ', indent+name)
		p.maps(indent+"  ", am, bm)
		return
	}
	al, aList := a.(*object.List)
	bl, bList := b.(*object.List)
	if aList && bList && al.Len() > 0 && bl.Len() > 0 {
		p.line(' ', indent+name)
		p.lists(indent, al, bl)
		return
	}
	if short(a) && short(b) {
		p.lines = append(p.lines, yamlLine{mark: '~', text: indent + name + " ", before: yamlInline(a), after: yamlInline(b)})
		return
	}
	p.value('-', indent, name, a)
	p.value('+', indent, name, b)
}

// lists prints two lists as one: what is equal at both ends stays, the items
// between are compared in order.
func (p *yamlPrinter) lists(indent string, a, b *object.List) {
	start := 0
	for start < a.Len() && start < b.Len() && object.Equal(a.At(start), b.At(start)) {
		p.value(' ', indent, "-", b.At(start))
		start++
	}
	end := 0
	for a.Len()-end > start && b.Len()-end > start && object.Equal(a.At(a.Len()-1-end), b.At(b.Len()-1-end)) {
		end++
	}
	for i := start; i < max(a.Len(), b.Len())-end; i++ {
		switch {
		case i >= b.Len()-end:
			p.value('-', indent, "-", a.At(i))
		case i >= a.Len()-end:
			p.value('+', indent, "-", b.At(i))
		default:
			p.item(indent, a.At(i), b.At(i))
		}
	}
	for i := b.Len() - end; i < b.Len(); i++ {
		p.value(' ', indent, "-", b.At(i))
	}
}

// item prints two items that stand at the same place of two lists.
func (p *yamlPrinter) item(indent string, a, b any) {
	am, aMap := a.(*object.Map)
	bm, bMap := b.(*object.Map)
	if !aMap || !bMap || am.Len() == 0 || bm.Len() == 0 {
		p.pair(indent, "-", a, b)
		return
	}
	at := len(p.lines)
	p.maps(indent+"  ", am, bm)
	p.dash(at, indent)
}

// dash turns the first line from at on into a list item's first line.
func (p *yamlPrinter) dash(at int, indent string) {
	if at < len(p.lines) {
		p.lines[at].text = indent + "- " + strings.TrimPrefix(p.lines[at].text, indent+"  ")
	}
}

// value prints one value with one mark on all its lines.
func (p *yamlPrinter) value(mark byte, indent, name string, v any) {
	switch v := v.(type) {
	case *object.Map:
		if v.Len() > 0 {
			p.mapValue(mark, indent, name, v)
			return
		}
	case *object.List:
		if v.Len() > 0 {
			p.line(mark, indent+name)
			if name == "-" {
				indent += "  "
			}
			for _, item := range v.All() {
				p.value(mark, indent, "-", item)
			}
			return
		}
	case string:
		if name != "" && strings.Contains(strings.TrimSuffix(v, "\n"), "\n") && yamlBlockable(v) {
			p.block(mark, indent, name, v)
			return
		}
	}
	if name != "" {
		indent += name + " "
	}
	p.line(mark, indent+yamlInline(v))
}

func (p *yamlPrinter) mapValue(mark byte, indent, name string, m *object.Map) {
	inner := indent
	switch name {
	case "":
	case "-":
		at := len(p.lines)
		for _, k := range orderedKeys(m) {
			v, _ := m.Get(k)
			p.value(mark, indent+"  ", yamlScalar(k)+":", v)
		}
		p.dash(at, indent)
		return
	default:
		p.line(mark, indent+name)
		inner += "  "
	}
	for _, k := range orderedKeys(m) {
		v, _ := m.Get(k)
		p.value(mark, inner, yamlScalar(k)+":", v)
	}
}

func (p *yamlPrinter) block(mark byte, indent, name, s string) {
	head := "|"
	if !strings.HasSuffix(s, "\n") {
		head = "|-"
	}
	p.line(mark, indent+name+" "+head)
	for l := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		p.line(mark, indent+"  "+l)
	}
}

// yamlBlockable reports whether s reads back from a literal block.
func yamlBlockable(s string) bool {
	if strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\n") || strings.HasSuffix(s, "\n\n") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r != '\n' && r < ' ' || r == 0x7f || r == 0xfeff || r == 0x85 || r == 0x2028 || r == 0x2029
	})
}

// short reports whether a value prints well on one line.
func short(v any) bool {
	switch v := v.(type) {
	case *object.Map:
		return v.Len() == 0
	case *object.List:
		return v.Len() == 0
	case string:
		return len(v) <= 40 && !strings.Contains(v, "\n")
	}
	return true
}

// yamlInline prints a scalar or an empty collection.
func yamlInline(v any) string {
	if s, ok := v.(string); ok {
		return yamlScalar(s)
	}
	return string(object.EncodeJSON(v))
}

// yamlScalar prints a string so that YAML reads it back as one: plain where
// that is safe, else quoted.
func yamlScalar(s string) string {
	if plainYAML(s) {
		return s
	}
	return strconv.Quote(s)
}

func plainYAML(s string) bool {
	if s == "" || strings.TrimSpace(s) != s {
		return false
	}
	switch strings.ToLower(s) {
	case "null", "~", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf", "-.inf", "+.inf", ".nan":
		return false
	}
	if strings.ContainsRune("0123456789+-.", rune(s[0])) {
		if _, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64); err == nil {
			return false
		}
		if _, err := strconv.ParseInt(s, 0, 64); err == nil {
			return false
		}
		if s[0] == '-' && (len(s) == 1 || s[1] == ' ' || s[1] == '-') {
			return false
		}
	}
	if strings.ContainsRune("!&*?|>@`\"'#%{}[],:=<", rune(s[0])) || strings.HasSuffix(s, ":") {
		return false
	}
	if strings.Contains(s, ": ") || strings.Contains(s, " #") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && !strconv.IsPrint(r) })
}
