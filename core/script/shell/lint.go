package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// refusedCommands are the builtins that have no meaning here, and why.
var refusedCommands = map[string]string{
	"alias": "bash expands no aliases in scripts", "unalias": "bash expands no aliases in scripts",
	"bg": "there are no jobs", "fg": "there are no jobs", "jobs": "there are no jobs", "disown": "there are no jobs",
	"suspend": "there are no jobs", "logout": "this is no login shell", "history": "a script has no history",
	"fc": "a script has no history", "bind": "a script has no line to edit", "complete": "a script has no line to edit",
	"compgen": "a script has no line to edit", "compopt": "a script has no line to edit",
	"ulimit": "the budgets of a pass are fixed", "kill": "there is no other process to send a signal to",
	"enable": "builtins cannot be turned off", "help": "the keys and signs of the page (?) link to what a script may use",
}

// suggestions go with the reasons above.
var suggestions = map[string]string{
	"alias": "write a function", "unalias": "write a function", "kill": "exit, or use timeout",
	"help": "kubectl help, or a program with --help",
}

// lint lists what is refused in a text, and what is doubtful.
func lint(u *Unit) []Problem {
	l := &linter{u: u}
	if first, _, _ := strings.Cut(u.text, "\n"); strings.HasPrefix(first, "#!") {
		l.shebang(first)
	}
	if before, _, ok := strings.Cut(u.text, "extglob"); ok {
		l.extglob = strings.Count(before, "\n") + 1
	}
	for _, st := range u.stmts {
		syntax.Walk(st, l.visit)
	}
	if strings.Contains(u.text, "jq") {
		l.compared(u.stmts)
	}
	return l.found
}

type linter struct {
	u     *Unit
	found []Problem
	// extglob is the line on which it is turned on: bash reads a line as a whole
	// before it runs it. 0 is none.
	extglob int
	inTest  int
	// expanded are patterns in ${ }, which are read when they are expanded.
	expanded map[*syntax.ExtGlob]bool
}

func (l *linter) refuse(pos syntax.Pos, reason, suggestion string) {
	l.found = append(l.found, Problem{Line: int(pos.Line()), Col: int(pos.Col()), Reason: reason, Suggestion: suggestion})
}

func (l *linter) warn(pos syntax.Pos, reason, suggestion string) {
	l.found = append(l.found, Problem{Line: int(pos.Line()), Col: int(pos.Col()), Reason: reason, Suggestion: suggestion, Warning: true})
}

func (l *linter) shebang(line string) {
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if len(words) > 1 && strings.HasSuffix(words[0], "/env") {
		words = words[1:]
		if words[0] == "-S" && len(words) > 1 {
			words = words[1:]
		}
	}
	name := ""
	if len(words) > 0 {
		name = words[0][strings.LastIndexByte(words[0], '/')+1:]
	}
	if name != "bash" && name != "sh" {
		l.found = append(l.found, Problem{Line: 1, Col: 1, Reason: "a script is run by bash, not by " + line[2:], Suggestion: "#!/usr/bin/env bash"})
	}
}

func (l *linter) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Stmt:
		l.stmt(n)
	case *syntax.CoprocClause:
		l.refuse(n.Pos(), "coproc would run beside the script", "run the command first and keep its output: x=$(command)")
	case *syntax.ProcSubst:
		if n.Op != syntax.CmdIn {
			l.refuse(n.Pos(), ">( ) would run beside the command", "a pipe: command | other")
		}
	case *syntax.CmdSubst:
		if n.TempFile || n.ReplyVar {
			l.refuse(n.Pos(), "${ command; } came with bash 5.3", "$(command)")
		}
	case *syntax.ForClause:
		if n.Select {
			l.refuse(n.Pos(), "select asks a person, and a pass has none", "for, or case")
		}
	case *syntax.FuncDecl:
		if n.Name == nil || len(n.Names) > 0 {
			l.refuse(n.Pos(), "a function has one name", "name() { commands; }")
			return false
		}
	case *syntax.TestClause:
		return l.testClause(n)
	case *syntax.UnaryTest:
		if n.Op == syntax.TsModif {
			l.refuse(n.OpPos, "-N asks when a file was read last, which is not kept", "[[ a -nt b ]], with a file that is touched")
		}
	case *syntax.ExtGlob:
		if l.extglob == 0 || int(n.Pos().Line()) <= l.extglob && !l.expanded[n] && l.inTest == 0 {
			l.refuse(n.Pos(), "a pattern such as "+n.Op.String()+"...) is a syntax error while extglob is off", "shopt -s extglob, in a line of its own before")
		}
	case *syntax.CallExpr:
		l.call(n)
	case *syntax.ParamExp:
		l.param(n)
		syntax.Walk(n, func(x syntax.Node) bool {
			if glob, ok := x.(*syntax.ExtGlob); ok {
				if l.expanded == nil {
					l.expanded = map[*syntax.ExtGlob]bool{}
				}
				l.expanded[glob] = true
			}
			return true
		})
	}
	return true
}

