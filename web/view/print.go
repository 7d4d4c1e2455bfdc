package view

import (
	"fmt"
	"strings"
)

// Print writes a tree one element a line, indented, handlers included: what
// golden tests compare. It is not markup and is never parsed.
func Print(n *Node) string {
	var b strings.Builder
	printNode(&b, n, "")
	return b.String()
}

func printNode(b *strings.Builder, n *Node, indent string) {
	if n.Tag == "" {
		b.WriteString(indent + "\"" + n.Text + "\"\n")
		return
	}
	b.WriteString(indent + n.Tag)
	if n.Key != "" {
		b.WriteString(" key=" + n.Key)
	}
	for _, a := range n.Attrs {
		b.WriteString(" " + a.Name)
		if a.Value != "" {
			b.WriteString("=" + a.Value)
		}
	}
	for _, h := range n.On {
		fmt.Fprintf(b, " on:%s=%s%+v", h.Event, strings.TrimPrefix(fmt.Sprintf("%T", h.Msg), "app."), h.Msg)
	}
	if len(n.Kids) == 1 && n.Kids[0].Tag == "" {
		b.WriteString(" \"" + n.Kids[0].Text + "\"\n")
		return
	}
	b.WriteByte('\n')
	for _, k := range n.Kids {
		printNode(b, k, indent+"  ")
	}
}
