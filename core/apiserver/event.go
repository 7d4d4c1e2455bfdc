package apiserver

import (
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

var objectReferenceType = structOf("v1", "ObjectReference",
	field("kind", stringType), field("namespace", stringType), field("name", stringType), field("uid", uidType),
	field("apiVersion", stringType), field("resourceVersion", stringType), field("fieldPath", stringType))

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
	k.Columns = []*schema.Column{
		column("Last Seen", "string", "The time at which the most recent occurrence of this event was recorded."),
		column("Type", "string", "Type of this event (Normal, Warning), new types could be added in the future"),
		column("Reason", "string", "This should be a short, machine understandable string that gives the reason for the transition into the object's current status."),
		column("Object", "string", "The object that this event is about."),
		column("Message", "string", "A human-readable description of the status of this operation."),
	}
	k.cells = func(o object.Object, now time.Time) []any {
		last := o.Str("lastTimestamp")
		if last == "" {
			last = o.Str("eventTime")
		}
		about := lower(o.Str("involvedObject", "kind")) + "/" + o.Str("involvedObject", "name")
		return []any{since(last, now), o.Str("type"), o.Str("reason"), about, o.Str("message")}
	}
	k.strategy = strategy{
		unconditional: true, noGarbageCollection: true,
		structs: map[string]any{"involvedObject": map[string]any{}, "source": map[string]any{}, "reportingComponent": "", "reportingInstance": "",
			"firstTimestamp": nil, "lastTimestamp": nil, "eventTime": nil},
		fieldLabels: []string{"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
			"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath",
			"reason", "reportingComponent", "source", "type"},
		validate: func(_ *Server, o object.Object) []*api.FieldError {
			errs := validateCoreMeta(o, true, nameIsDNSSubdomain)
			if ns := o.Str("involvedObject", "namespace"); ns != o.Namespace() && !(ns == "" && o.Namespace() == "default") {
				errs = append(errs, invalid("involvedObject.namespace", ns, "does not match event.namespace"))
			}
			return errs
		},
	}
	return k
}
