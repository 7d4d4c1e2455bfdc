package reconcile

import (
	"context"
	"errors"

	"github.com/reconcile-playground/reconcile/core/api"
)

// Cloud is the client of the world outside the cluster. Nothing there is cached:
// every call goes out. Errors are *api.CloudError; one that is not NotFound or
// BadRequest says nothing about whether the call was carried out.
type Cloud struct{}

// List returns the things of a type that have all of these tags, in the order
// in which they were made.
func (Cloud) List(ctx context.Context, kind string, tags map[string]string) ([]api.CloudItem, error) {
	resp := call(ctx, api.CloudRequest{Verb: api.List, Type: kind, Tags: tags})
	return resp.Items, resp.Err
}

// Create makes a new thing, each time it is called, whatever is there already.
func (Cloud) Create(ctx context.Context, kind, name string, tags map[string]string) (api.CloudItem, error) {
	resp := call(ctx, api.CloudRequest{Verb: api.Create, Type: kind, Name: name, Tags: tags})
	if resp.Err != nil {
		return api.CloudItem{}, resp.Err
	}
	return resp.Items[0], nil
}

// Delete deletes a thing. One that is not there is an error: see IsGone.
func (Cloud) Delete(ctx context.Context, kind, id string) error {
	return call(ctx, api.CloudRequest{Verb: api.Delete, Type: kind, ID: id}).Err
}

// IsGone reports whether an error of the cloud says that there is no such thing.
func IsGone(err error) bool {
	var c *api.CloudError
	return errors.As(err, &c) && c.Reason == api.ReasonNotFound
}

func call(ctx context.Context, req api.CloudRequest) api.CloudResponse {
	w := WireFrom(ctx)
	w.At(caller())
	return w.Cloud(req)
}
