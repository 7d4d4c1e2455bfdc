package apiserver

import (
	"fmt"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

const nameColumnDescription = "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"

// table is a meta.k8s.io/v1 Table of objects: a column for the name, those of
// the kind, and one row for each object. Models the tableconvertor of
// apiextensions-apiserver and k8s.io/kubernetes/pkg/printers.
func (s *Server) table(k *kind, req *api.Request, objects []object.Object, meta *object.Map) object.Object {
	columns := object.NewList()
	if !k.ownName {
		columns = columns.Append(columnDefinition(&schema.Column{Name: "Name", Type: "string", Format: "name", Description: nameColumnDescription}))
	}
	for _, c := range k.Columns {
		columns = columns.Append(columnDefinition(c))
	}
	var all any
	rows := make([]any, len(objects))
	for i, o := range objects {
		cells := k.cellsOf(o, s.now)
		if !k.ownName {
			cells = append([]any{o.Name()}, cells...)
		}
		rows[i] = object.NewMap(
			object.Field{Key: "cells", Value: object.NewList(cells...)},
			object.Field{Key: "object", Value: rowObject(req, o)})
	}
	if len(rows) > 0 || !k.nullRows {
		all = object.NewList(rows...)
	}
	return object.New(object.NewMap(
		object.Field{Key: "kind", Value: "Table"}, object.Field{Key: "apiVersion", Value: formVersion(req).APIVersion()},
		object.Field{Key: "metadata", Value: meta},
		object.Field{Key: "columnDefinitions", Value: columns},
		object.Field{Key: "rows", Value: all}))
}

func columnDefinition(c *schema.Column) *object.Map {
	return object.NewMap(
		object.Field{Key: "name", Value: c.Name}, object.Field{Key: "type", Value: c.Type},
		object.Field{Key: "format", Value: c.Format}, object.Field{Key: "description", Value: c.Description},
		object.Field{Key: "priority", Value: c.Priority})
}

// rowObject is what goes with a row; a bookmark keeps its annotation.
func rowObject(req *api.Request, o object.Object) any {
	switch {
	case req.IncludeObject == "Object":
		return o.Root()
	case req.IncludeObject == "None" && o.Str("metadata", "annotations", initialEventsEnd) == "":
		return nil
	}
	return partial(req, o).Root()
}

func (k *kind) cellsOf(o object.Object, now time.Time) []any {
	if k.cells != nil {
		return k.cells(o, now)
	}
	cells := make([]any, len(k.Columns))
	for i, c := range k.Columns {
		cells[i] = customCell(c, k.paths[i], o, now)
	}
	return cells
}

// customCell prints one printer column of a custom resource; null where there
// is nothing, or something of another type.
func customCell(c *schema.Column, path *object.JSONPath, o object.Object, now time.Time) any {
	if path == nil {
		return nil
	}
	found, err := path.Find(o.Root(), true)
	if err != nil || len(found) == 0 || len(found[0]) == 0 {
		return nil
	}
	v := found[0][0]
	if c.Type == "string" {
		if v == nil {
			// As text/template prints it.
			return "<no value>"
		}
		return object.PathText(v)
	}
	return typedCell(c.Type, v, now)
}

// typedCell models tableconvertor.cellForJSONValue.
func typedCell(kind string, v any, now time.Time) any {
	switch v := v.(type) {
	case int64:
		switch kind {
		case "integer":
			return v
		case "number":
			return float64(v)
		}
	case float64:
		switch kind {
		case "integer":
			return object.Truncated(v)
		case "number":
			return v
		}
	case bool:
		if kind == "boolean" {
			return v
		}
	case string:
		if kind == "date" {
			return since(v, now)
		}
	}
	return nil
}

// age prints how old an object is.
func age(o object.Object, now time.Time) string {
	return since(o.Str("metadata", "creationTimestamp"), now)
}

// since prints how long ago a time is. Models
// metatable.ConvertToHumanReadableDateType.
func since(text string, now time.Time) string {
	if text == "" {
		return "<unknown>"
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "<invalid>"
	}
	return humanDuration(now.Sub(t))
}

// humanDuration models k8s.io/apimachinery/pkg/util/duration.HumanDuration.
func humanDuration(d time.Duration) string {
	seconds := int(d.Seconds())
	minutes, hours := int(d/time.Minute), int(d/time.Hour)
	days, years := hours/24, hours/24/365
	// two prints a large unit, and what is left over in a smaller one.
	two := func(n int, unit string, rest int, small string) string {
		if rest == 0 {
			return fmt.Sprintf("%d%s", n, unit)
		}
		return fmt.Sprintf("%d%s%d%s", n, unit, rest, small)
	}
	switch {
	case seconds < -1:
		return "<invalid>"
	case seconds < 0:
		return "0s"
	case seconds < 60*2:
		return fmt.Sprintf("%ds", seconds)
	case minutes < 10:
		return two(minutes, "m", seconds%60, "s")
	case minutes < 60*3:
		return fmt.Sprintf("%dm", minutes)
	case hours < 8:
		return two(hours, "h", minutes%60, "m")
	case hours < 48:
		return fmt.Sprintf("%dh", hours)
	case hours < 24*8:
		return two(days, "d", hours%24, "h")
	case hours < 24*365*2:
		return fmt.Sprintf("%dd", days)
	case hours < 24*365*8:
		return two(years, "y", days%365, "d")
	}
	return fmt.Sprintf("%dy", years)
}

// checkInclude refuses rows of an unknown form.
func checkInclude(req *api.Request) *api.Status {
	switch req.IncludeObject {
	case "", "None", "Metadata", "Object":
		return nil
	}
	if req.As != api.AsTable {
		return nil
	}
	err := invalid("includeObject", req.IncludeObject, "must be 'Metadata', 'Object', 'None', or empty")
	return api.NewBadRequest("Unable to convert to Table as requested: " + err.Error())
}

// noList and isList refuse metadata alone in the form that does not fit.
func (k *kind) noList() *api.Status {
	if k.Custom {
		return plainError("content is not a list")
	}
	return notAcceptable("you requested PartialObjectMetadataList, but the requested object is not a list (*" + k.internal + ")")
}

func (k *kind) isList() *api.Status {
	list := k.internal + "List"
	if k.Custom {
		list = "unstructured.UnstructuredList"
	}
	return notAcceptable("you requested PartialObjectMetadata, but the requested object is a list (*" + list + ")")
}

func notAcceptable(message string) *api.Status {
	return &api.Status{Status: api.Failure, Code: 406, Reason: api.ReasonNotAcceptable, Message: message}
}
