package kubectl

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// info is one object that a command works on, or one page of a list. Models
// resource.Info.
type info struct {
	mapping     *resource
	namespace   string
	name        string
	source      string
	subresource string
	// object is what was read, from a file or the server; nil before.
	object *object.Map
}

// objectName names the object as in "configmaps/a".
func (i *info) objectName() string { return i.mapping.Resource + "/" + i.name }

// refresh takes what the server answered.
func (i *info) refresh(root *object.Map) {
	o := object.New(root)
	i.object, i.name, i.namespace = root, o.Name(), o.Namespace()
}

// query says which objects a command works on. Models resource.Builder.
type query struct {
	c         *call
	files     []string
	recursive bool
	// strict validates what files hold as create and apply do.
	strict                                   bool
	selector, field                          string
	all, allNamespaces                       bool
	args                                     []string
	everything                               bool // a type alone selects all of it
	keepGoing                                bool // an error does not end the visit
	latest                                   bool // objects of files are read anew
	bare                                     bool // objects are not read
	local                                    bool // the server is not asked
	oneType                                  bool // several types are refused
	chunk                                    int64
	subresource                              string
	namespace                                string
	requireNamespace                         bool
	form                                     api.Request // As, IncludeObject and Live of reads
	selected, fieldSelected, stream, folders bool
	resources, names                         []string
	tuples                                   [][2]string
	errs                                     []error
	// revision is that of the list read last.
	revision int64
}

// result is the objects found. Models resource.Result.
type result struct {
	q *query
	// err is why there are none.
	err error
	// visit calls f for each object; its errors and those of reading are
	// returned.
	visit func(f func(*info) error) error
	// single: one object is asked for, and not a list of them.
	single bool
	// watched is what a watch would be of; nil for files.
	watched []*info
	ignore  func(error) bool
}

// query begins a query for the command's namespace, files and selectors.
func (c *call) query() *query {
	return &query{c: c, files: c.flags.List("filename"), recursive: c.flags.Bool("recursive"), namespace: c.namespace,
		requireNamespace: c.explicit, selector: strings.TrimSpace(c.flags.Text("selector")),
		field: strings.TrimSpace(c.flags.Text("field-selector")), args: c.args, keepGoing: true, form: api.Request{Live: true}}
}

func (q *query) failed(err error) *result {
	return &result{q: q, err: err, visit: func(func(*info) error) error { return err }}
}

const missingResource = `You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'`

// do finds the objects. Models Builder.Do.
func (q *query) do() *result {
	if q.c.flags.Text("kustomize") != "" {
		if len(q.files) > 0 {
			return q.failed(errorf("only one of -f or -k can be specified"))
		}
		return q.failed(errorf("kustomization folders are not read here: write the result of kubectl kustomize to a file and use -f"))
	}
	files, errs := q.sources()
	q.errs = append(q.errs, errs...)
	q.readSelectors()
	q.readArgs()
	if len(q.errs) > 0 {
		return q.failed(all(q.errs))
	}
	switch {
	case len(files) > 0:
		return q.byPaths(files)
	case q.selected || q.fieldSelected:
		return q.bySelector()
	case len(q.tuples) > 0:
		return q.byTuples()
	case len(q.names) > 0:
		return q.byNames()
	case len(q.resources) > 0:
		if _, err := q.mappings(); err != nil {
			return q.failed(err)
		}
		return q.failed(errorf("resource(s) were provided, but no name was specified"))
	}
	return q.failed(errorf("%s", missingResource))
}

var errNotEmpty = errorf("setting 'all' parameter but found a non empty selector. ")

func (q *query) readSelectors() {
	q.selected, q.fieldSelected = q.selector != "", q.field != ""
	if !q.all {
		return
	}
	if q.selected || q.fieldSelected {
		q.errs = append(q.errs, errNotEmpty)
	}
	q.selected = true
}

// readArgs reads TYPE NAME, TYPE/NAME and TYPE. Models
// Builder.ResourceTypeOrNameArgs.
func (q *query) readArgs() {
	args := slices.Clone(q.args)
	if len(args) >= 2 {
		if types := parts(args[0]); len(types) > 1 {
			names := args[1:]
			args = nil
			for _, t := range types {
				for _, n := range names {
					args = append(args, t+"/"+n)
				}
			}
		}
	}
	slashes := 0
	for _, a := range args {
		if strings.Contains(a, "/") {
			slashes++
		}
	}
	switch {
	case slashes > 0 && slashes != len(args):
		q.errs = append(q.errs, errorf("there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'"))
	case slashes > 0:
		for _, a := range args {
			t, err := tuple(a)
			if err != nil {
				q.errs = append(q.errs, err)
				return
			}
			q.tuples = append(q.tuples, t)
		}
	case len(args) > 0:
		q.names = args[1:]
		q.resources = parts(q.expand(args[0]))
		if len(args) == 1 && q.everything {
			q.selected = true
		}
	}
}

