package apiserver

import (
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
	"github.com/reconcile-playground/reconcile/core/store"
)

// noPreconditions ask nothing.
var noPreconditions store.Preconditions

// builtinVerbs are those of a built-in kind, in the order of its discovery
// document.
var builtinVerbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}

// builtinKinds are the kinds that the server serves without a definition.
func builtinKinds() []*kind {
	list := []*kind{configMapKind(), secretKind(), namespaceKind(), serviceKind(), eventKind(), crdKind()}
	for _, k := range list {
		k.managers = builtinManagers(k)
	}
	return list
}

// coreKind is a namespaced kind of the core group with the fields given beside
// apiVersion, kind and metadata.
func coreKind(name, plural string, short []string, fields ...*goField) *kind {
	all := append([]*goField{field("apiVersion", stringType), field("kind", stringType), pointer("metadata", objectMetaType)}, fields...)
	return &kind{
		Resource: Resource{
			GVR:  object.GVR{Version: "v1", Resource: plural},
			Kind: name, ListKind: name + "List", Singular: lower(name), ShortNames: short, Namespaced: true,
		},
		typed: structOf("v1", name, all...), internal: "core." + name, storagePath: plural, verbs: builtinVerbs,
	}
}

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func column(name, kind, description string) *schema.Column {
	return &schema.Column{Name: name, Type: kind, Description: description}
}

// builtinAge is the Age column of a built-in kind.
var builtinAge = column("Age", "string", ageColumn.Description)
