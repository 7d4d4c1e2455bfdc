package kubectl

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/kubectl/columns"
	"github.com/reconcile-playground/reconcile/core/object"
)

// describing is one run of kubectl describe.
type describing struct {
	*call
	events bool
}

func (c *call) describe() error {
	if len(c.args) == 0 && len(c.flags.List("filename")) == 0 && c.flags.Text("kustomize") == "" {
		return errorf("You must specify the type of resource to describe. Use \"kubectl api-resources\" for a complete list of supported resources.")
	}
	d := &describing{call: c, events: c.flags.Bool("show-events")}
	q := c.query()
	q.everything, q.allNamespaces, q.chunk = true, c.flags.Bool("all-namespaces"), c.flags.Int("chunk-size")
	q.requireNamespace = c.explicit && !q.allNamespaces
	infos, err := q.do().infos()
	if (err != nil || len(infos) > 1) && !c.flags.Given("show-events") {
		d.events = false
	}
	var errs []error
	if err != nil {
		if s, ok := err.(*api.Status); ok && isNotFound(s) && len(c.args) == 2 {
			return d.matching(err, c.args[0], c.args[1])
		}
		errs = append(errs, err)
	}
	printed := false
	seen := map[string]bool{}
	for _, i := range infos {
		text, err := d.one(i)
		switch {
		case err != nil && !seen[err.Error()]:
			seen[err.Error()] = true
			errs = append(errs, err)
		case err != nil:
		case printed:
			fmt.Fprintf(c.out, "\n\n%s", text)
		default:
			printed = true
			fmt.Fprint(c.out, text)
		}
	}
	if len(infos) == 0 && len(errs) == 0 {
		if q.allNamespaces {
			c.complain("No resources found\n")
		} else {
			c.complain("No resources found in " + c.namespace + " namespace.\n")
		}
	}
	return all(errs)
}

// matching describes what begins with a name that no object has.
func (d *describing) matching(missing error, kind, prefix string) error {
	q := d.query()
	q.args, q.everything, q.keepGoing, q.oneType = []string{kind}, true, false, true
	infos, err := q.do().infos()
	if err != nil {
		return err
	}
	found := false
	for _, i := range infos {
		if !strings.HasPrefix(i.name, prefix) {
			continue
		}
		found = true
		text, err := d.one(i)
		if err != nil {
			return err
		}
		fmt.Fprintf(d.out, "%s\n", text)
	}
	if !found {
		return missing
	}
	return nil
}

// describer prints what is particular to a kind.
type describer func(d *describing, w *page, o object.Object) error

// one describes an object, which is read once more.
func (d *describing) one(i *info) (string, error) {
	req := i.mapping.target(i.namespace, i.name)
	req.Verb, req.Live = api.Get, true
	resp := d.do(req)
	if err := resp.Err(); err != nil {
		return "", err
	}
	describe, ok := describers[i.mapping.kindName()]
	if !ok {
		describe = (*describing).generic
	}
	var b strings.Builder
	w := &page{columns.Plain(&b)}
	if err := describe(d, w, resp.Object); err != nil {
		return "", err
	}
	if err := w.Flush(); err != nil {
		return "", err
	}
	return b.String(), nil
}

// page is what a description is written on.
type page struct{ *columns.Writer }

// line writes at a level of indentation.
func (w *page) line(level int, format string, args ...any) {
	text := columns.Escape(fmt.Sprintf(format, args...))
	_, _ = io.WriteString(w, strings.Repeat("  ", level)+text)
}

func (w *page) head(o object.Object, namespaced bool) {
	w.line(0, "Name:\t%s\n", o.Name())
	if namespaced {
		w.line(0, "Namespace:\t%s\n", o.Namespace())
	}
	w.labels(o.Labels())
	w.annotations(o.Annotations())
}

func (w *page) labels(m *object.Map) {
	w.line(0, "Labels:\t")
	if m.Len() == 0 {
		w.line(0, "<none>\n")
	}
	first := true
	for k, v := range m.All() {
		if !first {
			w.line(0, "\t")
		}
		first = false
		w.line(0, "%s=%s\n", k, v)
	}
}

// longestNote is how much of an annotation stands on one line.
const longestNote = 140

