package kubectl

import (
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// visitNames reads each object that is named.
func (q *query) visitNames(list []*info, f func(*info) error) error {
	var errs []error
	for _, i := range list {
		one := *i
		err := q.ready(&one)
		if err == nil {
			err = f(&one)
		}
		if err != nil {
			if !q.keepGoing {
				return err
			}
			errs = append(errs, err)
		}
	}
	return few(errs)
}

// few is one error alone, or all of them. Models ContinueOnErrorVisitor.
func few(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return all(errs)
}

// ready reads an object that was only named.
func (q *query) ready(i *info) error {
	if i.object != nil || q.bare {
		return nil
	}
	return q.c.get(i, q.form)
}

// visitLists reads each list, and hands on its items; a Table is handed on as
// it is.
func (q *query) visitLists(list []*info, f func(*info) error) error {
	var errs, listErrs []error
	stopped := false
	for _, i := range list {
		req := q.form
		req.LabelSelector, req.FieldSelector, req.Limit = q.selector, q.field, q.chunk
		err := q.c.list(i.mapping, i.namespace, req, func(resp api.Response) error {
			q.revision = listRevision(resp)
			for _, item := range pageItems(i, resp) {
				err := q.checkPlace(item)
				if err == nil {
					err = f(item)
				}
				if err != nil {
					errs = append(errs, err)
					if stopped = !q.keepGoing; stopped {
						return err
					}
				}
			}
			return nil
		})
		if stopped {
			return err
		}
		if err != nil {
			if !q.keepGoing {
				return err
			}
			listErrs = append(listErrs, err)
		}
	}
	if len(listErrs) > 0 {
		errs = append(errs, all(listErrs))
	}
	return few(errs)
}

func listRevision(resp api.Response) int64 {
	text := resp.Table.Str("metadata", "resourceVersion")
	if resp.List != nil {
		text = resp.List.ResourceVersion
	}
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

func pageItems(i *info, resp api.Response) []*info {
	if resp.List == nil {
		one := *i
		one.object = tree(resp)
		return []*info{&one}
	}
	out := make([]*info, len(resp.List.Items))
	for n, o := range resp.List.Items {
		out[n] = &info{mapping: i.mapping, namespace: o.Namespace(), name: o.Name(), object: o.Root()}
	}
	return out
}

func (q *query) byPaths(files []source) *result {
	switch {
	case len(q.resources) > 0:
		return q.failed(errorf("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well"))
	case len(q.names) > 0:
		return q.failed(errorf("name cannot be provided when a path is specified"))
	case len(q.tuples) > 0:
		return q.failed(errorf("resource/name arguments cannot be provided when a path is specified"))
	}
	var sel api.LabelSelector
	if q.selected && q.selector != "" {
		var err error
		if sel, err = api.ParseLabelSelector(q.selector); err != nil {
			return q.failed(errorf("the provided selector %q is not valid: %v", q.selector, err))
		}
	}
	r := &result{q: q, single: !q.folders && !q.stream && len(files) == 1}
	r.visit = func(f func(*info) error) error { return q.visitFiles(files, sel, f) }
	return r
}

// visitFiles reads the objects of files. What is wrong with a document comes
// after the errors of those that are right.
func (q *query) visitFiles(files []source, sel api.LabelSelector, f func(*info) error) error {
	var errs, docErrs []error
	for _, s := range files {
		text, err := q.c.text(s)
		if err != nil {
			docErrs = append(docErrs, err)
			continue
		}
		for _, d := range documents(s.name, text) {
			items, err := q.objects(d)
			if err != nil {
				docErrs = append(docErrs, err)
				if isEnd(d, err) {
					break
				}
			}
			for _, i := range items {
				if sel != nil && !sel.Matches(object.New(i.object).Labels()) {
					continue
				}
				if err := q.fileInfo(i, f); err != nil {
					errs = append(errs, err)
				}
			}
		}
		if len(docErrs)+len(errs) > 0 && !q.keepGoing {
			break
		}
	}
	if len(docErrs) > 0 {
		errs = append(errs, all(docErrs))
	}
	return few(errs)
}

// isEnd reports whether an error breaks off the reading of a file: one of
// parsing or validating does, one of an object does not.
func isEnd(d document, err error) bool {
	return d.err != nil || strings.HasPrefix(err.Error(), "error validating")
}

// checkPlace refuses an object of all namespaces where the command line names
// one. Models RequireNamespace.
func (q *query) checkPlace(i *info) error {
	if !q.requireNamespace || !q.allNamespaces || !i.mapping.Namespaced || i.name == "" {
		return nil
	}
	return errorf("the namespace from the provided object %q does not match the namespace \"\". You must pass '--namespace=%s' to perform this operation.", i.namespace, i.namespace)
}

// fileInfo settles the namespace of an object of a file, and reads it from the
// server where that is wanted.
func (q *query) fileInfo(i *info, f func(*info) error) error {
	switch {
	case i.mapping == nil:
	case !i.mapping.Namespaced:
		if i.namespace != "" {
			i.namespace = ""
			i.object = object.Unset(i.object, "metadata", "namespace")
		}
	case i.namespace == "":
		i.namespace = q.namespace
		i.object = object.Set(i.object, q.namespace, "metadata", "namespace")
	case q.requireNamespace && i.namespace != q.namespace:
		return errorf("the namespace from the provided object %q does not match the namespace %q. You must pass '--namespace=%s' to perform this operation.", i.namespace, q.namespace, i.namespace)
	}
	if q.latest && i.name != "" {
		if err := q.c.get(i, q.form); err != nil {
			return err
		}
	}
	return f(i)
}

// objects takes a document apart: a List gives its items.
func (q *query) objects(d document) ([]*info, error) {
	if d.err != nil {
		return nil, d.err
	}
	if err := checkDocument(d, q.strict); err != nil {
		return nil, err
	}
	o := object.New(d.root)
	items := o.List("items")
	if _, list := d.root.Get("items"); !list || items == nil {
		i, err := q.object(d, "resource mapping not found for name: %q namespace: %q from %q: %w\nensure CRDs are installed first")
		if err != nil {
			return nil, err
		}
		return []*info{i}, nil
	}
	var out []*info
	var errs []error
	for _, v := range items.All() {
		root, ok := v.(*object.Map)
		if !ok {
			continue
		}
		// An item of a ConfigMapList is a ConfigMap without saying so.
		if kind := strings.TrimSuffix(o.Kind(), "List"); kind != "" && object.New(root).Kind() == "" {
			root = object.Set(object.Set(root, kind, "kind"), o.APIVersion(), "apiVersion")
		}
		more, err := q.objects(document{source: d.source, root: root})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, more...)
	}
	return out, all(errs)
}

func (q *query) object(d document, text string) (*info, error) {
	o := object.New(d.root)
	i := &info{namespace: o.Namespace(), name: o.Name(), source: d.source, object: d.root, subresource: q.subresource}
	if q.local {
		return i, nil
	}
	m, err := q.c.mapper()
	if err != nil {
		return nil, err
	}
	gvk := o.GVK()
	if i.mapping = m.byGVK(gvk); i.mapping == nil {
		return nil, errorf(text, i.name, i.namespace, d.source,
			errorf("no matches for kind %q in version %q", gvk.Kind, gvk.APIVersion()))
	}
	return i, nil
}
