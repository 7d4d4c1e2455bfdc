package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"strings"
	"testing"
)

// The limits past which a design is looked at again.
const (
	maxFileLines     = 500
	maxFunctionLines = 70
)

func parse(t *testing.T, fset *token.FileSet, name string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSizes(t *testing.T) {
	fset, all := sources(t)
	for _, s := range all {
		if s.test {
			continue
		}
		if s.lines > maxFileLines && s.room != "web/words" { // a catalogue is as long as its words
			t.Errorf("%s has %d lines, more than %d", s.path, s.lines, maxFileLines)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line; n >= maxFunctionLines {
				t.Errorf("%s: %s has %d lines, not under %d", s.path, f.Name.Name, n, maxFunctionLines)
			}
		}
	}
}

func TestNames(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		if among("util utils common helpers types manager", path.Base(s.room)) {
			t.Errorf("%s: a helper lives in the package whose noun it serves", s.room)
		}
	}
}

func TestComments(t *testing.T) {
	_, all := sources(t)
	documented := map[string]bool{}
	for _, s := range all {
		if !s.test && s.file.Doc != nil {
			documented[s.room] = true
		}
		for _, group := range s.file.Comments {
			if text := group.Text(); strings.HasPrefix(text, "TODO") || strings.Contains(text, "TODO:") || strings.Contains(text, "FIXME") {
				t.Errorf("%s: unfinished: %q", s.path, strings.TrimSpace(text))
			}
		}
	}
	for _, s := range all {
		if s.test {
			continue
		}
		if !documented[s.room] {
			t.Errorf("%s: the package has no comment", s.room)
			documented[s.room] = true
		}
		for _, name := range undocumented(s.file) {
			t.Errorf("%s: %s has no comment", s.path, name)
		}
	}
}

// undocumented lists the exported names of a file that nothing is said about. A
// comment on a group of constants or variables is about each of them.
func undocumented(f *ast.File) []string {
	var names []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				names = append(names, undocumentedSpec(d, spec)...)
			}
		}
	}
	return names
}

func undocumentedSpec(d *ast.GenDecl, spec ast.Spec) []string {
	var names []string
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
			names = append(names, spec.Name.Name)
		}
	case *ast.ValueSpec:
		for _, id := range spec.Names {
			if id.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// A test that sleeps is slow on a good day and red on a bad one.
func TestTestsDoNotSleep(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		if !s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Sleep" {
				if id, ok := sel.X.(*ast.Ident); ok && id.Name == "time" {
					t.Errorf("%s sleeps", s.path)
				}
			}
			return true
		})
	}
}

// The rules themselves catch what they are for.
// What the Makefile builds without showing the command takes a while: it says
// what it is before.
func TestMakefileSaysWhatItBuilds(t *testing.T) {
	text, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	before, built := "", 0
	for line := range strings.Lines(string(text)) {
		hidden := strings.HasPrefix(line, "\t@") && (strings.Contains(line, "$(GO) build") || strings.Contains(line, "$(GO) run"))
		if hidden {
			built++
		}
		if hidden && !strings.HasPrefix(before, "\t@echo ") {
			t.Errorf("nothing is said before %q", strings.TrimSpace(line))
		}
		before = line
	}
	if built < 4 {
		t.Errorf("%d builds were found", built)
	}
}

func TestRulesCatch(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
func Bare() {}
// Said is documented.
func Said() {}
type hidden struct{}
func (hidden) Exported() {}
var A, b = 1, 2
// Both are documented.
const (
	C = 1
	D = 2
)
type T int
`, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(undocumented(f), " "); got != "Bare A T" {
		t.Errorf("undocumented: %s", got)
	}
	object, _ := roomOf("core/object")
	api, _ := roomOf("core/api")
	sim, _ := roomOf("core/sim")
	cmd, _ := roomOf("core/cmd/reconcile")
	for _, tc := range []struct {
		from room
		to   string
		want bool
	}{
		{object, "core/api", false}, {api, "core/object", true}, {api, "core/patch", false}, {sim, "core/apiserver", true},
		{sim, "core/scenario", false}, {cmd, "core/report", true}, {cmd, "web/engine", false},
	} {
		if got := tc.from.mayImport(tc.to); got != tc.want {
			t.Errorf("%s may import %s: %v", tc.from.path, tc.to, got)
		}
	}
}
