package kubectl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/patch"
)

// marking is one run of kubectl label or annotate.
type marking struct {
	*call
	// what is "label" or "annotation", field "labels" or "annotations".
	what, field string
	set         *object.Map
	remove      []string
	dry         dry
	local, list bool
	version     string
	single      bool
}

func (c *call) marking(what, field string) (*marking, []string, []string, error) {
	m := &marking{call: c, what: what, field: field, local: c.flags.Bool("local"), list: c.flags.Bool("list"),
		version: c.flags.Text("resource-version")}
	var err error
	if m.dry, err = c.dryRunOr(); err != nil {
		return nil, nil, nil, err
	}
	resources, pairs, err := m.split(c.args)
	return m, resources, pairs, err
}

// split tells TYPE NAME from KEY=VALUE and KEY-. Models
// cmdutil.GetResourcesAndPairs.
func (m *marking) split(args []string) (resources, pairs []string, err error) {
	for _, s := range args {
		pair := strings.Contains(s, "=") && s[0] != '=' || strings.HasSuffix(s, "-") && s != "-"
		switch {
		case pair:
			pairs = append(pairs, s)
		case len(pairs) > 0:
			return nil, nil, errorf("all resources must be specified before %s changes: %s", m.what, s)
		default:
			resources = append(resources, s)
		}
	}
	return resources, pairs, nil
}

