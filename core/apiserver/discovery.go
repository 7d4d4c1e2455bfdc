package apiserver

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/digest"
	"github.com/reconcile-playground/reconcile/core/object"
)

// gitVersion is the Kubernetes whose behaviour was recorded.
const gitVersion = "v1.37.2"

// discover serves the paths that are no resource. Models
// k8s.io/apiserver/pkg/endpoints/discovery.
func (s *Server) discover(req *api.Request) api.Response {
	resp := s.discovered(req)
	if req.Verb != api.Discover && resp.Code == 200 && getOnly(req.Path) {
		return failed(methodNotAllowed())
	}
	switch {
	case resp.Object.IsZero():
	case req.As == api.AsUnknown && getOnly(req.Path):
		return failed(unknownType(false))
	case (req.As == api.AsUnacceptable || req.As == api.AsUnknown) && req.Path != "/version":
		return failed(notAcceptable("only the following media types are accepted: " + bodyTypes))
	}
	return resp
}

// getOnly reports whether a document is given for a GET alone. Those of other
// groups are given for any method.
func getOnly(path string) bool {
	path = strings.TrimSuffix(path, "/")
	return path == "/version" || path == "/api" || path == "/api/v1" || path == "/apis/apiextensions.k8s.io/v1"
}

func (s *Server) discovered(req *api.Request) api.Response {
	path := req.Path
	if path != "/" {
		path = strings.TrimSuffix(path, "/")
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case strings.HasPrefix(path, "/api") && parts[len(parts)-1] == "watch" && len(parts) > 2:
		return api.Response{Code: 500, RawType: "text/plain; charset=utf-8",
			Raw: fmt.Appendf(nil, "Internal Server Error: %q: failed to create RequestInfo: unable to determine kind and namespace from url, %s\n", path, path)}
	case req.As == api.AsDiscovery && (path == "/api" || path == "/apis"):
		return document(s.kinds.aggregated(path == "/api"))
	case path == "/version":
		return document(object.NewMap(object.Field{Key: "major", Value: "1"}, object.Field{Key: "minor", Value: "37"},
			object.Field{Key: "gitVersion", Value: gitVersion}, object.Field{Key: "platform", Value: "js/wasm"}))
	case path == "/healthz" || path == "/livez" || path == "/readyz":
		return api.Response{Code: 200, Raw: []byte("ok"), RawType: "text/plain; charset=utf-8"}
	case path == "/api":
		return document(object.NewMap(object.Field{Key: "kind", Value: "APIVersions"},
			object.Field{Key: "versions", Value: object.Strings("v1")}, object.Field{Key: "serverAddressByClientCIDRs", Value: object.NewList()}))
	case path == "/apis":
		return s.groupList()
	case len(parts) == 2 && parts[0] == "api" && parts[1] == "v1":
		return s.resourceList("", "v1")
	case len(parts) == 2 && parts[0] == "apis":
		if g := s.group(parts[1]); g != nil {
			return document(g.With("kind", "APIGroup").With("apiVersion", "v1"))
		}
	case len(parts) == 5 && parts[0] == "openapi" && parts[1] == "v3" && parts[2] == "apis":
		return s.openAPI(parts[3], parts[4])
	case len(parts) == 3 && parts[0] == "apis":
		return s.resourceList(parts[1], parts[2])
	}
	if parts[0] == "api" {
		return failed(notFoundGeneric())
	}
	return pageNotFound()
}

func document(m *object.Map) api.Response { return api.Response{Code: 200, Object: object.New(m)} }

// pageNotFound is what net/http says of a path that no one serves.
func pageNotFound() api.Response {
	return api.Response{Code: 404, Raw: []byte("404 page not found\n"), RawType: "text/plain; charset=utf-8"}
}

// unknownResource is the answer to a resource that is not served: a Status
// where the group is built in, else a bare page.
func (s *Server) unknownResource(gvr object.GVR) api.Response {
	for _, k := range s.kinds.list {
		if gvr.Group == "" || !k.Custom && k.GVR.Group == gvr.Group {
			return failed(notFoundGeneric())
		}
	}
	return pageNotFound()
}

