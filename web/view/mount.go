package view

import "sort"

// Document is what a tree is drawn on. H is a handle of one of its nodes. The
// page's document is in web/dom, the tests' is a tree in memory.
type Document[H any] interface {
	// Element makes an element; inside an svg element, one of SVG.
	Element(tag string, svg bool) H
	Text(s string) H
	SetText(node H, s string)
	SetAttr(element H, name, value string)
	RemoveAttr(element H, name string)
	// Append adds child as the last of parent; Insert puts it before another
	// child, moving it where it is in the document already.
	Append(parent, child H)
	Insert(parent, child, before H)
	Remove(parent, child H)
	// Listen tells that the handlers of element are now these.
	Listen(element H, handlers []Handler)
	// Forget tells that node, which was removed with what it was in, is gone for
	// good.
	Forget(node H)
}

// Mounted is a tree that has been drawn.
type Mounted[H any] struct {
	node   *Node
	handle H
	svg    bool
	kids   []*Mounted[H]
}

// Handle returns the root's handle.
func (m *Mounted[H]) Handle() H { return m.handle }

// Mount draws a tree; the caller puts the root into the document.
func Mount[H any](d Document[H], n *Node) *Mounted[H] { return mount(d, n, false) }

func mount[H any](d Document[H], n *Node, svg bool) *Mounted[H] {
	if n.Tag == "" {
		return &Mounted[H]{node: n, handle: d.Text(n.Text)}
	}
	svg = svg || n.Tag == "svg"
	m := &Mounted[H]{node: n, handle: d.Element(n.Tag, svg), svg: svg, kids: make([]*Mounted[H], len(n.Kids))}
	for i, k := range n.Kids {
		m.kids[i] = mount(d, k, svg)
		d.Append(m.handle, m.kids[i].handle)
	}
	// After the children: a select's .value needs its options.
	for _, a := range n.Attrs {
		d.SetAttr(m.handle, a.Name, a.Value)
	}
	if len(n.On) > 0 {
		d.Listen(m.handle, n.On)
	}
	return m
}

// Patch changes what was drawn so that it shows n, touching only what differs.
// The root keeps its element, so n must have the same tag as before. A subtree
// that is the very same *Node as before is not looked at.
func (m *Mounted[H]) Patch(d Document[H], n *Node) {
	old := m.node
	if old == n {
		return
	}
	m.node = n
	if n.Tag == "" {
		if old.Text != n.Text {
			d.SetText(m.handle, n.Text)
		}
		return
	}
	m.patchKids(d, n.Kids)
	patchAttrs(d, m.handle, old.Attrs, n.Attrs)
	if len(n.On) > 0 || len(old.On) > 0 {
		d.Listen(m.handle, n.On)
	}
}

func patchAttrs[H any](d Document[H], h H, old, now []Attr) {
	for i, a := range now {
		if i < len(old) && old[i] == a {
			continue
		}
		if v, ok := value(old, a.Name); !ok || v != a.Value {
			d.SetAttr(h, a.Name, a.Value)
		}
	}
	for _, a := range old {
		if _, ok := value(now, a.Name); !ok {
			d.RemoveAttr(h, a.Name)
		}
	}
}

func value(attrs []Attr, name string) (string, bool) {
	for _, a := range attrs {
		if a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

// alike reports whether what shows a can be changed to show b.
func alike(a, b *Node) bool { return a.Tag == b.Tag && a.Key == b.Key }

func (m *Mounted[H]) patchKids(d Document[H], want []*Node) {
	had := m.kids
	start := 0
	for start < len(had) && start < len(want) && alike(had[start].node, want[start]) {
		had[start].Patch(d, want[start])
		start++
	}
	endHad, endWant := len(had), len(want)
	for endHad > start && endWant > start && alike(had[endHad-1].node, want[endWant-1]) {
		endHad--
		endWant--
		had[endHad].Patch(d, want[endWant])
	}
	if start == endHad && start == endWant {
		return
	}
	kids := make([]*Mounted[H], len(want))
	copy(kids, had[:start])
	copy(kids[endWant:], had[endHad:])
	m.patchMiddle(d, had[start:endHad], want[start:endWant], kids[start:])
	m.kids = kids
}

// patchMiddle turns had into want; into is where the results go, followed by
// what stands after them.
func (m *Mounted[H]) patchMiddle(d Document[H], had []*Mounted[H], want []*Node, into []*Mounted[H]) {
	reused := m.reuse(had, want, into)
	for i, k := range had {
		if !reused[i] {
			d.Remove(m.handle, k.handle)
			forget(d, k)
		}
	}
	stays := inOrder(had, into[:len(want)])
	for i := len(want) - 1; i >= 0; i-- {
		if into[i] == nil {
			into[i] = mount(d, want[i], m.svg)
		} else {
			into[i].Patch(d, want[i])
		}
		switch {
		case stays[i]:
		case i+1 < len(into):
			d.Insert(m.handle, into[i].handle, into[i+1].handle)
		default:
			d.Append(m.handle, into[i].handle)
		}
	}
}

// inOrder picks the most of the kept nodes that stand in their old order: these
// stay where they are. It is the longest rising subsequence of old positions.
func inOrder[H any](had, kept []*Mounted[H]) []bool {
	old := make(map[*Mounted[H]]int, len(had))
	for i, k := range had {
		old[k] = i
	}
	// ends[n] is the place in kept where the best sequence of n+1 ends; before
	// links a place to the one before it in its sequence.
	var ends []int
	before := make([]int, len(kept))
	for i, k := range kept {
		if k == nil {
			continue
		}
		n := sort.Search(len(ends), func(n int) bool { return old[kept[ends[n]]] >= old[k] })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	stays := make([]bool, len(kept))
	if len(ends) == 0 {
		return stays
	}
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		stays[i] = true
	}
	return stays
}

// reuse fills into with what of had can show want, and tells which were taken:
// those of the same key and tag, and of those without a key the next of the
// same tag.
func (m *Mounted[H]) reuse(had []*Mounted[H], want []*Node, into []*Mounted[H]) []bool {
	type id struct{ tag, key string }
	free := make(map[id][]int, len(had))
	for i, k := range had {
		at := id{k.node.Tag, k.node.Key}
		free[at] = append(free[at], i)
	}
	taken := make([]bool, len(had))
	for i, n := range want {
		at := id{n.Tag, n.Key}
		if list := free[at]; len(list) > 0 {
			into[i], taken[list[0]], free[at] = had[list[0]], true, list[1:]
		}
	}
	return taken
}

func forget[H any](d Document[H], m *Mounted[H]) {
	for _, k := range m.kids {
		forget(d, k)
	}
	d.Forget(m.handle)
}
