package kubectl

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/kubectl/columns"
	"github.com/reconcile-playground/reconcile/core/object"
)

// paths keeps the templates that were compiled: a script asks for few.
var paths = struct {
	sync.Mutex
	of map[string]*object.JSONPath
}{of: map[string]*object.JSONPath{}}

// maxPaths bounds what paths keeps.
const maxPaths = 500

func compilePath(text string) (*object.JSONPath, error) {
	paths.Lock()
	defer paths.Unlock()
	if p, ok := paths.of[text]; ok {
		return p, nil
	}
	p, err := object.ParseJSONPath(text)
	if err != nil {
		return nil, err
	}
	if len(paths.of) >= maxPaths {
		clear(paths.of)
	}
	paths.of[text] = p
	return p, nil
}

// pathPrinter prints what a JSONPath finds. Models printers.JSONPathPrinter.
type pathPrinter struct {
	path          *object.JSONPath
	text          string
	missing, json bool
}

func (p *pathPrinter) print(w io.Writer, event api.EventType, root *object.Map) error {
	if event != "" {
		root = eventTree(event, root)
	}
	if p.json {
		return p.printJSON(w, root)
	}
	text, err := p.path.Print(root, p.missing)
	if err != nil {
		return p.failed(root, err)
	}
	_, err = io.WriteString(w, text)
	return err
}

func (p *pathPrinter) failed(root *object.Map, err error) error {
	return errorf("error executing jsonpath %q: Error executing template: %v. Printing more information for debugging the template:\n\ttemplate was:\n\t\t%v\n\tobject given to jsonpath engine was:\n\t\t%s\n\n\n",
		p.text, err, p.text, fmt.Sprintf("%#v", object.ToAny(root)))
}

func (p *pathPrinter) printJSON(w io.Writer, root *object.Map) error {
	found, err := p.path.Find(root, p.missing)
	if err != nil {
		return p.failed(root, err)
	}
	for _, values := range found {
		if _, err := w.Write(append(appendIndented(nil, object.NewList(values...), 0, nil), '\n')); err != nil {
			return err
		}
	}
	return nil
}

var relaxed = regexp.MustCompile(`^\{\.?([^{}]+)\}$|^\.?([^{}]+)$`)

// relaxedPath makes a JSONPath of a field path, with or without braces and
// leading dot. Models get.RelaxedJSONPathExpression.
func relaxedPath(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	m := relaxed.FindStringSubmatch(text)
	if m == nil {
		return "", errorf("unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'")
	}
	return "{." + m[1] + m[2] + "}", nil
}

// columnsPrinter prints columns of the user's own. Models
// get.CustomColumnsPrinter.
type columnsPrinter struct {
	headers   []string
	paths     []*object.JSONPath
	noHeaders bool
	// last is the kind of what was printed last: "list" or "object".
	last string
}

// columnsPrinter reads -o custom-columns; nil for another form.
func (c *call) columnsPrinter(format string) (printer, error) {
	name, text, ok := c.cut(format, columnFormats)
	if !ok {
		return nil, nil
	}
	if text == "" {
		return nil, errorf("custom-columns format specified but no custom columns given")
	}
	p := &columnsPrinter{noHeaders: c.flags.Bool("no-headers")}
	if name == "custom-columns-file" {
		data, err := c.readFile(text)
		if err != nil {
			return nil, errorf("error reading template %s, %v\n", text, openError(text, err))
		}
		return p, p.readFile(string(data))
	}
	for part := range strings.SplitSeq(text, ",") {
		header, path, ok := strings.Cut(part, ":")
		if !ok {
			return nil, errorf("unexpected custom-columns spec: %s, expected <header>:<json-path-expr>", part)
		}
		if err := p.add(header, path); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *columnsPrinter) readFile(text string) error {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if text == "" {
		return errorf("invalid template, missing header line. Expected format is one line of space separated headers, one line of space separated column specs.")
	}
	if len(lines) < 2 {
		return errorf("invalid template, missing spec line. Expected format is one line of space separated headers, one line of space separated column specs.")
	}
	headers, specs := strings.Fields(lines[0]), strings.Fields(lines[1])
	if len(headers) != len(specs) {
		return errorf("number of headers (%d) and field specifications (%d) don't match", len(headers), len(specs))
	}
	p.noHeaders = false
	for i := range headers {
		if err := p.add(headers[i], specs[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *columnsPrinter) add(header, spec string) error {
	path, err := relaxedPath(spec)
	if err != nil {
		return err
	}
	compiled, err := compilePath(path)
	if err != nil {
		return err
	}
	p.headers, p.paths = append(p.headers, header), append(p.paths, compiled)
	return nil
}

func (p *columnsPrinter) print(out io.Writer, event api.EventType, root *object.Map) error {
	w, shared := out.(*columns.Writer)
	if !shared {
		w = columns.Table(out)
		defer w.Flush()
	}
	items, list := root.Get("items")
	kind := "object"
	if list && event == "" {
		kind = "list"
	}
	if event != "" {
		root = eventTree(event, root)
	}
	if !p.noHeaders && p.last != kind {
		w.WriteString(strings.Join(p.headers, "\t") + "\n")
		p.last = kind
	}
	if kind == "object" {
		return p.row(w, root)
	}
	l, _ := items.(*object.List)
	for _, v := range l.All() {
		if err := p.row(w, v.(*object.Map)); err != nil {
			return err
		}
	}
	return nil
}

func (p *columnsPrinter) row(w *columns.Writer, root *object.Map) error {
	cells := make([]string, len(p.paths))
	for i, path := range p.paths {
		found, err := path.Find(root, true)
		if err != nil {
			return err
		}
		var values []string
		if len(found) == 0 || len(found[0]) == 0 {
			values = append(values, "<none>")
		}
		for _, list := range found {
			for _, v := range list {
				values = append(values, columns.Escape(fmt.Sprint(object.ToAny(v))))
			}
		}
		cells[i] = strings.Join(values, ",")
	}
	_, err := w.WriteString(strings.Join(cells, "\t") + "\n")
	return err
}
