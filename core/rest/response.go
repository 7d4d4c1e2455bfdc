package rest

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

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
// its initial events as body; what follows is written by a Stream.
func EncodeResponse(resp api.Response, format Format) HTTPResponse {
	format = format.of(resp.Code >= 400)
	h := HTTPResponse{Code: resp.Code, ContentType: string(format)}
	for _, text := range resp.Warnings {
		h.Warnings = append(h.Warnings, `299 - "`+warningQuoter.Replace(text)+`"`)
	}
	switch {
	case resp.Raw != nil:
		h.Body, h.ContentType = resp.Raw, resp.RawType
	case resp.Watch != nil:
		var stream Stream
		for _, e := range resp.Watch.Initial {
			h.Body = append(h.Body, stream.Encode(e)...)
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

// Stream writes the lines of one watch: of Tables only the first one has columns.
type Stream struct{ begun bool }

// Encode writes the next line.
func (s *Stream) Encode(e api.WatchEvent) []byte {
	if s.begun && e.Object.Kind() == "Table" && e.Object.GVK().Group == "meta.k8s.io" {
		e.Object = e.Object.Set(nil, "columnDefinitions")
	}
	s.begun = true
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
