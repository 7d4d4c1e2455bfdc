package rest

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// Format is how an answer is written.
type Format string

// The formats.
const (
	JSON Format = "application/json"
	YAML Format = "application/yaml"
)

// mediaTypes are those of bodies that are taken.
var mediaTypes = []string{string(JSON), string(YAML)}

// offered is how the real server lists what it can do.
const offered = "application/json, application/yaml, application/vnd.kubernetes.protobuf"

// negotiate reads an Accept header: the first clause that can be served wins.
func negotiate(accept string) (Format, api.As, bool) {
	if accept == "" {
		return JSON, api.AsObject, true
	}
	for clause := range strings.SplitSeq(accept, ",") {
		params := strings.Split(clause, ";")
		var format Format
		switch strings.TrimSpace(params[0]) {
		case "application/json", "*/*", "application/*":
			format = JSON
		case "application/yaml":
			format = YAML
		default:
			continue
		}
		if as, ok := formOf(params[1:]); ok {
			return format, as, true
		}
	}
	return JSON, api.AsObject, false
}

// asPartialList is what a client asked for; whether it fits is seen later.
const asPartialList api.As = "PartialObjectMetadataList"

// formOf reads the parameters of a clause: a form is of a known kind, group and
// version.
func formOf(params []string) (api.As, bool) {
	named := map[string]string{}
	for _, p := range params {
		key, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		named[key] = value
	}
	as := api.As(named["as"])
	switch as {
	case api.AsObject:
		return as, true
	case api.AsDiscovery:
		return as, named["g"] == "apidiscovery.k8s.io" && (named["v"] == "v2" || named["v"] == "v2beta1")
	case api.AsTable, api.AsPartial, asPartialList:
		known := named["g"] == "meta.k8s.io" && (named["v"] == "v1" || named["v"] == "v1beta1")
		return as, known
	}
	return as, false
}

// fitForm judges the form that was asked for by what is answered.
func fitForm(req *api.Request) {
	list := req.Verb == api.List || req.Verb == api.DeleteCollection
	switch {
	case req.As == asPartialList && !list && req.Verb != api.Watch, req.As == api.AsPartial && list:
		req.As = api.AsWrongPartial
	case req.As == asPartialList:
		req.As = api.AsPartial
	}
}

func notAcceptable() *api.Status {
	return &api.Status{Status: api.Failure, Code: 406, Reason: api.ReasonNotAcceptable,
		Message: "only the following media types are accepted: " + offered}
}

// notStreamed refuses a watch in YAML.
func notStreamed() *api.Status {
	return &api.Status{Status: api.Failure, Code: 406, Reason: api.ReasonNotAcceptable,
		Message: "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"}
}

func unsupportedMediaType() *api.Status {
	return &api.Status{Status: api.Failure, Code: 415, Reason: api.ReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " + offered}
}

// HTTPResponse is what an HTTP answer carries.
type HTTPResponse struct {
	Code        int
	ContentType string
	// Warnings are the values of Warning headers.
	Warnings []string
	Body     []byte
}

// EncodeStatus writes an error, or the success of a delete.
func EncodeStatus(status *api.Status, format Format) HTTPResponse {
	return EncodeResponse(api.Response{Code: status.Code, Status: status}, format)
}

// warningQuoter escapes a warning's text. Models net.NewWarningHeader.
var warningQuoter = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// EncodeResponse writes an answer. The answer to a watch that was accepted has
// its initial events as body; what follows is written by EncodeEvent.
func EncodeResponse(resp api.Response, format Format) HTTPResponse {
	h := HTTPResponse{Code: resp.Code, ContentType: string(format)}
	for _, text := range resp.Warnings {
		h.Warnings = append(h.Warnings, `299 - "`+warningQuoter.Replace(text)+`"`)
	}
	switch {
	case resp.Raw != nil:
		h.Body, h.ContentType = resp.Raw, resp.RawType
	case resp.Watch != nil:
		for _, e := range resp.Watch.Initial {
			h.Body = append(h.Body, EncodeEvent(e)...)
		}
	case resp.Status != nil:
		h.Body = encode(resp.Status.Object().Root(), format)
	case resp.List != nil:
		h.Body = encode(List(resp.List), format)
	case !resp.Table.IsZero():
		h.Body = encode(resp.Table.Root(), format)
	default:
		h.Body = encode(resp.Object.Root(), format)
	}
	return h
}

func encode(m *object.Map, format Format) []byte {
	if format == YAML {
		return object.EncodeFoldedYAML(m)
	}
	return append(object.EncodeJSON(m), '\n')
}

// EncodeEvent writes one line of a watch.
func EncodeEvent(e api.WatchEvent) []byte {
	line := object.EncodeJSON(object.NewMap(
		object.Field{Key: "type", Value: string(e.Type)}, object.Field{Key: "object", Value: e.Object.Root()}))
	return append(line, '\n')
}

// builtinGroups are those whose kinds are Go types of the real server. Their
// lists are written in another way than those of custom resources.
var builtinGroups = []string{
	"", "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "apps", "authentication.k8s.io",
	"authorization.k8s.io", "autoscaling", "batch", "certificates.k8s.io", "coordination.k8s.io", "discovery.k8s.io",
	"events.k8s.io", "flowcontrol.apiserver.k8s.io", "meta.k8s.io", "networking.k8s.io", "node.k8s.io", "policy",
	"rbac.authorization.k8s.io", "resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io", "storagemigration.k8s.io",
}

// List writes a list as the server sends it: items of built-in kinds without
// apiVersion and kind, and an empty continue only for custom resources.
func List(l *api.ObjectList) *object.Map {
	custom := !slices.Contains(builtinGroups, l.GVK.Group)
	partial := l.GVK.Group == "meta.k8s.io"
	meta := object.NewMap(object.Field{Key: "resourceVersion", Value: l.ResourceVersion})
	if custom || l.Continue != "" {
		meta = meta.With("continue", l.Continue)
	}
	if l.RemainingItemCount != nil {
		meta = meta.With("remainingItemCount", *l.RemainingItemCount)
	}
	items := make([]any, len(l.Items))
	for i, o := range l.Items {
		items[i] = o.Root()
		if !custom && !partial {
			items[i] = o.Root().Without("apiVersion").Without("kind")
		}
	}
	var list any = object.NewList(items...)
	if partial && len(items) == 0 {
		list = nil
	}
	return object.NewMap(
		object.Field{Key: "apiVersion", Value: l.GVK.APIVersion()}, object.Field{Key: "kind", Value: l.GVK.Kind},
		object.Field{Key: "metadata", Value: meta}, object.Field{Key: "items", Value: list})
}
