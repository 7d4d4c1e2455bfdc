package kubectl

import (
	"fmt"
	"io"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/kubectl/gotemplate"
	"github.com/reconcile-playground/reconcile/core/object"
)

// templatePrinter runs a Go template. Models printers.GoTemplatePrinter.
type templatePrinter struct {
	template *gotemplate.Template
	text     string
}

func newTemplatePrinter(text string, missing bool) (printer, error) {
	t, err := gotemplate.Parse("output", text, !missing)
	if err != nil {
		return nil, errorf("error parsing template %s, %v", text, err)
	}
	return &templatePrinter{t, text}, nil
}

func (p *templatePrinter) print(w io.Writer, event api.EventType, root *object.Map) error {
	if event != "" {
		root = eventTree(event, root)
	}
	text, err := p.template.Execute(root)
	if _, werr := io.WriteString(w, text); werr != nil {
		return werr
	}
	if err == nil {
		return nil
	}
	_, _ = fmt.Fprintf(w, "Error executing template: %v. Printing more information for debugging the template:\n\ttemplate was:\n\t\t%v\n\traw data was:\n\t\t%v\n\tobject given to template engine was:\n\t\t%+v\n\n",
		err, p.text, compactJSON(root), object.ToAny(root))
	return errorf("error executing template %q: %v", p.text, err)
}
