package core_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// ban is something that core must not use, because a run would no longer be a
// function of its scenario and its choices, or the wasm binary would grow.
type ban struct {
	what, instead string
	// uses: this node of the syntax tree uses it.
	uses func(n ast.Node, c *checked) bool
}

// checked is a package with its types, and what encloses a node.
type checked struct {
	info    *types.Info
	parents map[ast.Node]ast.Node
}

var bans = []ban{
	{"`time.Now` and every other clock and timer", "time is an argument; the clock is `sim`'s", usesOf("time",
		"Now Since Until Sleep After AfterFunc Tick NewTimer NewTicker")},
	{"`math/rand`'s global functions, `crypto/rand`", "a generator with a seed, held by who needs it", func(n ast.Node, c *checked) bool {
		const fine = "New NewPCG NewChaCha8 NewSource NewZipf Rand PCG ChaCha8 Source Source64 Zipf"
		pkg, name := packageOf(n, c)
		return (pkg == "math/rand" || pkg == "math/rand/v2") && !among(fine, name) || pkg == "crypto/rand"
	}},
	{"`go` statements", "a coroutine (`iter.Pull`), or a loop", func(n ast.Node, _ *checked) bool {
		_, is := n.(*ast.GoStmt)
		return is
	}},
	{"`select`", "an explicit list of what can happen: `World.Enabled`", func(n ast.Node, _ *checked) bool {
		_, is := n.(*ast.SelectStmt)
		return is
	}},
	{"ranging over a map", "`slices.Sorted(maps.Keys(m))`, or an `object.Map`, which is sorted", rangesOverMap},
	{"`maps.Keys`, `maps.Values`, `maps.All` unsorted", "inside `slices.Sorted`, `slices.SortedFunc` or `maps.Collect`", unsortedMap},
	{"`text/template`, `html/template`", "plain functions: the linker keeps every method for a template", usesOf("text/template html/template", "*")},
	{"`reflect`'s look-up of methods", "an interface: the linker keeps every method for it", usesMethodLookup},
	{"`os`, `net`, `os/exec`, `syscall/js`", "what is needed is passed in; files are in memory", usesOf("os os/exec net net/http syscall syscall/js", "*")},
}

// exceptions are uses that stand, each with its reason: file and ban.
var exceptions = map[string]string{}

// usesOf bans names ("*" for all) of packages.
func usesOf(packages, names string) func(ast.Node, *checked) bool {
	return func(n ast.Node, c *checked) bool {
		pkg, name := packageOf(n, c)
		return pkg != "" && among(packages, pkg) && among(names, name)
	}
}

// packageOf returns the package and the name of a qualified identifier.
func packageOf(n ast.Node, c *checked) (pkg, name string) {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return "", ""
	}
	p, ok := c.info.Uses[id].(*types.PkgName)
	if !ok {
		return "", ""
	}
	return p.Imported().Path(), sel.Sel.Name
}

func rangesOverMap(n ast.Node, c *checked) bool {
	r, ok := n.(*ast.RangeStmt)
	if !ok {
		return false
	}
	tv := c.info.Types[r.X]
	if tv.Type == nil {
		return false
	}
	_, is := tv.Type.Underlying().(*types.Map)
	return is
}

func unsortedMap(n ast.Node, c *checked) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	pkg, name := packageOf(call.Fun, c)
	if pkg != "maps" || !among("Keys Values All", name) {
		return false
	}
	outer, ok := c.parents[call].(*ast.CallExpr)
	if !ok {
		return true
	}
	pkg, name = packageOf(outer.Fun, c)
	return !(pkg == "slices" && strings.HasPrefix(name, "Sorted") || pkg == "maps" && name == "Collect")
}

func usesMethodLookup(n ast.Node, c *checked) bool {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok || !among("Method MethodByName NumMethod Methods", sel.Sel.Name) {
		return false
	}
	s := c.info.Selections[sel]
	return s != nil && s.Obj().Pkg() != nil && s.Obj().Pkg().Path() == "reflect"
}