func (l *linter) stmt(n *syntax.Stmt) {
	switch {
	case n.Background:
		l.refuse(n.Semicolon, "a background job (&) would run beside the script, and its calls in no order", "run it in the foreground: leave the & away")
	case n.Coprocess || n.Disown:
		l.refuse(n.Semicolon, "this would run beside the script", "run it in the foreground")
	}
}

// testClause: inside [[ ]] patterns of extglob are always on.
func (l *linter) testClause(n *syntax.TestClause) bool {
	old := l.extglob
	l.extglob = max(old, 1)
	l.inTest++
	syntax.Walk(n.X, l.visit)
	l.inTest--
	l.extglob = old
	return false
}

func (l *linter) call(n *syntax.CallExpr) {
	if len(n.Args) == 0 {
		return
	}
	name, ok := plain(n.Args[0])
	if !ok {
		return
	}
	if why, bad := refusedCommands[name]; bad {
		l.refuse(n.Pos(), name+": "+why, suggestions[name])
	}
	instead, known := missing[name]
	if known && !strings.Contains(l.u.text, name+"()") && !strings.Contains(l.u.text, name+" ()") {
		l.found = append(l.found, Problem{Line: int(n.Pos().Line()), Col: int(n.Pos().Col()), Warning: true,
			Reason: name + " is not among the programs here: it is command not found, status 127", Suggestion: instead})
	}
}

// missing are programs that are at hand elsewhere and not here, and what is
// instead.
var missing = map[string]string{
	"ln": "cp: there are no links here", "sha512sum": "sha256sum", "sha224sum": "sha256sum", "sha384sum": "sha256sum", "b2sum": "sha256sum", "cksum": "sha256sum",
	"curl": "kubectl or cloud: there is no network", "wget": "kubectl or cloud: there is no network", "nc": "kubectl or cloud: there is no network",
	"yq": "kubectl -o json, and jq", "python": "jq, awk or bash", "python3": "jq, awk or bash", "perl": "jq, awk, sed or grep -P", "ruby": "jq, awk or bash", "node": "jq, awk or bash",
	"gawk": "awk", "mawk": "awk", "bc": "$(( )), or awk", "dc": "$(( )), or awk", "xxd": "od", "hexdump": "od", "unexpand": "sed", "pr": "paste, or column -t", "fmt": "fold -s",
	"split": "awk", "csplit": "awk", "tsort": "sort", "dd": "head -c", "truncate": ": > file", "install": "cp, and chmod", "flock": "nothing: one pass runs at a time",
	"mkfifo": "<( ), or a file", "tar": "files of their own", "gzip": "the text as it is", "openssl": "sha256sum, or base64", "uuidgen": "a name made of the object's own",
	"ps": "nothing: there is no other process", "pgrep": "nothing: there is no other process", "pkill": "nothing: there is no other process",
	"helm": "kubectl apply -f -", "git": "a file", "docker": "nothing: there are no containers",
}

func (l *linter) param(n *syntax.ParamExp) {
	if n.Param == nil || n.Exp == nil || n.Exp.Op != syntax.OtherParamOps {
		return
	}
	if op, ok := plain(n.Exp.Word); ok && op == "P" {
		l.refuse(n.Pos(), "${x@P} expands a prompt, and a script has none", "printf, with what is to be shown")
	}
}
