package kubectl

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/kubectl/columns"
	"github.com/reconcile-playground/reconcile/core/object"
)

func (c *call) apiResources() error {
	if len(c.args) > 0 {
		return c.usage("unexpected arguments: %v", c.args)
	}
	format, sortBy := c.flags.Text("output"), c.flags.Text("sort-by")
	p := c.dataPrinter(format)
	if p == nil && format != "" && format != "wide" && format != "name" {
		return noPrinter(format, dataFormats, []string{"name", "wide"})
	}
	if sortBy != "" && sortBy != "name" && sortBy != "kind" {
		return errorf("--sort-by accepts only name or kind")
	}
	m, err := c.mapper()
	if err != nil {
		return err
	}
	var list []*resource
	for _, r := range m.list {
		if c.wantsResource(r) {
			list = append(list, r)
		}
	}
	key := func(r *resource) string {
		switch sortBy {
		case "name":
			return r.Resource
		case "kind":
			return r.Kind
		}
		return r.Group
	}
	sort.SliceStable(list, func(i, j int) bool {
		if a, b := key(list[i]), key(list[j]); a != b {
			return a < b
		}
		return list[i].Resource < list[j].Resource
	})
	switch {
	case p != nil:
		if j, ok := p.(*jsonPrinter); ok {
			j.shape = typedShape
		}
		return p.print(c.out, "", resourceTree(list))
	case format == "name":
		for _, r := range list {
			fmt.Fprintln(c.out, r.GroupResource())
		}
		return nil
	}
	return c.resourceTable(list, format == "wide")
}

func (c *call) wantsResource(r *resource) bool {
	f := c.flags
	switch {
	case !r.preferred || len(r.Verbs) == 0:
		return false
	case f.Given("api-group") && f.Text("api-group") != r.Group:
		return false
	case f.Given("namespaced") && f.Bool("namespaced") != r.Namespaced:
		return false
	}
	return containsAll(r.Verbs, f.List("verbs")) && containsAll(r.Categories, f.List("categories"))
}

func containsAll(list, wanted []string) bool {
	for _, w := range wanted {
		if !slices.Contains(list, w) {
			return false
		}
	}
	return true
}

func (c *call) resourceTable(list []*resource, wide bool) error {
	w := columns.Table(c.out)
	if !c.flags.Bool("no-headers") {
		head := "NAME\tSHORTNAMES\tAPIVERSION\tNAMESPACED\tKIND"
		if wide {
			head += "\tVERBS\tCATEGORIES"
		}
		_, _ = io.WriteString(w, head+"\n")
	}
	for _, r := range list {
		cells := []string{r.Resource, strings.Join(r.Short, ","), r.APIVersion(), fmt.Sprint(r.Namespaced), r.Kind}
		if wide {
			cells = append(cells, strings.Join(r.Verbs, ","), strings.Join(r.Categories, ","))
		}
		_, _ = io.WriteString(w, strings.Join(cells, "\t")+"\n")
	}
	return w.Flush()
}

func resourceTree(list []*resource) *object.Map {
	items := make([]any, len(list))
	for i, r := range list {
		m := object.NewMap(object.Field{Key: "name", Value: r.Resource}, object.Field{Key: "singularName", Value: r.Singular},
			object.Field{Key: "namespaced", Value: r.Namespaced}, object.Field{Key: "kind", Value: r.Kind},
			object.Field{Key: "version", Value: r.Version}, object.Field{Key: "verbs", Value: object.Strings(r.Verbs...)})
		if r.Group != "" {
			m = m.With("group", r.Group)
		}
		if len(r.Short) > 0 {
			m = m.With("shortNames", object.Strings(r.Short...))
		}
		if len(r.Categories) > 0 {
			m = m.With("categories", object.Strings(r.Categories...))
		}
		items[i] = m
	}
	return object.NewMap(object.Field{Key: "kind", Value: "APIResourceList"}, object.Field{Key: "apiVersion", Value: "v1"},
		object.Field{Key: "groupVersion", Value: ""}, object.Field{Key: "resources", Value: object.NewList(items...)})
}

func (c *call) apiVersions() error {
	if len(c.args) > 0 {
		return c.usage("unexpected arguments: %v", c.args)
	}
	m, err := c.mapper()
	if err != nil {
		return err
	}
	for _, v := range m.versions {
		fmt.Fprintln(c.out, v)
	}
	return nil
}

func (c *call) version() error {
	format := c.flags.Text("output")
	client := c.flags.Bool("client")
	switch {
	case len(c.args) > 0 && !client:
		return errorf("extra arguments: %v", c.args)
	case format != "" && format != "json" && format != "yaml":
		return errorf("--output must be 'yaml' or 'json'")
	}
	server := object.Object{}
	if !client {
		resp := c.do(api.Request{Verb: api.Discover, Path: "/version"})
		if err := resp.Err(); err != nil {
			return err
		}
		server = resp.Object
	}
	if format == "" {
		fmt.Fprintf(c.out, "Client Version: %s\nKustomize Version: %s\n", version, kustomize)
		if !client {
			fmt.Fprintf(c.out, "Server Version: %s\n", server.Str("gitVersion"))
		}
		return nil
	}
	root := object.NewMap(object.Field{Key: "clientVersion", Value: object.FromAny(map[string]any{"major": "1", "minor": "37", "gitVersion": version, "platform": "linux/amd64"})},
		object.Field{Key: "kustomizeVersion", Value: kustomize})
	if !client {
		root = root.With("serverVersion", server.Root())
	}
	if format == "json" {
		_, _ = c.out.Write(append(appendTwo(nil, root), '\n'))
		return nil
	}
	_, _ = c.out.Write(append(object.EncodeFoldedYAML(root), '\n'))
	return nil
}

// kustomize is the version that kubectl 1.37 says it has.
const kustomize = "v5.8.1"