func TestBans(t *testing.T) {
	fset := token.NewFileSet()
	used := map[string]bool{}
	for _, p := range typedPackages(t, fset) {
		for _, f := range p.files {
			c := &checked{info: p.info, parents: parentsOf(f)}
			ast.Inspect(f, func(n ast.Node) bool {
				for _, b := range bans {
					if n == nil || !b.uses(n, c) {
						continue
					}
					pos := fset.Position(n.Pos())
					file := pos.Filename[strings.LastIndex(pos.Filename, "/core/")+1:]
					if exception := file + " " + b.what; exceptions[exception] != "" {
						used[exception] = true
						continue
					}
					t.Errorf("%s:%d uses %s; use instead: %s", file, pos.Line, b.what, b.instead)
				}
				return true
			})
		}
	}
	for exception := range exceptions {
		if !used[exception] {
			t.Errorf("the exception %q is no longer needed", exception)
		}
	}
}

func parentsOf(f *ast.File) map[ast.Node]ast.Node {
	parents := map[ast.Node]ast.Node{}
	var stack []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if len(stack) > 0 {
			parents[n] = stack[len(stack)-1]
		}
		stack = append(stack, n)
		return true
	})
	return parents
}

// typedPackage is a package of core, without its tests, type-checked.
type typedPackage struct {
	files []*ast.File
	info  *types.Info
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	Error                   *struct{ Err string }
}

// list returns the packages of core and an importer that reads the compiler's
// export data of them and of all that they and the arguments need.
func list(t *testing.T, fset *token.FileSet, more ...string) ([]listed, types.Importer) {
	t.Helper()
	args := []string{"list", "-e", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,Error", "./..."}
	cmd := exec.Command("go", append(args, more...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	exports := map[string]string{}
	var ours []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var l listed
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[l.ImportPath] = l.Export
		if strings.HasPrefix(l.ImportPath, module+"core/") {
			ours = append(ours, l)
		}
	}
	return ours, importer.ForCompiler(fset, "gc", func(pkg string) (io.ReadCloser, error) {
		if exports[pkg] == "" {
			return nil, fmt.Errorf("no export data of %q", pkg)
		}
		return os.Open(exports[pkg])
	})
}

// typedPackages checks the types of core's packages. core/cmd talks to the
// machine and is left out; a package that does not compile is left to the
// compiler.
func typedPackages(t *testing.T, fset *token.FileSet) []typedPackage {
	t.Helper()
	ours, lookup := list(t, fset)
	var packages []typedPackage
	for _, l := range ours {
		if strings.HasPrefix(l.ImportPath, module+"core/cmd/") || l.Export == "" || l.Error != nil {
			continue
		}
		var files []*ast.File
		for _, name := range l.GoFiles {
			files = append(files, parse(t, fset, l.Dir+"/"+name))
		}
		packages = append(packages, checkTypes(t, fset, lookup, l.ImportPath, files...))
	}
	if len(packages) < 5 {
		t.Fatalf("only %d packages were checked", len(packages))
	}
	return packages
}

func checkTypes(t *testing.T, fset *token.FileSet, lookup types.Importer, name string, files ...*ast.File) typedPackage {
	t.Helper()
	info := &types.Info{
		Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := types.Config{Importer: lookup}
	if _, err := conf.Check(name, fset, files, info); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return typedPackage{files, info}
}

// Each ban catches what it is for, and lets pass what stands beside it.
func TestBansCatch(t *testing.T) {
	const text = `package x
import (
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"text/template"
	"time"
)
func f(m map[string]int, c chan int) {
	_ = time.Now()
	_ = time.Unix(0, 0)
	_ = rand.IntN(2)
	_ = rand.New(rand.NewPCG(1, 2)).IntN(2)
	go f(nil, nil)
	select {}
	for range m {}
	for range []int{1} {}
	_ = slices.Collect(maps.Keys(m))
	_ = slices.Sorted(maps.Keys(m))
	_ = template.New("x")
	_ = reflect.ValueOf(m).NumMethod()
	_ = reflect.ValueOf(m).NumField()
	_ = os.Args
}
`
	fset := token.NewFileSet()
	_, lookup := list(t, fset, "maps", "math/rand/v2", "os", "reflect", "slices", "text/template", "time")
	f, err := parser.ParseFile(fset, "x.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p := checkTypes(t, fset, lookup, "x", f)
	c := &checked{info: p.info, parents: parentsOf(f)}
	got := map[int]int{}
	ast.Inspect(f, func(n ast.Node) bool {
		for i, b := range bans {
			if n != nil && b.uses(n, c) {
				got[i]++
			}
		}
		return true
	})
	for i, b := range bans {
		if got[i] != 1 {
			t.Errorf("the ban of %s caught %d uses, want the one", b.what, got[i])
		}
	}
}