// check refuses flags that do not go together.
func (m *marking) check(resources []string) error {
	f := m.flags
	files := len(f.List("filename")) > 0 || f.Text("kustomize") != ""
	file := map[string]string{"label": "pod", "annotation": "rsrc"}[m.what]
	switch {
	case m.list && f.Text("output") != "":
		return errorf("--list and --output may not be specified together")
	case f.Bool("all") && f.Text("selector") != "":
		return errorf("cannot set --all and --selector at the same time")
	case f.Bool("all") && f.Text("field-selector") != "":
		return errorf("cannot set --all and --field-selector at the same time")
	case m.local && m.dry == dryServer:
		return errorf("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
	case m.local && len(resources) > 0:
		return errorf("can only use local files by -f %s.yaml or --filename=%s.json when --local=true is set", file, file)
	case m.local && !files:
		return errorf("one or more files must be specified as -f %s.yaml or --filename=%s.json", file, file)
	case !m.local && len(resources) < 1 && !files:
		return errorf("one or more resources must be specified as <resource> <name> or <resource>/<name>")
	case m.set.Len() == 0 && len(m.remove) == 0 && !m.list:
		return errorf("at least one %s update is required", m.what)
	}
	return nil
}

func (m *marking) result(resources []string) (*result, error) {
	q := m.query()
	q.args, q.local = resources, m.local
	if !m.local {
		q.everything, q.allNamespaces, q.latest = m.flags.Bool("all"), m.flags.Bool("all-namespaces"), true
	}
	r := q.do()
	if r.err == nil && !r.single && m.version != "" {
		return nil, errorf("--resource-version may only be used with a single resource")
	}
	m.single = r.single
	return r, r.err
}

func (c *call) label() error {
	m, resources, pairs, err := c.marking("label", "labels")
	if err != nil {
		return err
	}
	if err := m.readLabels(pairs); err != nil {
		return err
	}
	if err := m.check(resources); err != nil {
		return err
	}
	r, err := m.result(resources)
	if err != nil {
		return err
	}
	return r.each(m.labelOne)
}

func (m *marking) readLabels(pairs []string) error {
	for _, s := range pairs {
		parts := strings.Split(s, "=")
		switch {
		case len(parts) == 1:
			m.remove = append(m.remove, s[:len(s)-1])
			continue
		case len(parts) != 2:
			return errorf("invalid label spec: %v", s)
		}
		if why := badLabelValue(parts[1]); why != "" {
			return errorf("invalid label value: %q: %s", s, why)
		}
		m.set = m.set.With(parts[0], parts[1])
	}
	for _, key := range m.remove {
		if m.set.Has(key) {
			return errorf("can not both modify and remove a label in the same command")
		}
	}
	return nil
}

// badLabelValue says what is wrong with a label's value. Models
// validation.IsValidLabelValue.
func badLabelValue(s string) string {
	const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	var why []string
	if len(s) > 63 {
		why = append(why, "must be no more than 63 characters")
	}
	edge := func(c byte) bool { return strings.IndexByte(alphanumeric, c) >= 0 }
	if s != "" && (strings.Trim(s, alphanumeric+"-_.") != "" || !edge(s[0]) || !edge(s[len(s)-1])) {
		why = append(why, "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')")
	}
	return strings.Join(why, ";")
}

// changed is the object with the marks, and what was added and removed.
func (m *marking) changed(root *object.Map) (out *object.Map, added, removed int) {
	marks := orEmpty(mapAt(root, "metadata", m.field))
	for k, v := range m.set.All() {
		if cur, ok := marks.Get(k); !ok || cur != v {
			marks = marks.With(k, v)
			added++
		}
	}
	for _, k := range m.remove {
		if marks.Has(k) {
			marks = marks.Without(k)
			removed++
		}
	}
	out = object.Set(root, marks, "metadata", m.field)
	if m.version != "" {
		out = object.Set(out, m.version, "metadata", "resourceVersion")
	}
	return out, added, removed
}

// taken lists the marks that would change without --overwrite.
func (m *marking) taken(root *object.Map) [][2]string {
	var out [][2]string
	if m.flags.Bool("overwrite") {
		return nil
	}
	marks := mapAt(root, "metadata", m.field)
	for k, v := range m.set.All() {
		if cur, ok := marks.Get(k); ok && cur != v {
			out = append(out, [2]string{k, fmt.Sprint(cur)})
		}
	}
	return out
}

func (m *marking) labelOne(i *info) error {
	before := i.object
	if m.version != "" {
		before = object.Unset(before, "metadata", "resourceVersion")
	}
	offline := m.dry == dryClient || m.local || m.list
	if !offline {
		for _, k := range m.remove {
			if !mapAt(before, "metadata", "labels").Has(k) {
				fmt.Fprintf(m.out, "label %q not found.\n", k)
			}
		}
	}
	var errs []error
	for _, t := range m.taken(before) {
		errs = append(errs, errorf("'%s' already has a value (%s), and --overwrite is false", t[0], t[1]))
	}
	if len(errs) > 0 {
		return all(errs)
	}
	after, added, removed := m.changed(before)
	if !offline && added+removed > 0 {
		if _, err := m.send(i, before, after); err != nil {
			return err
		}
	}
	if m.list {
		return m.printList(i, after)
	}
	operation := "not labeled"
	switch {
	case added > 0 && removed > 0:
		operation = "modified"
	case added > 0:
		operation = "labeled"
	case removed > 0:
		operation = "unlabeled"
	}
	p, err := m.operationPrinter(operation, false)
	if err != nil {
		return err
	}
	return p.print(m.out, "", after)
}

func (m *marking) send(i *info, before, after *object.Map) (*object.Map, error) {
	w := write{manager: m.flags.Text("field-manager"), dryRun: m.dry == dryServer}
	return m.patch(i, api.MergePatch, patch.CreateMerge(before, after), w)
}

func (m *marking) printList(i *info, root *object.Map) error {
	indent := ""
	if !m.single {
		indent = " "
		gvk := object.New(root).GVK()
		fmt.Fprintf(m.out, "Listing %s for %s.%s/%s:\n", m.field, gvk.Kind, gvk.Group, i.name)
	}
	for k, v := range mapAt(root, "metadata", m.field).All() {
		fmt.Fprintf(m.out, "%s%s=%s\n", indent, k, v)
	}
	return nil
}

func (c *call) annotate() error {
	m, resources, pairs, err := c.marking("annotation", "annotations")
	if err != nil {
		return err
	}
	for _, s := range pairs {
		if key, value, ok := strings.Cut(s, "="); ok {
			m.set = m.set.With(key, value)
		} else {
			m.remove = append(m.remove, s[:len(s)-1])
		}
	}
	if err := m.check(resources); err != nil {
		return err
	}
	var both []string
	for _, k := range m.remove {
		if m.set.Has(k) && !slices.Contains(both, k) {
			both = append(both, k)
		}
	}
	if len(both) > 0 {
		return errorf("can not both modify and remove the following annotation(s) in the same command: %s", strings.Join(both, ", "))
	}
	p, err := c.operationPrinter("annotated", false)
	if err != nil {
		return err
	}
	r, err := m.result(resources)
	if err != nil {
		return err
	}
	return r.each(func(i *info) error { return m.annotateOne(i, p) })
}

func (m *marking) annotateOne(i *info, p printer) error {
	before := i.object
	offline := m.dry == dryClient || m.local || m.list
	if m.version != "" && !offline {
		before = object.Unset(before, "metadata", "resourceVersion")
	}
	var taken []string
	for _, t := range m.taken(before) {
		taken = append(taken, fmt.Sprintf("'%s' already has a value (%s)", t[0], t[1]))
	}
	if len(taken) > 0 {
		return errorf("--overwrite is false but found the following declared annotation(s): %s", strings.Join(taken, "; "))
	}
	after, _, _ := m.changed(before)
	if !offline {
		var err error
		if after, err = m.send(i, before, after); err != nil {
			return err
		}
	}
	if m.list {
		return m.printList(i, after)
	}
	return p.print(m.out, "", after)
}
