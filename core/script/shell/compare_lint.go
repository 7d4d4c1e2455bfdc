package shell

import (
	"mvdan.cc/sh/v3/syntax"
)

// The text of two outputs of jq differs where only the order of keys does, and a
// reconciler that compares them so may write for ever.
const (
	unsortedReason     = "two outputs of jq are compared as text: without -S equal values may differ by the order of their keys, and on a real cluster the script would write for ever"
	unsortedSuggestion = "jq -S on both sides, or compare in jq: jq -e --argjson b \"$b\" '. == $b'"
)

// sorts notes for variables whether what they hold came from jq, and sorted.
type sorts map[string]output

type output uint8

const (
	otherwise output = iota
	unsorted
	sorted
)

// compared warns of text comparisons of two outputs of jq.
func (l *linter) compared(file []*syntax.Stmt) {
	vars := sorts{}
	for _, st := range file {
		syntax.Walk(st, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				if n.Name != nil && n.Value != nil {
					vars[n.Name.Value] = vars.of(n.Value)
				}
			case *syntax.BinaryTest:
				x, okX := n.X.(*syntax.Word)
				y, okY := n.Y.(*syntax.Word)
				if okX && okY && (n.Op == syntax.TsMatch || n.Op == syntax.TsMatchShort || n.Op == syntax.TsNoMatch) {
					l.pair(vars, x, y)
				}
			case *syntax.CallExpr:
				l.testCall(vars, n)
			}
			return true
		})
	}
}

func (l *linter) pair(vars sorts, x, y *syntax.Word) {
	a, b := vars.of(x), vars.of(y)
	if a == otherwise || b == otherwise || a == sorted && b == sorted {
		return
	}
	l.warn(x.Pos(), unsortedReason, unsortedSuggestion)
}

// testCall finds [ a = b ] and test a != b.
func (l *linter) testCall(vars sorts, n *syntax.CallExpr) {
	if len(n.Args) < 4 {
		return
	}
	if name := n.Args[0].Lit(); name != "[" && name != "test" {
		return
	}
	for i, word := range n.Args {
		if op, _ := plain(word); i > 1 && i+1 < len(n.Args) && (op == "=" || op == "==" || op == "!=") {
			l.pair(vars, n.Args[i-1], n.Args[i+1])
		}
	}
}

// of tells what a word holds: a variable, or a command substitution.
func (v sorts) of(word *syntax.Word) output {
	parts := word.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return otherwise
	}
	switch p := parts[0].(type) {
	case *syntax.ParamExp:
		if p.Param != nil && p.Exp == nil && p.Index == nil && !p.Length && !p.Excl && p.Slice == nil && p.Repl == nil {
			return v[p.Param.Value]
		}
	case *syntax.CmdSubst:
		if len(p.Stmts) > 0 {
			return ofCommand(p.Stmts[len(p.Stmts)-1])
		}
	}
	return otherwise
}

// ofCommand tells what a command prints: whether it ends in jq that may print
// objects.
func ofCommand(st *syntax.Stmt) output {
	switch c := st.Cmd.(type) {
	case *syntax.BinaryCmd:
		return ofCommand(c.Y)
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return otherwise
		}
		if name, _ := plain(c.Args[0]); name != "jq" {
			return otherwise
		}
		return ofFlags(c.Args[1:])
	}
	return otherwise
}

// ofFlags reads jq's flags: -r, -j and -a print strings, which have no keys.
func ofFlags(args []*syntax.Word) output {
	for _, word := range args {
		flag, ok := plain(word)
		if !ok || len(flag) < 2 || flag[0] != '-' {
			continue
		}
		if flag == "--sort-keys" {
			return sorted
		}
		if flag == "--raw-output" || flag == "--join-output" {
			return otherwise
		}
		if flag[1] == '-' {
			continue
		}
		for _, c := range flag[1:] {
			switch c {
			case 'S':
				return sorted
			case 'r', 'j':
				return otherwise
			}
		}
	}
	return unsorted
}