func (q *query) expand(arg string) string {
	m, err := q.c.mapper()
	if err != nil {
		q.errs = append(q.errs, err)
		return arg
	}
	return m.expand(arg)
}

// parts splits at commas and drops what comes twice.
func parts(arg string) []string {
	var out []string
	for s := range strings.SplitSeq(arg, ",") {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func tuple(arg string) ([2]string, error) {
	seg := strings.Split(arg, "/")
	if len(seg) != 2 {
		return [2]string{}, errorf("arguments in resource/name form may not have more than one slash")
	}
	if seg[0] == "" || seg[1] == "" || strings.Contains(seg[0], ",") {
		return [2]string{}, errorf("arguments in resource/name form must have a single resource and name")
	}
	return [2]string{seg[0], seg[1]}, nil
}

// mappings are the resources of the types that are named.
func (q *query) mappings() ([]*resource, error) {
	if len(q.resources) > 1 && q.oneType {
		return nil, errorf("you may only specify a single resource type")
	}
	m, err := q.c.mapper()
	if err != nil {
		return nil, err
	}
	var out []*resource
	for _, name := range q.resources {
		r, err := m.resource(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out, nil
}

// place is the namespace in which a resource is looked for.
func (q *query) place(r *resource) string {
	if !r.Namespaced || q.allNamespaces {
		return ""
	}
	return q.namespace
}

func (q *query) bySelector() *result {
	switch {
	case len(q.names) > 0:
		return q.failed(errorf("name cannot be provided when a selector is specified"))
	case len(q.tuples) > 0:
		return q.failed(errorf("selectors and the all flag cannot be used when passing resource/name arguments"))
	case len(q.resources) == 0:
		return q.failed(errorf("at least one resource must be specified to use a selector"))
	case q.subresource != "":
		return q.failed(errorf("subresource cannot be used when bulk resources are specified"))
	}
	mappings, err := q.mappings()
	if err != nil {
		return q.failed(err)
	}
	r := &result{q: q}
	for _, m := range mappings {
		r.watched = append(r.watched, &info{mapping: m, namespace: q.place(m)})
	}
	r.visit = func(f func(*info) error) error { return q.visitLists(r.watched, f) }
	return r
}

func (q *query) byTuples() *result {
	if len(q.resources) > 0 {
		return q.failed(errorf("you may not specify individual resources and bulk resources in the same call"))
	}
	m, err := q.c.mapper()
	if err != nil {
		return q.failed(err)
	}
	r := &result{q: q, single: len(q.tuples) == 1}
	var first *resource
	for _, t := range q.tuples {
		mapping, err := m.resource(t[0])
		if err != nil {
			return q.failed(err)
		}
		if first == nil {
			first = mapping
		}
		if first != mapping && q.oneType {
			return q.failed(errorf("you may only specify a single resource type"))
		}
		if err := q.add(r, mapping, t[1]); err != nil {
			return q.failed(err)
		}
	}
	r.visit = func(f func(*info) error) error { return q.visitNames(r.watched, f) }
	return r
}

func (q *query) byNames() *result {
	mappings, err := q.mappings()
	if err != nil {
		return q.failed(err)
	}
	r := &result{q: q, single: len(q.names) == 1}
	for _, n := range q.names {
		if err := q.add(r, mappings[0], n); err != nil {
			return q.failed(err)
		}
	}
	r.visit = func(f func(*info) error) error { return q.visitNames(r.watched, f) }
	return r
}

func (q *query) add(r *result, m *resource, name string) error {
	if m.Namespaced && q.allNamespaces {
		return errorf("a resource cannot be retrieved by name across all namespaces")
	}
	r.watched = append(r.watched, &info{mapping: m, namespace: q.place(m), name: name, subresource: q.subresource})
	return nil
}

// infos are all objects, with what went wrong beside them.
func (r *result) infos() ([]*info, error) {
	if r.err != nil {
		return nil, r.err
	}
	var out []*info
	err := r.visit(func(i *info) error {
		out = append(out, i)
		return nil
	})
	if r.ignore != nil {
		err = without(err, r.ignore)
	}
	return out, err
}

// each calls f for each object.
func (r *result) each(f func(*info) error) error {
	if r.err != nil {
		return r.err
	}
	err := r.visit(f)
	if r.ignore != nil {
		err = without(err, r.ignore)
	}
	return err
}
