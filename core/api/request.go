package api

import (
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Verb is what is asked of the API server, in the words of RBAC.
type Verb string

// The verbs. A patch of any type, server-side apply included, is Patch.
const (
	Get              Verb = "get"
	List             Verb = "list"
	Watch            Verb = "watch"
	Create           Verb = "create"
	Update           Verb = "update"
	Patch            Verb = "patch"
	Delete           Verb = "delete"
	DeleteCollection Verb = "deletecollection"
	// Discover asks for a discovery document or any other path that is no
	// resource; Request.Path names it.
	Discover Verb = "discover"
)

// Writes reports whether the verb may change the cluster.
func (v Verb) Writes() bool {
	switch v {
	case Create, Update, Patch, Delete, DeleteCollection:
		return true
	}
	return false
}

// PatchType is a patch's content type.
type PatchType string

// The patch types.
const (
	JSONPatch           PatchType = "application/json-patch+json"
	MergePatch          PatchType = "application/merge-patch+json"
	StrategicMergePatch PatchType = "application/strategic-merge-patch+json"
	ApplyPatch          PatchType = "application/apply-patch+yaml"
)

// As is the form in which an answer is wanted.
type As string

// The forms: the object itself, a Table for printers, or metadata alone.
const (
	AsObject  As = ""
	AsTable   As = "Table"
	AsPartial As = "PartialObjectMetadata"
	// AsWrongPartial is metadata in the form that does not fit: that of a list for
	// one object, or that of an object for a list. It is refused.
	AsWrongPartial As = "WrongPartialObjectMetadata"
	// AsDiscovery is all that a server serves in one document; a Discover request
	// for /api or /apis may ask for it.
	AsDiscovery As = "APIGroupDiscoveryList"
	// AsUnacceptable stands for forms of which none is offered, AsUnknown for media
	// types of which none is known, AsUnstreamed for a format in which nothing is
	// watched. All are refused.
	AsUnacceptable As = "Unacceptable"
	AsUnknown      As = "Unknown"
	AsUnstreamed   As = "Unstreamed"
)

// Request is one request to the API server. The zero value of every field
// means "not given".
type Request struct {
	// Verb is empty for a method of HTTP that no verb stands for.
	Verb Verb
	// Path is the URL path of a Discover request, or of one that would be but for
	// its method.
	Path string

	object.GVR
	// Namespace is empty for cluster-scoped resources and for lists over all
	// namespaces.
	Namespace string
	// Name is the one in the URL: empty for a create, whose name is in Body.
	Name        string
	Subresource string

	// Body is the decoded body: the object of a create or update, the patch
	// (a *object.List for JSON patch), DeleteOptions of a delete.
	// Where it is nil, RawBody is the body as sent, in RawType
	// ("application/json" or "application/yaml"; others are refused), and the server
	// decodes it.
	Body    any
	RawBody []byte
	RawType string

	PatchType PatchType
	As        As
	// AsVersion is the version of the form, where it is not "v1".
	AsVersion string
	// UserAgent is what the client calls itself; the default field manager is
	// its part before the slash.
	UserAgent string
	// Live is for a get or a list that the server has to answer even where the
	// caller has a cache.
	Live bool

	Options
}

// Options are the query parameters of a request, as in metav1's *Options. On a
// delete the fields of a DeleteOptions body are in Body and win.
type Options struct {
	ResourceVersion      string
	ResourceVersionMatch string
	LabelSelector        string
	FieldSelector        string
	Limit                int64
	Continue             string
	// DryRun holds the values given: "All" is the one that is understood.
	DryRun          []string
	FieldManager    string
	FieldValidation string
	Force           *bool

	OrphanDependents  *bool
	PropagationPolicy *string
	// UID is the precondition of a delete, as ResourceVersion is, too.
	UID                string
	GracePeriodSeconds *int64
	// IgnoreStoreReadError is ignoreStoreReadErrorWithClusterBreakingPotential: a
	// delete of what cannot be read.
	IgnoreStoreReadError bool

	// IncludeObject says what goes with a row of a Table: "None", "Metadata"
	// (which empty means) or "Object".
	IncludeObject string

	AllowWatchBookmarks bool
	SendInitialEvents   *bool
	TimeoutSeconds      *int64
}

// Ref names the object asked for, with the kind unknown to a request: Kind
// holds the resource's plural.
func (r Request) Ref() object.Ref {
	return object.Ref{Group: r.Group, Kind: r.Resource, Namespace: r.Namespace, Name: r.Name}
}

// Object returns Body as an object; the zero Object where it is none.
func (r Request) Object() object.Object {
	m, _ := r.Body.(*object.Map)
	return object.New(m)
}

// Response is the answer to one request. Exactly one of Object, List, Table,
// Status and Raw is set.
type Response struct {
	// Code is the HTTP status code.
	Code int
	// Object is the object asked for, or as it is after the write.
	Object object.Object
	List   *ObjectList
	// Table is a meta.k8s.io/v1 Table.
	Table object.Object
	// Status is an error, or the success of a delete that left no object.
	Status *Status
	// Raw is a document that is no object, of type RawType.
	Raw     []byte
	RawType string
	// Warnings are the texts of Warning headers.
	Warnings []string
	// Watch is the answer to a watch that was accepted: where it begins.
	Watch *WatchStart
}

// Err returns the answer's Status where it is a failure, else nil. A failure
// that came as plain text (the 404 of a path that nothing serves) is the Status
// that client-go makes of it.
func (r Response) Err() error {
	switch {
	case r.Status != nil && r.Status.Status == Failure:
		return r.Status
	case r.Status == nil && r.Code == 404:
		return failure(404, ReasonNotFound, "the server could not find the requested resource", &Details{})
	case r.Status == nil && r.Code >= 400:
		return failure(r.Code, ReasonUnknown, "the server rejected our request for an unknown reason", &Details{})
	}
	return nil
}

// ObjectList is a list's items with what stands in its metadata. Items are in
// the order of their keys and are shared with the store: immutable.
type ObjectList struct {
	// GVK is the kind of the list itself, such as WebAppList.
	GVK                object.GVK
	ResourceVersion    string
	Continue           string
	RemainingItemCount *int64
	Items              []object.Object
}

// WatchStart says from where a watch that was accepted sends events: every
// change of a revision above Revision, of the objects that Request selects.
type WatchStart struct {
	Revision int64
	// Initial are ADDED events to be sent first (a watch without a
	// resourceVersion, or "0", or with sendInitialEvents).
	Initial []WatchEvent
}

// EventType is the type of a watch event.
type EventType string

// The types of watch events.
const (
	Added    EventType = "ADDED"
	Modified EventType = "MODIFIED"
	Deleted  EventType = "DELETED"
	Bookmark EventType = "BOOKMARK"
	// Error ends the watch; the event's Object is a Status.
	Error EventType = "ERROR"
)

// WatchEvent is one line of a watch.
type WatchEvent struct {
	Type EventType
	// Object is the object after the change; for DELETED as it was last, with
	// the resourceVersion of the deletion.
	Object object.Object
	// Revision is the store's revision of the change.
	Revision int64
}

// Doer makes calls. A reconciler's Doer parks it until the scheduler serves
// the call; the answer may be a fault. Calls are made one at a time.
type Doer interface {
	// Do makes one request to the API server.
	Do(Request) Response
	// Cloud makes one request to the cloud.
	Cloud(CloudRequest) CloudResponse
	// Now is the virtual time.
	Now() time.Time
}
