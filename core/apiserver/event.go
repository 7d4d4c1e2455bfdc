package apiserver

import (
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

var objectReferenceType = structOf("v1", "ObjectReference",
	field("kind", stringType), field("namespace", stringType), field("name", stringType), field("uid", uidType),
	field("apiVersion", stringType), field("resourceVersion", stringType), field("fieldPath", stringType))

// wide is a column that is only seen with more width.
func wide(name, kind, description string) *schema.Column {
	c := column(name, kind, description)
	c.Priority = 1
	return c
}

// eventColumns have the name last. Models printers/internalversion.
var eventColumns = []*schema.Column{
	column("Last Seen", "string", "The time at which the most recent occurrence of this event was recorded."),
	column("Type", "string", "Type of this event (Normal, Warning), new types could be added in the future"),
	column("Reason", "string", "This should be a short, machine understandable string that gives the reason for the transition into the object's current status."),
	column("Object", "string", "The object that this event is about."),
	wide("Subobject", "string", "If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: \"spec.containers{name}\" (where \"name\" refers to the name of the container that triggered the event) or if no container name is specified \"spec.containers[2]\" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object."),
	wide("Source", "string", "The component reporting this event. Should be a short machine understandable string."),
	column("Message", "string", "A human-readable description of the status of this operation."),
	wide("First Seen", "string", "The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)"),
	wide("Count", "string", "The number of times this event has occurred."),
	{Name: "Name", Type: "string", Format: "name", Description: nameColumnDescription, Priority: 1},
}

// eventSource is what the field label source stands for: a name, where the field is
// a struct. Models ToSelectableFields.
func eventSource(o object.Object) string {
	return either(o.Str("source", "component"), o.Str("reportingComponent"))
}

func eventCells(o object.Object, now time.Time) []any {
	first := o.Str("firstTimestamp")
	if first == "" {
		first = o.Str("eventTime")
	}
	last := o.Str("lastTimestamp")
	if last == "" {
		last = first
	}
	count, _ := o.Int("count")
	if o.Map("series") != nil {
		last = o.Str("series", "lastObservedTime")
		count, _ = o.Int("series", "count")
	} else if count == 0 {
		count = 1
	}
	about := lower(o.Str("involvedObject", "kind"))
	if name := o.Str("involvedObject", "name"); name != "" {
		about += "/" + name
	}
	source := eventSource(o)
	if host := either(o.Str("source", "host"), o.Str("reportingInstance")); host != "" {
		source += ", " + host
	}
	return []any{since(last, now), o.Str("type"), o.Str("reason"), about, o.Str("involvedObject", "fieldPath"), source,
		strings.TrimSpace(o.Str("message")), since(first, now), count, o.Name()}
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// validateEvent asks more of an event with an eventTime, which is one of the newer
// kind. Models legacyValidateEvent.
func validateEvent(o object.Object) []*api.FieldError {
	var errs []*api.FieldError
	ns := o.Str("involvedObject", "namespace")
	if o.Str("eventTime") == "" {
		if ns != o.Namespace() && !(ns == "" && o.Namespace() == "default") {
			errs = append(errs, invalid("involvedObject.namespace", ns, "does not match event.namespace"))
		}
		return errs
	}
	if ns == "" && o.Namespace() != "default" && o.Namespace() != "kube-system" {
		errs = append(errs, invalid("involvedObject.namespace", ns, "does not match event.namespace"))
	}
	for _, key := range []string{"reportingComponent", "reportingInstance", "action", "reason"} {
		text := o.Str(key)
		if text == "" {
			errs = append(errs, required(key, ""))
		}
		switch {
		case key == "reportingComponent":
			for _, msg := range api.IsLabelKey(text) {
				errs = append(errs, invalid(key, text, msg))
			}
		case len(text) > 128:
			errs = append(errs, invalid(key, "", "can have at most 128 characters"))
		}
	}
	if len(o.Str("message")) > 1024 {
		errs = append(errs, invalid("message", "", "can have at most 1024 characters"))
	}
	return errs
}

// eventKind models k8s.io/kubernetes/pkg/registry/core/event.
func eventKind() *kind {
	k := coreKind("Event", "events", []string{"ev"},
		always("involvedObject", objectReferenceType, emptyStruct), field("reason", stringType), field("message", stringType),
		always("source", structOf("v1", "EventSource", field("component", stringType), field("host", stringType)), emptyStruct),
		always("firstTimestamp", timeType, nil), always("lastTimestamp", timeType, nil), field("count", int32Type), field("type", stringType),
		always("eventTime", microTimeType, nil),
		field("series", structOf("v1", "EventSeries", field("count", int32Type), always("lastObservedTime", microTimeType, nil))),
		field("action", stringType), field("related", objectReferenceType),
		always("reportingComponent", stringType, ""), always("reportingInstance", stringType, ""))
	k.ownName = true
	k.Columns = eventColumns
	k.cells = eventCells
	k.strategy = strategy{
		unconditional: true, createsOnUpdate: true, noGarbageCollection: true,
		structs: map[string]any{"involvedObject": map[string]any{}, "source": map[string]any{}, "reportingComponent": "", "reportingInstance": "",
			"firstTimestamp": nil, "lastTimestamp": nil, "eventTime": nil},
		fieldLabels: atPaths("involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
			"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath",
			"reason", "reportingComponent", "type"),
		validate:       func(_ *Server, o object.Object) []*api.FieldError { return validateEvent(o) },
		validateUpdate: func(_ *Server, o, _ object.Object, _ string) []*api.FieldError { return validateEvent(o) },
	}
	k.fieldLabels["source"] = eventSource
	return k
}
