package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/web/app"
)

// elem is a node of a document in memory.
type elem struct {
	tag, text string
	attrs     map[string]string
	kids      []*elem
	parent    *elem
	handlers  int
}

// memory is that document; it counts what is done to it.
type memory struct {
	made, touched int
	listening     map[*elem]bool
}

func (d *memory) Element(tag string, _ bool) *elem {
	d.made++
	return &elem{tag: tag, attrs: map[string]string{}}
}
func (d *memory) Text(s string) *elem          { d.made++; return &elem{text: s} }
func (d *memory) SetText(n *elem, s string)    { d.touched++; n.text = s }
func (d *memory) SetAttr(n *elem, k, v string) { d.touched++; n.attrs[k] = v }
func (d *memory) RemoveAttr(n *elem, k string) { d.touched++; delete(n.attrs, k) }
func (d *memory) Append(p, c *elem) {
	d.touched++
	d.detach(c)
	p.kids = append(p.kids, c)
	c.parent = p
}
func (d *memory) Remove(p, c *elem)            { d.touched++; d.detach(c) }
func (d *memory) Listen(n *elem, hs []Handler) { n.handlers = len(hs); d.listening[n] = len(hs) > 0 }
func (d *memory) Forget(n *elem)               { delete(d.listening, n) }
func (d *memory) Insert(p, c, before *elem) {
	d.touched++
	d.detach(c)
	i := slices.Index(p.kids, before)
	if i < 0 {
		panic("insert before a node that is no child")
	}
	p.kids = slices.Insert(p.kids, i, c)
	c.parent = p
}

func (d *memory) detach(c *elem) {
	if c.parent != nil {
		c.parent.kids = slices.DeleteFunc(c.parent.kids, func(e *elem) bool { return e == c })
		c.parent = nil
	}
}

func (e *elem) print(b *strings.Builder) {
	if e.tag == "" {
		fmt.Fprintf(b, "%q", e.text)
		return
	}
	names := make([]string, 0, len(e.attrs))
	for k := range e.attrs {
		names = append(names, k+"="+e.attrs[k])
	}
	slices.Sort(names)
	fmt.Fprintf(b, "<%s %v %d>", e.tag, names, e.handlers)
	for _, k := range e.kids {
		k.print(b)
	}
	b.WriteString("</>")
}

func printed(e *elem) string {
	var b strings.Builder
	e.print(&b)
	return b.String()
}

func randomTree(r *rand.Rand, depth int) *Node {
	n := el("div")
	for i := range r.IntN(3) {
		n.Attrs = append(n.Attrs, Attr{"a" + strconv.Itoa(i+r.IntN(2)*3), strconv.Itoa(r.IntN(3))})
	}
	if r.IntN(4) == 0 {
		n.On = append(n.On, Handler{"click", app.Nothing{}})
	}
	if depth == 0 {
		return n
	}
	keys := r.Perm(8)
	for _, k := range keys[:r.IntN(8)] {
		switch r.IntN(3) {
		case 0:
			n.Kids = append(n.Kids, &Node{Text: strconv.Itoa(r.IntN(5))})
		case 1:
			n.Kids = append(n.Kids, randomTree(r, depth-1))
		default:
			kid := randomTree(r, depth-1)
			kid.Key = strconv.Itoa(k)
			n.Kids = append(n.Kids, kid)
		}
	}
	return n
}

func TestPatchEqualsMount(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		d := &memory{listening: map[*elem]bool{}}
		first := randomTree(r, 3)
		m := Mount(d, first)
		for range 3 {
			next := randomTree(r, 3)
			m.Patch(d, next)
			fresh := &memory{listening: map[*elem]bool{}}
			want := printed(Mount(fresh, next).Handle())
			if got := printed(m.Handle()); got != want {
				t.Fatalf("seed %d:\n got %s\nwant %s", seed, got, want)
			}
			live := 0
			for _, on := range d.listening {
				if on {
					live++
				}
			}
			if live != len(fresh.listening) {
				t.Fatalf("seed %d: %d elements listen, want %d", seed, live, len(fresh.listening))
			}
		}
	}
}

func TestPatchTouchesOnlyWhatDiffers(t *testing.T) {
	row := func(i int, rv string) *Node {
		return el("tr", key(strconv.Itoa(i)), el("td", text("name"+strconv.Itoa(i))), el("td", text(rv)))
	}
	build := func(n int, changed int, rv string, order func(i int) int) *Node {
		body := el("tbody")
		for i := range n {
			k := order(i)
			body.Kids = append(body.Kids, row(k, pick(k == changed, rv, "1")))
		}
		return body
	}
	same := func(i int) int { return i }
	tests := []struct {
		name          string
		next          *Node
		made, touched int
	}{
		{"nothing", build(50, -1, "", same), 0, 0},
		{"one cell", build(50, 7, "2", same), 0, 1},
		{"one row moved to the front", build(50, -1, "", func(i int) int { return (i + 49) % 50 }), 0, 1},
		// Five nodes made, four appends inside and one insert.
		{"one row more", build(51, -1, "", same), 5, 5},
		{"one row less", build(49, -1, "", same), 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := &memory{listening: map[*elem]bool{}}
			m := Mount(d, build(50, -1, "", same))
			d.made, d.touched = 0, 0
			m.Patch(d, tt.next)
			if d.made != tt.made || d.touched != tt.touched {
				t.Errorf("made %d, touched %d; want %d, %d", d.made, d.touched, tt.made, tt.touched)
			}
		})
	}
}