func (w *page) annotations(m *object.Map) {
	w.line(0, "Annotations:\t")
	m = m.Without(lastApplied)
	if m.Len() == 0 {
		w.line(0, "<none>\n")
	}
	first := true
	for k, v := range m.All() {
		if !first {
			w.line(0, "\t")
		}
		first = false
		value := strings.TrimSuffix(fmt.Sprint(v), "\n")
		if len(value)+len(k)+2 <= longestNote && !strings.Contains(value, "\n") {
			w.line(0, "%s: %s\n", k, value)
			continue
		}
		w.line(0, "%s:\n", k)
		for s := range strings.SplitSeq(value, "\n") {
			if len(s) > longestNote-2 {
				s = s[:longestNote-2] + "..."
			}
			w.line(0, "\t  %s\n", s)
		}
	}
}

var skipped = []string{".metadata.managedFields", ".metadata.name", ".metadata.namespace", ".metadata.labels", ".metadata.annotations"}

// generic describes any object by its fields. Models genericDescriber.
func (d *describing) generic(w *page, o object.Object) error {
	w.head(o, true)
	w.content(0, o.Root(), "")
	return d.eventsOf(w, o)
}

func (w *page) content(level int, m *object.Map, path string) {
	for k, v := range m.All() {
		at := path + "." + k
		if slices.Contains(skipped, at) {
			continue
		}
		switch v := v.(type) {
		case *object.Map:
			w.line(level, "%s:\n", spoken(k))
			w.content(level+1, v, at)
		case *object.List:
			w.line(level, "%s:\n", spoken(k))
			for _, x := range v.All() {
				if sub, ok := x.(*object.Map); ok {
					w.content(level+1, sub, at)
				} else {
					w.line(level+1, "%v\n", object.ToAny(x))
				}
			}
		default:
			w.line(level, "%s:\t%v\n", spoken(k), v)
		}
	}
}

// spoken makes words of a field's name: "creationTimestamp" is "Creation
// Timestamp". Models smartLabelFor.
func spoken(field string) string {
	if strings.ContainsFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
		return field
	}
	var out []string
	for _, part := range mergeUpper(camels(field)) {
		switch upper := strings.ToUpper(part); {
		case part == "_":
			continue
		case upper == "API" || upper == "URL" || upper == "UID" || upper == "GUID":
			part = upper
		case strings.ToLower(part) == part:
			part = titled(part)
		}
		out = append(out, part)
	}
	return strings.Join(out, " ")
}

// titled begins each word with a capital letter.
func titled(s string) string {
	out := []rune(s)
	first := true
	for i, r := range out {
		if first {
			out[i] = unicode.ToTitle(r)
		}
		first = !unicode.IsLetter(r)
	}
	return string(out)
}

// camels splits a name where the class of letters changes. Models
// github.com/fatih/camelcase.
func camels(s string) []string {
	var runs [][]rune
	last := 0
	for _, r := range s {
		class := 4
		switch {
		case unicode.IsLower(r):
			class = 1
		case unicode.IsUpper(r):
			class = 2
		case unicode.IsDigit(r):
			class = 3
		}
		if class == last {
			runs[len(runs)-1] = append(runs[len(runs)-1], r)
		} else {
			runs = append(runs, []rune{r})
		}
		last = class
	}
	for i := 0; i < len(runs)-1; i++ {
		if unicode.IsUpper(runs[i][0]) && unicode.IsLower(runs[i+1][0]) {
			n := len(runs[i]) - 1
			runs[i+1] = append([]rune{runs[i][n]}, runs[i+1]...)
			runs[i] = runs[i][:n]
		}
	}
	var out []string
	for _, r := range runs {
		if len(r) > 0 {
			out = append(out, string(r))
		}
	}
	return out
}

// mergeUpper joins an acronym with the word that follows it.
func mergeUpper(parts []string) []string {
	var out []string
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		if i+1 < len(parts) && len(p) >= 2 && strings.ToUpper(p) == p && unicode.IsUpper(rune(parts[i+1][0])) {
			out = append(out, p+parts[i+1])
			i++
			continue
		}
		out = append(out, p)
	}
	return out
}
