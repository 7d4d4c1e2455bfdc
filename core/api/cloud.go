package api

import (
	"maps"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// CloudRequest is one call to the world outside the cluster.
type CloudRequest struct {
	// Verb is Create, List, Get or Delete.
	Verb Verb
	// Type is the kind of thing: "lb" or "db".
	Type string
	// ID is what Get and Delete name.
	ID string
	// Name is given at Create; at List it selects, empty selecting all.
	Name string
	// Tags are given at Create; at List each one selects.
	Tags map[string]string
}

// String prints the call as one types it: "cloud lb create --name a --tag webapp=default/a".
func (r CloudRequest) String() string {
	words := []string{"cloud", r.Type, string(r.Verb)}
	if r.ID != "" {
		words = append(words, r.ID)
	}
	if r.Name != "" {
		words = append(words, "--name", r.Name)
	}
	for _, k := range slices.Sorted(maps.Keys(r.Tags)) {
		words = append(words, "--tag", k+"="+r.Tags[k])
	}
	return strings.Join(words, " ")
}

// CloudItem is one thing in the cloud. Its Tags are never changed.
type CloudItem struct {
	ID      string            `json:"id"`
	Type    string            `json:"type"`
	Name    string            `json:"name"`
	Address string            `json:"address"`
	Tags    map[string]string `json:"tags"`
}

// Object returns the item as a tree, as `cloud` prints it.
func (i CloudItem) Object() object.Object {
	return object.New(object.NewMap(
		object.Field{Key: "id", Value: i.ID}, object.Field{Key: "type", Value: i.Type},
		object.Field{Key: "name", Value: i.Name}, object.Field{Key: "address", Value: i.Address},
		object.Field{Key: "tags", Value: object.StringMap(i.Tags)},
	))
}

// CloudResponse is the cloud's answer.
type CloudResponse struct {
	// Items holds the created or found item, or the list in order of id.
	Items []CloudItem
	// Err is nil or a *CloudError.
	Err error
}

// CloudError is a call that failed.
type CloudError struct {
	// Reason is NotFound, BadRequest, or Unavailable where the call failed or
	// its reply was lost.
	Reason string
	// Message is what `cloud` prints on stderr, such as "not found: lb-0007".
	Message string
}

// Error returns the message.
func (e *CloudError) Error() string { return e.Message }
