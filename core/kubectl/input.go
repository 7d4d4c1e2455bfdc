package kubectl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// document is one object of a file, or why it is none.
type document struct {
	source string
	root   *object.Map
	err    error
}

const stdinName = "STDIN"

// source is a file that is read, or standard input.
type source struct{ name string }

// sources lists the files that -f names. Models Builder.FilenameParam.
func (q *query) sources() ([]source, []error) {
	var out []source
	var errs []error
	stdin := false
	for _, name := range q.files {
		switch {
		case name == "-":
			if stdin {
				errs = append(errs, errorf("standard input cannot be used for multiple arguments"))
			}
			stdin, q.stream = true, true
			out = append(out, source{stdinName})
		case strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://"):
			errs = append(errs, errorf("unable to read URL %q, there is no network here: write the file down and name it", name))
		default:
			more, err := q.folder(name)
			if err != nil {
				errs = append(errs, err)
			}
			if len(more) > 1 {
				q.folders = true
			}
			out = append(out, more...)
		}
	}
	return out, errs
}

// folder lists a file, or the files of a folder.
func (q *query) folder(name string) ([]source, error) {
	if _, err := q.c.readFile(name); err == nil {
		return []source{{name}}, nil
	}
	var names []string
	err := fs.ErrNotExist
	if q.c.env.ReadDir != nil {
		names, err = q.c.env.ReadDir(name)
	}
	if err != nil {
		return nil, errorf("the path %q does not exist", name)
	}
	var out []source
	for _, n := range names {
		full := path.Join(name, n)
		if _, err := q.c.readFile(full); err == nil {
			switch path.Ext(n) {
			case ".json", ".yaml", ".yml":
				out = append(out, source{full})
			}
		} else if q.recursive {
			more, err := q.folder(full)
			if err != nil {
				return out, err
			}
			out = append(out, more...)
		}
	}
	if len(out) == 0 && !q.recursive {
		return nil, errorf("error reading [%s]: recognized file extensions are [.json .yaml .yml]", name)
	}
	return out, nil
}

// text reads a source.
func (c *call) text(s source) ([]byte, error) {
	if s.name == stdinName {
		return c.readStdin()
	}
	text, err := c.readFile(s.name)
	if err != nil {
		return nil, openError(s.name, err)
	}
	return text, nil
}

// openError prints as os.Open's does.
func openError(name string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("no such file or directory")
	}
	return fmt.Errorf("open %s: %w", name, err)
}

// documents reads all objects of a text, YAML or JSON. What breaks off the
// reading is the last one's error. Models yaml.YAMLOrJSONDecoder.
func documents(name string, text []byte) []document {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	syntax := "" // what is wrong with a text that looks like JSON, if it is not YAML either
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		at := len(text) - len(trimmed)
		if docs, ok := jsonDocuments(name, trimmed, at+len(trimmed)); ok {
			return docs
		}
		if _, err := object.DecodeJSON(trimmed); err != nil {
			syntax = jsonProblem(err, at)
			if syntax == endOfText {
				return []document{{source: name, err: errorf("error parsing %s: %s", name, syntax)}}
			}
		}
	}
	var out []document
	for part := range yamlParts(string(text)) {
		v, _, err := object.DecodeYAMLBody([]byte(part))
		if err != nil && syntax != "" {
			return append(out, document{source: name, err: errorf("error parsing %s: %s", name, syntax)})
		}
		if err != nil {
			return append(out, document{source: name, err: errorf("error parsing %s: error converting YAML to JSON: %s", name, yamlText(err))})
		}
		switch root := v.(type) {
		case nil:
		case *object.Map:
			out = append(out, document{source: name, root: root})
		default:
			out = append(out, document{source: name, err: notAnObject(name)})
		}
	}
	return out
}

// endOfText is a JSON text that breaks off.
const endOfText = "unexpected EOF"

// jsonProblem words an error of a JSON text that begins at an offset of its file.
func jsonProblem(err error, at int) string {
	var e *json.SyntaxError
	switch {
	case err.Error() == "unexpected end of JSON input":
		return endOfText
	case errors.As(err, &e):
		return fmt.Sprintf("json: offset %d: %v", e.Offset+int64(at), err)
	}
	return err.Error()
}

func yamlText(err error) string {
	var y *object.YAMLError
	if errors.As(err, &y) {
		return y.Parser()
	}
	return err.Error()
}

// notAnObject is the error about a document that is a list, a text or a number.
func notAnObject(name string) error {
	return errorf("error validating %q: error validating data: invalid object to validate; if you choose to ignore these errors, turn validation off with --validate=false", name)
}

// yamlParts splits a text at its document separators.
func yamlParts(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		start := 0
		for at := 0; at < len(text); {
			end := strings.IndexByte(text[at:], '\n')
			next := len(text)
			if end >= 0 {
				next = at + end + 1
			}
			if line := text[at:next]; strings.HasPrefix(line, "---") && strings.TrimRight(line[3:], " \t\r\n") == "" {
				if !yield(text[start:at]) {
					return
				}
				start = next
			}
			at = next
		}
		yield(text[start:])
	}
}

