package apiserver

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// What the OpenAPI document says of fields that every object has.
const (
	apiVersionDescription = "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources"
	kindDescription       = "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds"
	metadataDescription   = "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
	objectMetaRef         = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
)

// openAPI is the OpenAPI v3 document of a group version of custom resources: the
// schemas of their kinds, without paths, and without those of Kubernetes itself
// that they refer to. A group version of built-in kinds has none. Models
// apiextensions-apiserver/pkg/controller/openapi/builder.
func (s *Server) openAPI(group, version string) api.Response {
	schemas := object.NewMap()
	for _, k := range s.kinds.list {
		if k.Custom && k.GVR.Group == group && k.GVR.Version == version {
			schemas = schemas.With(schemaName(group, version, k.Kind), s.published(k))
		}
	}
	if schemas.Len() == 0 {
		return pageNotFound()
	}
	return document(object.NewMap(object.Field{Key: "openapi", Value: "3.0.0"},
		object.Field{Key: "info", Value: object.FromAny(map[string]any{"title": "Kubernetes CRD Swagger", "version": "v0.1.0"})},
		object.Field{Key: "paths", Value: object.NewMap()},
		object.Field{Key: "components", Value: object.NewMap(object.Field{Key: "schemas", Value: schemas})}))
}

// schemaName is a kind's name in a document: com.example.lab.v1.WebApp.
func schemaName(group, version, kind string) string {
	parts := strings.Split(group, ".")
	out := make([]string, 0, len(parts)+2)
	for i := len(parts) - 1; i >= 0; i-- {
		out = append(out, parts[i])
	}
	return strings.Join(append(out, version, kind), ".")
}

// published is the schema of a custom resource as its definition has it, with
// the fields that every object has.
func (s *Server) published(k *kind) *object.Map {
	var raw *object.Map
	if definition, ok := s.store.Get("/registry/" + crdPath + "/" + k.crd.Name); ok {
		for _, v := range definition.List("spec", "versions").All() {
			m, _ := v.(*object.Map)
			if version := object.New(m); version.Str("name") == k.GVR.Version {
				raw = version.Map("schema", "openAPIV3Schema")
			}
		}
	}
	properties, _ := raw.Get("properties")
	fields, _ := properties.(*object.Map)
	text := func(description string) *object.Map {
		return object.NewMap(object.Field{Key: "description", Value: description}, object.Field{Key: "type", Value: "string"})
	}
	meta := object.NewMap(object.Field{Key: "description", Value: metadataDescription},
		object.Field{Key: "allOf", Value: object.NewList(object.NewMap(object.Field{Key: "$ref", Value: objectMetaRef}))})
	fields = fields.With("apiVersion", text(apiVersionDescription)).With("kind", text(kindDescription)).With("metadata", meta)
	gvk := object.NewMap(object.Field{Key: "group", Value: k.GVR.Group}, object.Field{Key: "version", Value: k.GVR.Version},
		object.Field{Key: "kind", Value: k.Kind})
	return raw.With("type", "object").With("properties", fields).With("x-kubernetes-group-version-kind", object.NewList(gvk))
}
