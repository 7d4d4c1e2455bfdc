package kubectl

import (
	"io"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// printer prints objects in the form that -o asks for. event is the type of a
// watch event that is to be printed with the object; empty for an object alone.
type printer interface {
	print(w io.Writer, event api.EventType, root *object.Map) error
}

var (
	dataFormats     = []string{"json", "yaml", "kyaml"}
	templateFormats = []string{"go-template", "go-template-file", "jsonpath", "jsonpath-as-json", "jsonpath-file", "template", "templatefile"}
	columnFormats   = []string{"custom-columns", "custom-columns-file"}
)

// noPrinter is the error about a form that is not known.
func noPrinter(format string, lists ...[]string) error {
	var allowed []string
	for _, l := range lists {
		allowed = append(allowed, l...)
	}
	slices.Sort(allowed)
	return errorf("unable to match a printer suitable for the output format %q, allowed formats are: %s", format, strings.Join(allowed, ","))
}

// dataPrinter prints the whole object: json, yaml, kyaml; nil for another form.
func (c *call) dataPrinter(format string) printer {
	managed := c.flags.Bool("show-managed-fields")
	switch strings.ToLower(format) {
	case "json":
		return &jsonPrinter{managed: managed}
	case "yaml":
		return &yamlPrinter{managed: managed}
	case "kyaml":
		return &kyamlPrinter{managed: managed}
	}
	return nil
}

// operationPrinter is the printer of commands that say what they did:
// "configmap/c created". Models genericclioptions.PrintFlags.
func (c *call) operationPrinter(operation string, typed bool) (printer, error) {
	switch c.dryRun() {
	case dryClient:
		operation += " (dry run)"
	case dryServer:
		operation += " (server dry run)"
	}
	return c.plainPrinter(operation, typed)
}

// plainPrinter is operationPrinter that says nothing of a dry run. typed holds
// for objects that are Go structs in kubectl: their JSON has the order of those.
func (c *call) plainPrinter(operation string, typed bool) (printer, error) {
	format := c.flags.Text("output")
	if c.flags.Text("template") != "" && !c.flags.Given("output") {
		format = "go-template"
	}
	if p := c.dataPrinter(format); p != nil {
		if j, ok := p.(*jsonPrinter); ok && typed {
			j.shape = typedShape
		}
		return p, nil
	}
	switch strings.ToLower(format) {
	case "name":
		return namePrinter{}, nil
	case "":
		return namePrinter{operation: strings.TrimSpace(operation)}, nil
	}
	if p, err := c.templatePrinter(format); p != nil || err != nil {
		return p, err
	}
	return nil, noPrinter(format, dataFormats, []string{"name"}, templateFormats)
}

// cut takes "form=text" apart where the form is one of those known. The text of
// --template stands for one that is not given.
func (c *call) cut(format string, known []string) (name, text string, ok bool) {
	if t := c.flags.Text("template"); t != "" {
		return format, t, slices.Contains(known, format)
	}
	name, text, _ = strings.Cut(format, "=")
	return name, text, slices.Contains(known, name)
}

// templatePrinter is that of jsonpath and go-template; nil for another form.
func (c *call) templatePrinter(format string) (printer, error) {
	name, text, ok := c.cut(format, templateFormats)
	if !ok {
		return nil, nil
	}
	if text == "" {
		return nil, errorf("template format specified but no template given")
	}
	switch name {
	case "jsonpath-file", "go-template-file", "templatefile":
		data, err := c.readFile(text)
		if err != nil {
			return nil, errorf("error reading --template %s, %v", text, openError(text, err))
		}
		text = string(data)
	}
	missing := !c.flags.Given("allow-missing-template-keys") || c.flags.Bool("allow-missing-template-keys")
	if strings.HasPrefix(name, "jsonpath") {
		path, err := compilePath(text)
		if err != nil {
			return nil, errorf("error parsing jsonpath %s, %v", text, err)
		}
		return &pathPrinter{path: path, text: text, missing: missing, json: name == "jsonpath-as-json"}, nil
	}
	return newTemplatePrinter(text, missing)
}

// withoutManaged drops metadata.managedFields, of the items of a list too.
func withoutManaged(root *object.Map) *object.Map {
	if items := object.New(root).List("items"); items != nil {
		for i, v := range items.All() {
			if m, ok := v.(*object.Map); ok {
				items = items.With(i, object.Unset(m, "metadata", "managedFields"))
			}
		}
		root = root.With("items", items)
	}
	if _, ok := object.At(root, "metadata", "managedFields"); ok {
		return object.Unset(root, "metadata", "managedFields")
	}
	return root
}

// eventTree is a watch event with its object.
func eventTree(event api.EventType, root *object.Map) *object.Map {
	return object.NewMap(object.Field{Key: "type", Value: string(event)}, object.Field{Key: "object", Value: root})
}

type jsonPrinter struct {
	managed bool
	shape   *shape
}

func (p *jsonPrinter) print(w io.Writer, event api.EventType, root *object.Map) error {
	if event != "" {
		_, err := io.WriteString(w, `{"type":"`+string(event)+`","object":`+compactJSON(root)+"}\n")
		return err
	}
	if !p.managed {
		root = withoutManaged(root)
	}
	if o, ok := w.(*output); ok {
		o.buf = append(appendIndented(o.buf, root, 0, p.shape), '\n')
		return nil
	}
	_, err := w.Write(append(appendIndented(nil, root, 0, p.shape), '\n'))
	return err
}

type yamlPrinter struct {
	managed bool
	count   int
}

func (p *yamlPrinter) print(w io.Writer, event api.EventType, root *object.Map) error {
	if p.count++; p.count > 1 {
		if _, err := io.WriteString(w, "---\n"); err != nil {
			return err
		}
	}
	if event != "" {
		root = eventTree(event, root)
	} else if !p.managed {
		root = withoutManaged(root)
	}
	_, err := w.Write(object.EncodeFoldedYAML(root))
	return err
}

// namePrinter prints kind and name, and what was done. Models
// printers.NamePrinter.
type namePrinter struct{ operation string }

func (p namePrinter) print(w io.Writer, _ api.EventType, root *object.Map) error {
	o := object.New(root)
	if items, ok := root.Get("items"); ok {
		if l, ok := items.(*object.List); ok {
			for _, v := range l.All() {
				if err := p.print(w, "", v.(*object.Map)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	gvk := o.GVK()
	kind, name := strings.ToLower(gvk.Kind), o.Name()
	if gvk.Group != "" {
		kind += "." + gvk.Group
	}
	if name == "" {
		name = "<unknown>"
	}
	text := kind + "/" + name
	if p.operation != "" {
		text += " " + p.operation
	}
	_, err := io.WriteString(w, text+"\n")
	return err
}