// jsonDocuments reads JSON values that follow each other; ok says whether the
// text is JSON at all. whole is how long the file is that the text ends.
func jsonDocuments(name string, text []byte, whole int) (docs []document, ok bool) {
	for len(text) > 0 {
		end := jsonEnd(text)
		if end < 0 {
			end = len(text)
		}
		v, err := object.DecodeJSON(text[:end])
		if err != nil {
			if len(docs) == 0 {
				return nil, false
			}
			return append(docs, document{source: name, err: errorf("error parsing %s: %s", name, jsonProblem(err, whole-len(text)))}), true
		}
		root, isMap := v.(*object.Map)
		if !isMap {
			return nil, false
		}
		docs = append(docs, document{source: name, root: root})
		text = bytes.TrimLeft(text[end:], " \t\r\n")
		if len(text) > 0 && text[0] != '{' {
			return nil, false
		}
	}
	return docs, len(docs) > 0
}

// jsonEnd returns where the value at the beginning of a text ends; -1 where it
// does not.
func jsonEnd(text []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// checkDocument makes sure that a document is an object of Kubernetes. strict
// says that the command validates.
func checkDocument(d document, strict bool) error {
	o := object.New(d.root)
	if missing := unnamed(d.root); strict && len(missing) > 0 {
		text := strings.Join(missing, ", ")
		if len(missing) > 1 {
			text = "[" + text + "]"
		}
		return errorf("error validating %q: error validating data: %s; if you choose to ignore these errors, turn validation off with --validate=false", d.source, text)
	}
	if _, _, ok := object.ParseAPIVersion(o.APIVersion()); strict && !ok {
		return errorf("error validating %q: error validating data: unexpected GroupVersion string: %s; if you choose to ignore these errors, turn validation off with --validate=false", d.source, o.APIVersion())
	}
	if o.Kind() == "" {
		return errorf("unable to decode %q: Object 'Kind' is missing in '%s'", d.source, object.EncodeJSON(d.root))
	}
	if err := checkMetadata(d.root); err != nil {
		return errorf("unable to decode %q: %v", d.source, err)
	}
	return nil
}

// metadataTypes are the Go types of metadata that a decoder complains about.
var metadataTypes = []struct{ key, kind string }{
	{"name", "string"}, {"generateName", "string"}, {"namespace", "string"}, {"uid", "types.UID"}, {"resourceVersion", "string"},
	{"labels", "map[string]string"}, {"annotations", "map[string]string"}, {"finalizers", "[]string"},
	{"ownerReferences", "[]v1.OwnerReference"}, {"generation", "int64"},
}

// checkMetadata is what decoding metadata into its Go type refuses.
func checkMetadata(root *object.Map) error {
	v, ok := root.Get("metadata")
	if !ok || v == nil {
		return nil
	}
	meta, ok := v.(*object.Map)
	if !ok {
		return errorf("json: cannot unmarshal %s into Go struct field metadataOnlyObject.metadata of type v1.ObjectMeta", jsonKind(v))
	}
	for _, t := range metadataTypes {
		v, ok := meta.Get(t.key)
		if !ok || v == nil {
			continue
		}
		if bad, kind := misfit(v, t.kind); bad != nil {
			return errorf("json: cannot unmarshal %s into Go struct field ObjectMeta.metadata.%s of type %s", jsonKind(bad), t.key, kind)
		}
	}
	return nil
}

// misfit returns the value that does not fit a Go type, and that type.
func misfit(v any, kind string) (any, string) {
	switch kind {
	case "map[string]string":
		m, ok := v.(*object.Map)
		if !ok {
			return v, kind
		}
		for _, x := range m.All() {
			if _, text := x.(string); !text && x != nil {
				return x, "string"
			}
		}
	case "[]string", "[]v1.OwnerReference":
		l, ok := v.(*object.List)
		if !ok {
			return v, kind
		}
		for _, x := range l.All() {
			_, text := x.(string)
			_, tree := x.(*object.Map)
			if kind == "[]string" && !text && x != nil {
				return x, "string"
			}
			if kind != "[]string" && !tree {
				return x, "v1.OwnerReference"
			}
		}
	case "int64":
		if _, ok := v.(int64); !ok {
			return v, kind
		}
	default:
		if _, ok := v.(string); !ok {
			return v, kind
		}
	}
	return nil, ""
}

func jsonKind(v any) string {
	switch v := v.(type) {
	case *object.Map:
		return "object"
	case *object.List:
		return "array"
	case bool:
		return "bool"
	case float64:
		return "number " + strconv.FormatFloat(v, 'f', -1, 64)
	case int64:
		return "number"
	}
	return "string"
}

// unnamed says what an object, or an item of a List, lacks of its version and
// kind.
func unnamed(root *object.Map) []string {
	o := object.New(root)
	var missing []string
	if o.APIVersion() == "" {
		missing = append(missing, "apiVersion not set")
	}
	if o.Kind() == "" {
		missing = append(missing, "kind not set")
	}
	if o.APIVersion() != "v1" || o.Kind() != "List" {
		return missing
	}
	for _, x := range o.List("items").All() {
		item, _ := x.(*object.Map)
		for _, m := range unnamed(item) {
			if item != nil && !slices.Contains(missing, m) {
				missing = append(missing, m)
			}
		}
	}
	return missing
}