// versions lists the versions of a group, the preferred one first.
func (s *Server) versions(group string) []string {
	var out []string
	for _, k := range s.kinds.list {
		if k.GVR.Group == group && !slices.Contains(out, k.GVR.Version) {
			out = append(out, k.GVR.Version)
		}
	}
	slices.SortStableFunc(out, compareVersions)
	return out
}

// group is the APIGroup of a name, without kind and apiVersion; nil for one
// that is not served.
func (s *Server) group(name string) *object.Map {
	versions := s.versions(name)
	if len(versions) == 0 || name == "" {
		return nil
	}
	list := object.NewList()
	for _, v := range versions {
		list = list.Append(object.NewMap(object.Field{Key: "groupVersion", Value: name + "/" + v}, object.Field{Key: "version", Value: v}))
	}
	return object.NewMap(object.Field{Key: "name", Value: name}, object.Field{Key: "versions", Value: list},
		object.Field{Key: "preferredVersion", Value: list.At(0)})
}

func (s *Server) groupList() api.Response {
	var names []string
	for _, k := range s.kinds.list {
		if g := k.GVR.Group; g != "" && !slices.Contains(names, g) {
			names = append(names, g)
		}
	}
	groups := object.NewList()
	for _, n := range names {
		groups = groups.Append(s.group(n))
	}
	return document(object.NewMap(object.Field{Key: "kind", Value: "APIGroupList"}, object.Field{Key: "apiVersion", Value: "v1"},
		object.Field{Key: "groups", Value: groups}))
}

func (s *Server) resourceList(group, version string) api.Response {
	resources := object.NewList()
	for _, k := range s.kinds.list {
		if k.GVR.Group != group || k.GVR.Version != version {
			continue
		}
		resources = resources.Append(k.apiResource())
		for _, sub := range []string{"finalize", "status"} {
			if _, ok := k.subresources[sub]; ok {
				resources = resources.Append(k.apiSubresource(sub))
			}
		}
		if k.scales() {
			resources = resources.Append(object.FromAny(map[string]any{"name": k.GVR.Resource + "/scale", "singularName": "", "namespaced": k.Namespaced,
				"group": "autoscaling", "version": "v1", "kind": "Scale", "verbs": []string{"get", "patch", "update"}}))
		}
	}
	if resources.Len() == 0 {
		return s.unknownResource(object.GVR{Group: group, Version: version})
	}
	return document(object.NewMap(object.Field{Key: "kind", Value: "APIResourceList"}, object.Field{Key: "apiVersion", Value: "v1"},
		object.Field{Key: "groupVersion", Value: object.GVR{Group: group, Version: version}.APIVersion()},
		object.Field{Key: "resources", Value: resources}))
}

// apiResource is a kind's entry in a discovery document.
func (k *kind) apiResource() *object.Map {
	m := object.NewMap(object.Field{Key: "name", Value: k.GVR.Resource}, object.Field{Key: "singularName", Value: k.Singular},
		object.Field{Key: "namespaced", Value: k.Namespaced}, object.Field{Key: "kind", Value: k.Kind},
		object.Field{Key: "verbs", Value: object.Strings(k.verbs...)},
		object.Field{Key: "storageVersionHash", Value: storageVersionHash(k)})
	if len(k.ShortNames) > 0 {
		m = m.With("shortNames", object.Strings(k.ShortNames...))
	}
	if len(k.Categories) > 0 {
		m = m.With("categories", object.Strings(k.Categories...))
	}
	return m
}

func (k *kind) apiSubresource(name string) *object.Map {
	verbs := []string{"get", "patch", "update"}
	if name == "finalize" {
		verbs = []string{"update"}
	}
	return object.NewMap(object.Field{Key: "name", Value: k.GVR.Resource + "/" + name}, object.Field{Key: "singularName", Value: ""},
		object.Field{Key: "namespaced", Value: k.Namespaced}, object.Field{Key: "kind", Value: k.Kind},
		object.Field{Key: "verbs", Value: object.Strings(verbs...)})
}

// storageVersionHash models discovery.StorageVersionHash.
func storageVersionHash(k *kind) string {
	version := either(k.oldVersion, k.GVR.Version)
	if k.storageVersion != "" {
		_, version, _ = object.ParseAPIVersion(k.storageVersion)
	}
	sum := digest.SHA256([]byte(k.GVR.Group + "/" + version + "/" + k.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}
