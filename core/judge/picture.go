package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Picture is the cluster and the cloud without what differs between two runs that
// came to the same: uids, revisions, times, generated names, ids of the cloud,
// and the order of things that have none.
type Picture struct {
	// Things are the objects and the items of the cloud, in the order of names.
	Things []Thing
}

// Thing is one object or item.
type Thing struct {
	// Name is the object's, Kind/namespace/name, or the item's type and what it is
	// for.
	Name string
	// Ref is what events call it.
	Ref string
	// Value is a tree, Text its JSON; Full is that with the notes of others.
	Value      any
	Text, Full string
}

// Text is the whole picture, to be compared; without what others only noted, or
// in full.
func (p *Picture) Text(full bool) string {
	var b strings.Builder
	for _, t := range p.Things {
		b.WriteString(t.Name)
		b.WriteByte(' ')
		if full {
			b.WriteString(t.Full)
		} else {
			b.WriteString(t.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Painter makes pictures. It keeps what it made of an object that has not
// changed, and may be used for all worlds of one scenario.
type Painter struct {
	// names are those of the things of the cloud and of uids, in the world at hand.
	names map[string]string
	// kept are normal forms of trees in which nothing had to be renamed.
	kept    map[*object.Map]Thing
	renamed bool
}

// NewPainter returns a painter.
func NewPainter() *Painter { return &Painter{kept: map[*object.Map]Thing{}} }

// maxKept bounds what a painter keeps.
const maxKept = 4096

// Picture paints a world.
func (p *Painter) Picture(w *sim.World) *Picture {
	out := &Picture{}
	if len(p.kept) > maxKept {
		clear(p.kept)
	}
	p.names = map[string]string{}
	p.nameItems(w)
	for o := range w.Server().All() {
		p.names[o.Object.UID()] = "uid of " + w.Name(o.Object.Ref())
	}
	generated := map[string][]Thing{}
	var prefixes []string
	for o := range w.Server().All() {
		if o.Object.Kind() == "Event" || o.Object.Kind() == "CustomResourceDefinition" {
			continue
		}
		t := p.thing(o.Object)
		t.Ref = w.Name(o.Object.Ref())
		t.Name = t.Ref
		if prefix := o.Object.Str("metadata", "generateName"); prefix != "" {
			ref := o.Object.Ref()
			ref.Name = prefix + "*"
			if t.Name = w.Name(ref); len(generated[t.Name]) == 0 {
				prefixes = append(prefixes, t.Name)
			}
			generated[t.Name] = append(generated[t.Name], t)
			continue
		}
		out.Things = append(out.Things, t)
	}
	for _, prefix := range prefixes {
		list := generated[prefix]
		slices.SortStableFunc(list, func(a, b Thing) int { return cmp.Compare(a.Text, b.Text) })
		for i := range list {
			list[i].Name += strconv.Itoa(i + 1)
		}
		out.Things = append(out.Things, list...)
	}
	for _, item := range w.Cloud().Items() {
		v := object.NewMap(object.Field{Key: "name", Value: item.Name}, object.Field{Key: "tags", Value: object.StringMap(item.Tags)})
		out.Things = append(out.Things, Thing{Name: p.names[item.ID], Ref: item.Type + "/" + item.ID, Value: v, Text: string(object.EncodeJSON(v))})
		out.Things[len(out.Things)-1].Full = out.Things[len(out.Things)-1].Text
	}
	slices.SortStableFunc(out.Things, func(a, b Thing) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// nameItems names the things of the cloud by what they are for.
func (p *Painter) nameItems(w *sim.World) {
	count := map[string]int{}
	for _, item := range w.Cloud().Items() {
		name := item.Type + " " + item.Name + " " + string(object.EncodeJSON(object.StringMap(item.Tags)))
		count[name]++
		if n := count[name]; n > 1 {
			name += " " + strconv.Itoa(n)
		}
		p.names[item.ID], p.names[item.Address] = name, "address of "+name
	}
	for _, e := range w.Cloud().Ledger(0) {
		if _, there := p.names[e.Item.ID]; !there {
			p.names[e.Item.ID], p.names[e.Item.Address] = "gone "+e.Item.Type, "address of gone "+e.Item.Type
		}
	}
}

// thing is an object without what differs between equal runs.
func (p *Painter) thing(o object.Object) Thing {
	if t, ok := p.kept[o.Root()]; ok {
		return t
	}
	p.renamed = false
	n := o
	for _, k := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "deletionGracePeriodSeconds", "selfLink"} {
		n = n.Unset("metadata", k)
	}
	if o.Str("metadata", "generateName") != "" {
		n = n.Unset("metadata", "name")
	}
	for _, k := range []string{"finalizers", "ownerReferences"} {
		if l := n.List("metadata", k); l.Len() > 1 {
			n = object.New(object.Set(n.Root(), sorted(l), "metadata", k))
		}
	}
	t := Thing{Value: p.value(n.Root(), "", o.Generation())}
	t.Full = string(object.EncodeJSON(t.Value))
	t.Text = t.Full
	bare := withoutNotes(n)
	if bare != n.Root() {
		t.Value = p.value(bare, "", o.Generation())
		t.Text = string(object.EncodeJSON(t.Value))
	}
	if !p.renamed {
		p.kept[o.Root()] = t
	}
	return t
}

// Note is the domain of the annotation that the fault conflict writes.
const Note = "other.example.com/"

// withoutNotes leaves out the annotations of someone else, and kubectl's own: it
// depends on who called kubectl last. Of something that is going it leaves out
// what its controller notes on it, in its status and in annotations of its own
// domain: how far it had come is chance, and nobody relies on it.
func withoutNotes(o object.Object) *object.Map {
	found, going := false, o.Terminating()
	for k := range o.Annotations().All() {
		if strings.HasPrefix(k, Note) || k == lastApplied || going && inDomain(k, o.GVK().Group) {
			o, found = o.Unset("metadata", "annotations", k), true
		}
	}
	if going {
		o = o.Unset("status")
	}
	if a := o.Annotations(); found && a.Len() == 0 {
		o = o.Unset("metadata", "annotations")
	}
	return o.Root()
}

// value puts a tree into its normal form. generation is the object's.
func (p *Painter) value(v any, key string, generation int64) any {
	switch v := v.(type) {
	case *object.Map:
		var out []object.Field
		for k, x := range v.All() {
			if x != nil {
				out = append(out, object.Field{Key: k, Value: p.value(x, k, generation)})
			}
		}
		return object.NewMap(out...)
	case *object.List:
		var out []any
		for _, x := range v.All() {
			out = append(out, p.value(x, "", generation))
		}
		l := object.NewList(out...)
		if key == "conditions" {
			return sorted(l)
		}
		return l
	case string:
		return p.word(v)
	case int64:
		if key == "observedGeneration" {
			return fmt.Sprintf("%d behind", generation-v)
		}
	}
	return v
}

// word renames what stands in a text.
func (p *Painter) word(s string) string {
	if len(s) < 7 {
		return s
	}
	if name, ok := p.names[s]; ok {
		p.renamed = true
		return "<" + name + ">"
	}
	if isUID(s) {
		p.renamed = true
		return "<uid of what is gone>"
	}
	if len(s) >= len("2006-01-02T15:04:05Z") && s[4] == '-' && s[10] == 'T' {
		if _, err := time.Parse(time.RFC3339, s); err == nil {
			return "<time>"
		}
	}
	if len(s) > 36 || strings.ContainsAny(s, "-.") {
		return p.inside(s)
	}
	return s
}

// inside renames ids, addresses and uids within a longer text.
func (p *Painter) inside(s string) string {
	var b strings.Builder
	for start := 0; start < len(s); {
		end := start
		for end < len(s) && isWord(s[end]) {
			end++
		}
		if name, ok := p.names[s[start:end]]; ok && end > start {
			p.renamed = true
			b.WriteString("<" + name + ">")
		} else if isUID(s[start:end]) {
			p.renamed = true
			b.WriteString("<uid of what is gone>")
		} else {
			b.WriteString(s[start:end])
		}
		for start = end; start < len(s) && !isWord(s[start]); start++ {
			b.WriteByte(s[start])
		}
	}
	return b.String()
}

func isUID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-'
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.'
}

func sorted(l *object.List) *object.List {
	items := make([]any, 0, l.Len())
	for _, x := range l.All() {
		items = append(items, x)
	}
	slices.SortStableFunc(items, func(a, b any) int {
		return cmp.Compare(string(object.EncodeJSON(a)), string(object.EncodeJSON(b)))
	})
	return object.NewList(items...)
}

// Differences words what differs between two pictures: at most limit lines, and
// the name of the first thing that does.
func Differences(want, got *Picture, limit int) (first string, lines []string) {
	byName := func(p *Picture) map[string]Thing {
		out := map[string]Thing{}
		for _, t := range p.Things {
			out[t.Name] = t
		}
		return out
	}
	a, b := byName(want), byName(got)
	var names []string
	for _, t := range append(slices.Clone(want.Things), got.Things...) {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		x, before := a[name]
		y, after := b[name]
		if before && after && x.Text == y.Text {
			continue
		}
		if first == "" {
			first = name
		}
		switch {
		case !after:
			lines = append(lines, name+" is not there")
		case !before:
			lines = append(lines, name+" is there")
		default:
			for _, c := range object.Diff(x.Value, y.Value) {
				lines = append(lines, fmt.Sprintf("%s %s is %s, and would be %s", name, c.Path, short(c.After), short(c.Before)))
			}
		}
	}
	return first, lines[:min(limit, len(lines))]
}

func short(v any) string {
	if v == nil {
		return "not set"
	}
	s := string(object.EncodeJSON(v))
	if len(s) > 80 {
		s = s[:77] + "..."
	}
	return s
}
