// Package core_test holds the rules of the house as tests: which package may
// import which, what core must not use, and what every file owes its reader.
// ARCHITECTURE.md prints the same tables:
//
//	go test ./core -run TestArchitecture -update
package core_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/reconcile-playground/reconcile/"

// room is one package: what it may import of ours, besides the base, and of
// others, besides the standard library.
type room struct {
	path, imports, libraries string
	// js: its files may be for the browser alone and use syscall/js.
	js bool
}

// base may be imported everywhere but by itself: api by object, object by none.
const base = "core/api core/object"

// rooms is the table of edges, from the bottom up. A package that is not in it
// fails: think about where it belongs, then add a row.
var rooms = []room{
	{path: "core/object", libraries: "go.yaml.in/yaml/v3"},
	{path: "core/api"},
	{path: "core/tree", libraries: "github.com/tidwall/btree"},
	{path: "core/digest"},
	{path: "core/patch"},
	{path: "core/rest"},

	{path: "core/store", imports: "core/tree"},
	{path: "core/schema"},
	{path: "core/rules/library", libraries: "cel.dev/cel-go"},
	{path: "core/rules", imports: "core/rules/library core/schema", libraries: "cel.dev/cel-go"},
	{path: "core/rules/wire", imports: "core/schema"},
	{path: "core/managedfields", imports: "core/schema", libraries: "sigs.k8s.io/structured-merge-diff/v6"},
	{path: "core/apiserver", imports: "core/digest core/managedfields core/patch core/schema core/store"},
	{path: "core/collector", imports: "core/tree"},
	{path: "core/cloud", imports: "core/tree"},

	{path: "core/informer", imports: "core/tree"},
	{path: "core/workqueue", imports: "core/tree"},
	{path: "core/reconcile", imports: "core/patch"},
	{path: "core/controller", imports: "core/informer core/reconcile core/workqueue"},
	{path: "core/kubectl/flag"},
	{path: "core/kubectl/columns"},
	{path: "core/kubectl/gotemplate"},
	{path: "core/kubectl", imports: "core/digest core/kubectl/columns core/kubectl/flag core/kubectl/gotemplate core/patch core/rest"},
	{path: "core/strftime"},
	{path: "core/jq", imports: "core/strftime", libraries: "github.com/itchyny/gojq"},
	{path: "core/script/tool", imports: "core/digest core/jq core/strftime core/tree", libraries: "github.com/benhoyt/goawk"},
	{path: "core/script/shell", imports: "core/script/tool core/strftime", libraries: "mvdan.cc/sh/v3"},
	{path: "core/script", imports: "core/digest core/jq core/kubectl core/reconcile core/script/shell core/script/tool"},

	{path: "core/sim", imports: "core/apiserver core/cloud core/collector core/controller core/informer core/patch core/reconcile core/schema core/tree core/workqueue"},
	{path: "core/timeline", imports: "core/sim"},
	{path: "core/judge", imports: "core/sim"},
	{path: "core/scenario", imports: "core/reconcile core/script core/sim core/workqueue", libraries: "golang.org/x/tools/txtar"},
	{path: "core/explore", imports: "core/digest core/judge core/reconcile core/scenario core/sim"},
	{path: "core/grade", imports: "core/explore core/judge core/scenario"},
	{path: "core/report", imports: "core/judge core/scenario core/sim core/timeline"},
	{path: "core/report/verdict", imports: "core/explore core/grade core/judge core/report core/scenario core/sim"},
	{path: "core/cmd/reconcile", imports: "core/*"},

	{path: "web/engine", imports: "core/cloud core/explore core/grade core/judge core/reconcile core/report core/report/verdict core/scenario core/sim core/store core/timeline core/workqueue"},
	{path: "web/words"},
	{path: "web/text", js: true},
	{path: "web/app", imports: "core/scenario core/sim web/engine web/words"},
	{path: "web/view", imports: "core/scenario core/sim web/app web/engine web/words"},
	{path: "web/dom", imports: "web/app web/engine web/text web/view web/words", libraries: "honnef.co/go/js/dom/v2", js: true},
	{path: "web/storage", imports: "web/engine", libraries: "github.com/hack-pad/go-indexeddb", js: true},
	{path: "web/editor", js: true},
	{path: "wasm", imports: "core/jq core/judge core/rules/wire core/scenario core/script core/sim web/dom web/engine web/storage web/text", js: true},
	{path: "wasm/rules", imports: "core/rules core/rules/wire", js: true},
}

// testImports is what external tests (package x_test) may import on top: those
// that need both sides of the wire.
var testImports = map[string]string{
	"core/apiserver":  "core/collector core/rest core/rules",
	"core/collector":  "core/apiserver",
	"core/explore":    "core/reconcile core/scenario core/timeline",
	"core/grade":      "core/jq core/script core/sim",
	"core/judge":      "core/reconcile core/scenario",
	"core/kubectl":    "core/apiserver core/collector core/rest core/rules",
	"core/reconcile":  "core/apiserver core/cloud core/collector core/controller core/informer core/sim",
	"core/rules/wire": "core/rules",
	"core/scenario":   "core/rules core/script",
	"core/sim":        "core/scenario",
	"core/timeline":   "core/scenario",
	"core/report":     "core/reconcile",
	"core/script":     "core/apiserver core/cloud core/controller core/sim core/grade core/scenario",
	"web/app":         "core/scenario",
	"web/view":        "core/scenario",
	"web/storage":     "core/scenario",
}

// testLibraries may be used by tests alone: the first one costs the wasm binary
// every exported method of the program.
const testLibraries = "github.com/google/go-cmp pgregory.net/rapid"

