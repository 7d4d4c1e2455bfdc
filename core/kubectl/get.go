package kubectl

import (
	"io"
	"net/url"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/kubectl/columns"
	"github.com/reconcile-playground/reconcile/core/object"
)

// getting is one run of kubectl get. Models cmd/get.
type getting struct {
	*call
	format string
	// human: the output is a table.
	human  bool
	sortBy string
}

func (c *call) getCommand() error {
	if raw := c.flags.Text("raw"); raw != "" {
		return c.getRaw(raw)
	}
	g := &getting{call: c, format: c.flags.Text("output"), sortBy: c.flags.Text("sort-by")}
	g.human = g.format == "" && c.flags.Text("template") == "" || g.format == "wide"
	watch, only := c.flags.Bool("watch"), c.flags.Bool("watch-only")
	switch {
	case watch && g.sortBy != "":
		c.complain("warning: --watch requested, --sort-by will be ignored for watch events received\n")
	case only && g.sortBy != "":
		c.complain("warning: --watch-only requested, --sort-by will be ignored\n")
	case !watch && !only && len(c.args) == 0 && len(c.flags.List("filename")) == 0 && c.flags.Text("kustomize") == "":
		c.complain("You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of supported resources.\n\n")
		return c.usage("Required resource not specified.\nUse \"kubectl explain <resource>\" for a detailed description of that resource (e.g. kubectl explain pods).")
	}
	if err := g.validate(watch || only); err != nil {
		return err
	}
	if watch || only {
		return g.watch(only)
	}
	return g.run()
}

func (g *getting) validate(watch bool) error {
	f := g.flags
	switch {
	case f.Bool("show-labels") && g.format != "" && g.format != "wide":
		return errorf("--show-labels option cannot be used with %s printer", g.format)
	case len(f.List("label-columns")) > 0 && strings.HasPrefix(g.format, "custom-columns"):
		return errorf("--label-columns option cannot be used with %s printer", g.format)
	case f.Bool("output-watch-events") && !watch:
		return errorf("--output-watch-events option can only be used with --watch or --watch-only")
	}
	return nil
}

// getRaw prints what the server has at a path.
func (c *call) getRaw(raw string) error {
	f := c.flags
	switch {
	case len(c.args) > 0:
		return errorf("arguments may not be passed when --raw is specified")
	case f.Bool("watch") || f.Bool("watch-only") || f.Text("selector") != "":
		return errorf("--raw may not be specified with other flags that filter the server request or alter the output")
	case f.Text("output") != "":
		return errorf("--raw and --output are mutually exclusive")
	}
	return c.raw("GET", raw, nil)
}

// query is what get asks for.
func (g *getting) query() *query {
	q := g.call.query()
	q.everything, q.latest = true, true
	q.allNamespaces, q.chunk, q.subresource = g.flags.Bool("all-namespaces"), g.flags.Int("chunk-size"), g.flags.Text("subresource")
	q.requireNamespace = g.explicit && !q.allNamespaces
	q.form.Live = false
	if g.human && g.serverPrint() {
		q.form.As = api.AsTable
		if g.sortBy != "" {
			q.form.IncludeObject = "Object"
		}
	}
	if g.sortBy != "" {
		q.chunk = 0
	}
	return q
}

func (g *getting) serverPrint() bool { return g.flags.Bool("server-print") }

func (g *getting) run() error {
	r := g.query().do()
	if g.flags.Bool("ignore-not-found") {
		r.ignore = isNotFound
	}
	if r.err != nil {
		return r.err
	}
	infos, err := r.infos()
	if !g.human {
		return g.printGeneric(r, infos, err)
	}
	var errs []error
	if err != nil {
		errs = append(errs, err)
	}
	if g.sortBy != "" && len(infos) > 1 {
		// As in kubectl, several tables are themselves what is sorted.
		if infos, err = sortInfos(infos, g.sortBy); err != nil {
			return err
		}
	}
	wrote, namespaced, perr := g.tables(infos)
	if perr != nil {
		errs = append(errs, perr)
	}
	if !wrote && !g.flags.Bool("ignore-not-found") && len(errs) == 0 {
		if namespaced && !g.flags.Bool("all-namespaces") {
			g.complain("No resources found in " + g.namespace + " namespace.\n")
		} else {
			g.complain("No resources found\n")
		}
	}
	return all(errs)
}

// separated writes an empty line between tables, once there is one after it.
type separated struct {
	w              io.Writer
	written, ready bool
}

// Write implements io.Writer.
func (s *separated) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if s.ready {
		_, _ = io.WriteString(s.w, "\n")
		s.ready = false
	}
	s.written = true
	return s.w.Write(p)
}

// tables prints infos, a table for each resource. namespaced says that all are
// in namespaces.
func (g *getting) tables(infos []*info) (wrote, namespaced bool, err error) {
	out := &separated{w: g.out}
	w := columns.Table(out)
	kinds := 0
	for i, x := range infos {
		if i > 0 && x.mapping != infos[0].mapping {
			kinds++
		}
	}
	namespaced = true
	var p printer
	var last *resource
	for _, x := range infos {
		namespaced = namespaced && x.mapping.Namespaced
		if p == nil || last != x.mapping {
			if err := w.Flush(); err != nil {
				return out.written, namespaced, err
			}
			w.Forget()
			if last != nil && !g.flags.Bool("no-headers") && out.written {
				out.ready = true
			}
			withNamespace := g.flags.Bool("all-namespaces") && x.mapping.Namespaced
			p = g.tablePrinter(x.mapping, withNamespace, kinds > 0 || g.flags.Bool("show-kind"))
			last = x.mapping
		}
		root := x.object
		if g.sortBy != "" {
			// As in kubectl, a table that cannot be sorted is not printed.
			if root, err = sortTable(root, g.sortBy); err != nil {
				continue
			}
		}
		if err := p.print(w, "", root); err != nil {
			return out.written, namespaced, err
		}
	}
	err = w.Flush()
	return out.written, namespaced, err
}

func (g *getting) tablePrinter(m *resource, namespace, kind bool) printer {
	p := &tablePrinter{noHeaders: g.flags.Bool("no-headers"), wide: g.format == "wide", namespace: namespace, kind: kind,
		labels: g.flags.Bool("show-labels"), labelColumns: g.flags.List("label-columns")}
	if m != nil {
		p.kindName = m.kindName()
	}
	if !g.serverPrint() {
		p.now = g.env.Client.Now()
	}
	return p
}

// printer is the one that -o asks for; of a table too.
func (g *getting) printer(m *resource, namespace, kind bool) (printer, error) {
	format := g.format
	if g.flags.Text("template") != "" && format == "" {
		format = "go-template"
	}
	if p, err := g.templatePrinter(format); p != nil || err != nil {
		return p, err
	}
	if p := g.dataPrinter(format); p != nil {
		return p, nil
	}
	if format == "" || format == "wide" {
		return g.tablePrinter(m, namespace, kind), nil
	}
	if p, err := g.columnsPrinter(format); p != nil || err != nil {
		return p, err
	}
	if strings.ToLower(format) == "name" {
		return namePrinter{}, nil
	}
	return nil, noPrinter(format, dataFormats, []string{"name", "wide"}, templateFormats, columnFormats)
}

// printGeneric prints one object, or a List.
func (g *getting) printGeneric(r *result, infos []*info, err error) error {
	if err != nil && r.single {
		return err
	}
	if len(infos) == 0 && g.flags.Bool("ignore-not-found") {
		return flat(err)
	}
	p, perr := g.printer(nil, false, false)
	if perr != nil {
		return perr
	}
	errs := []error{err}
	var root *object.Map
	if r.single && len(infos) == 1 {
		root = infos[0].object
	} else {
		if root, perr = g.listOf(infos); perr != nil {
			return perr
		}
	}
	if perr := p.print(g.out, "", root); perr != nil {
		errs = append(errs, perr)
	}
	return flat(all(errs))
}

func (g *getting) listOf(infos []*info) (*object.Map, error) {
	if g.sortBy != "" {
		var err error
		if infos, err = sortInfos(infos, g.sortBy); err != nil {
			return nil, err
		}
	}
	return listTree(infos, object.NewMap(object.Field{Key: "resourceVersion", Value: ""})), nil
}

// listTree is the List of v1 that kubectl makes of several objects.
func listTree(infos []*info, meta *object.Map) *object.Map {
	items := make([]any, len(infos))
	for i, x := range infos {
		items[i] = x.object
	}
	return object.NewMap(object.Field{Key: "apiVersion", Value: "v1"}, object.Field{Key: "kind", Value: "List"},
		object.Field{Key: "metadata", Value: meta}, object.Field{Key: "items", Value: object.NewList(items...)})
}

// checkPath refuses what is no path of the server.
func checkPath(raw string) error {
	if _, err := url.ParseRequestURI(raw); err != nil {
		return errorf("--raw must be a valid URL path: %v", err)
	}
	return nil
}

// sortInfos sorts objects by a field. Models get.SortObjects.
func sortInfos(infos []*info, by string) ([]*info, error) {
	if len(infos) == 0 {
		return infos, nil
	}
	path, err := relaxedPath(by)
	if err != nil {
		return nil, err
	}
	roots := make([]any, len(infos))
	for n, i := range infos {
		roots[n] = i.object
	}
	order, err := sortOrder(roots, path)
	if err != nil {
		return nil, err
	}
	out := make([]*info, len(infos))
	for n, at := range order {
		out[n] = infos[at]
	}
	return out, nil
}