// source is one Go file.
type source struct {
	// path is from the root of the module; room is its folder.
	path, room string
	file       *ast.File
	test       bool
	lines      int
}

// sources parses every Go file of the module, whatever its build tags. Folders
// with a go.mod of their own, testdata and node_modules are left out.
func sources(t *testing.T) (*token.FileSet, []source) {
	t.Helper()
	fset := token.NewFileSet()
	var all []source
	for _, top := range []string{"core", "web", "wasm"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				return enter(name, d.Name())
			}
			if !strings.HasSuffix(name, ".go") {
				return nil
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			rel := strings.TrimPrefix(filepath.ToSlash(name), "../")
			f, err := parser.ParseFile(fset, rel, text, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			all = append(all, source{
				path: rel, room: path.Dir(rel), file: f,
				test: strings.HasSuffix(rel, "_test.go"), lines: strings.Count(string(text), "\n"),
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return fset, all
}

func enter(name, base string) error {
	if base == "testdata" || base == "node_modules" {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func roomOf(folder string) (room, bool) {
	i := slices.IndexFunc(rooms, func(r room) bool { return r.path == folder })
	if i < 0 {
		return room{}, false
	}
	return rooms[i], true
}

// mayImport reports whether a package of ours may be imported from a room.
func (r room) mayImport(other string) bool {
	switch {
	case other == r.path:
		return true // its own external test
	case r.path == "core/object":
		return false
	case r.path == "core/api":
		return other == "core/object"
	}
	return among(base+" "+r.imports, other)
}

func among(list, name string) bool {
	for _, word := range strings.Fields(list) {
		if prefix, ok := strings.CutSuffix(word, "*"); word == name || ok && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// mayUse reports whether a package of others may be imported.
func (r room) mayUse(pkg string, test bool) bool {
	libraries := r.libraries
	if test {
		libraries += " " + testLibraries
	}
	return slices.ContainsFunc(strings.Fields(libraries), func(lib string) bool {
		return pkg == lib || strings.HasPrefix(pkg, lib+"/")
	})
}

func TestImports(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		r, ok := roomOf(s.room)
		if !ok {
			if s.room != "core" {
				t.Errorf("%s: no row for %s in the table of rooms", s.path, s.room)
			}
			continue
		}
		external := s.test && strings.HasSuffix(s.file.Name.Name, "_test")
		for _, spec := range s.file.Imports {
			pkg, _ := strconv.Unquote(spec.Path.Value)
			ours, isOurs := strings.CutPrefix(pkg, module)
			switch {
			case isOurs && !r.mayImport(ours) && !(external && among(testImports[s.room], ours)):
				t.Errorf("%s imports %s: not an allowed edge", s.path, ours)
			case !isOurs && strings.Contains(strings.Split(pkg, "/")[0], ".") && !r.mayUse(pkg, s.test):
				t.Errorf("%s imports %s: not a library of this package", s.path, pkg)
			case pkg == "syscall/js" && !r.js && s.room != "wasm":
				t.Errorf("%s imports syscall/js: only web/dom, web/storage, web/text, web/editor and wasm know the browser", s.path)
			}
		}
	}
}

// The table itself must have no way round: a package may only import what stands
// above it.
func TestRoomsAreInOrder(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rooms {
		for _, other := range strings.Fields(r.imports) {
			if !seen[other] && other != "core/*" {
				t.Errorf("%s may import %s, which does not stand above it in the table", r.path, other)
			}
		}
		seen[r.path] = true
	}
}

var update = flag.Bool("update", false, "write the tables into ARCHITECTURE.md")

func TestArchitecture(t *testing.T) {
	const file, begin, end = "../ARCHITECTURE.md", "<!-- edges:begin -->\n", "<!-- edges:end -->"
	want := tables()
	text, err := os.ReadFile(file)
	if err != nil && *update {
		text, err = []byte("# Architecture\n\n"+begin+end+"\n"), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	got, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the markers %q and %q", file, begin, end)
	}
	if got == want {
		return
	}
	if !*update {
		t.Fatalf("%s is out of date: go test ./core -run TestArchitecture -update", file)
	}
	if err := os.WriteFile(file, []byte(head+begin+want+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

func tables() string {
	var b strings.Builder
	b.WriteString("\nEvery package may import `core/api` and `core/object`; `core/api` imports `core/object`, which imports none.\n\n")
	b.WriteString("| package | may also import | libraries |\n| --- | --- | --- |\n")
	for _, r := range rooms {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.path, code(r.imports), code(r.libraries))
	}
	b.WriteString("\nExternal tests (`package x_test`) may also import:\n\n| tests of | may also import |\n| --- | --- |\n")
	for _, r := range rooms {
		if extra := testImports[r.path]; extra != "" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", r.path, code(extra))
		}
	}
	b.WriteString("\n`core` does not use:\n\n| banned | instead |\n| --- | --- |\n")
	for _, ban := range bans {
		fmt.Fprintf(&b, "| %s | %s |\n", ban.what, ban.instead)
	}
	b.WriteString("\n")
	return b.String()
}

func code(words string) string {
	list := strings.Fields(words)
	for i := range list {
		list[i] = "`" + list[i] + "`"
	}
	return strings.Join(list, " ")
}

// Who looks for a document finds it from the list of them.
func TestDocumentsAreListed(t *testing.T) {
	list, err := os.ReadFile("../docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob("../docs/*.md")
	if err != nil || len(all) < 2 {
		t.Fatal(all, err)
	}
	for _, path := range all {
		if name := filepath.Base(path); name != "README.md" && !strings.Contains(string(list), "]("+name+")") {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}
