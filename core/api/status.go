package api

import (
	"errors"
	"fmt"

	"github.com/reconcile-playground/reconcile/core/object"
)

// The values of Status.Status.
const (
	Success = "Success"
	Failure = "Failure"
)

// The values of Status.Reason that the engine gives, as in metav1.
const (
	ReasonUnknown               = ""
	ReasonNotFound              = "NotFound"
	ReasonAlreadyExists         = "AlreadyExists"
	ReasonConflict              = "Conflict"
	ReasonInvalid               = "Invalid"
	ReasonBadRequest            = "BadRequest"
	ReasonForbidden             = "Forbidden"
	ReasonMethodNotAllowed      = "MethodNotAllowed"
	ReasonNotAcceptable         = "NotAcceptable"
	ReasonUnsupportedMediaType  = "UnsupportedMediaType"
	ReasonInternalError         = "InternalError"
	ReasonServiceUnavailable    = "ServiceUnavailable"
	ReasonUnavailable           = "Unavailable"
	ReasonTimeout               = "Timeout"
	ReasonExpired               = "Expired"
	ReasonGone                  = "Gone"
	ReasonRequestEntityTooLarge = "RequestEntityTooLarge"
)

// Status is metav1.Status: every error of the API server, and the success of a
// delete. A *Status with Status Failure is an error.
type Status struct {
	Status  string
	Message string
	Reason  string
	Details *Details
	Code    int
	// Continue is where a list that expired may go on, as metadata.continue.
	Continue string
}

// Details is metav1.StatusDetails.
type Details struct {
	Name              string
	Group             string
	Kind              string
	UID               string
	Causes            []Cause
	RetryAfterSeconds int
}

// Cause is metav1.StatusCause.
type Cause struct {
	// Reason is a CauseType such as FieldValueInvalid; its JSON key is "reason".
	Reason  string
	Message string
	Field   string
}

// Error returns the message.
func (s *Status) Error() string { return s.Message }

// Object returns the Status as the server sends it: kind Status, apiVersion v1,
// empty metadata; empty fields left out.
func (s *Status) Object() object.Object {
	root := object.NewMap(
		object.Field{Key: "kind", Value: "Status"}, object.Field{Key: "apiVersion", Value: "v1"},
		object.Field{Key: "metadata", Value: withString(object.NewMap(), "continue", s.Continue)},
	)
	root = withString(root, "status", s.Status)
	root = withString(root, "message", s.Message)
	root = withString(root, "reason", s.Reason)
	if s.Details != nil {
		root = root.With("details", s.Details.tree())
	}
	if s.Code != 0 {
		root = root.With("code", int64(s.Code))
	}
	return object.New(root)
}

func (d *Details) tree() *object.Map {
	m := object.NewMap()
	m = withString(m, "name", d.Name)
	m = withString(m, "group", d.Group)
	m = withString(m, "kind", d.Kind)
	m = withString(m, "uid", d.UID)
	if len(d.Causes) > 0 {
		causes := make([]any, len(d.Causes))
		for i, c := range d.Causes {
			cm := withString(object.NewMap(), "reason", c.Reason)
			cm = withString(cm, "message", c.Message)
			causes[i] = withString(cm, "field", c.Field)
		}
		m = m.With("causes", object.NewList(causes...))
	}
	if d.RetryAfterSeconds != 0 {
		m = m.With("retryAfterSeconds", int64(d.RetryAfterSeconds))
	}
	return m
}

func withString(m *object.Map, key, value string) *object.Map {
	if value == "" {
		return m
	}
	return m.With(key, value)
}

// ReasonForError returns the Reason of a Status anywhere in err's chain, and
// ReasonUnknown for any other error. Models apierrors.ReasonForError.
func ReasonForError(err error) string {
	var s *Status
	if errors.As(err, &s) {
		return s.Reason
	}
	return ReasonUnknown
}

// IsNotFound reports whether err says that the object is not there.
func IsNotFound(err error) bool { return ReasonForError(err) == ReasonNotFound }

// IsAlreadyExists reports whether err says that the name is taken.
func IsAlreadyExists(err error) bool { return ReasonForError(err) == ReasonAlreadyExists }

// IsConflict reports whether err says that the write was made from a stale read.
func IsConflict(err error) bool { return ReasonForError(err) == ReasonConflict }

// IsInvalid reports whether err says that the object breaks validation.
func IsInvalid(err error) bool { return ReasonForError(err) == ReasonInvalid }

func failure(code int, reason, message string, d *Details) *Status {
	return &Status{Status: Failure, Code: code, Reason: reason, Message: message, Details: d}
}

// NewNotFound is 404: `webapps.lab.example.com "a" not found`.
func NewNotFound(r object.GVR, name string) *Status {
	return failure(404, ReasonNotFound, fmt.Sprintf("%s %q not found", r.GroupResource(), name),
		&Details{Name: name, Group: r.Group, Kind: r.Resource})
}

// NewAlreadyExists is 409: `webapps.lab.example.com "a" already exists`.
func NewAlreadyExists(r object.GVR, name string) *Status {
	return failure(409, ReasonAlreadyExists, fmt.Sprintf("%s %q already exists", r.GroupResource(), name),
		&Details{Name: name, Group: r.Group, Kind: r.Resource})
}

// NewConflict is 409: `Operation cannot be fulfilled on webapps.lab.example.com "a": ...`.
func NewConflict(r object.GVR, name, why string) *Status {
	return failure(409, ReasonConflict, fmt.Sprintf("Operation cannot be fulfilled on %s %q: %s", r.GroupResource(), name, why),
		&Details{Name: name, Group: r.Group, Kind: r.Resource})
}

// NewBadRequest is 400 with the message as it is.
func NewBadRequest(message string) *Status {
	return failure(400, ReasonBadRequest, message, nil)
}

// NewInternalError is 500: "Internal error occurred: ...".
func NewInternalError(message string) *Status {
	return failure(500, ReasonInternalError, "Internal error occurred: "+message, &Details{Causes: []Cause{{Message: message}}})
}

// NewNoReply is what a client has where no reply came: with no code and no
// reason, as no server said it. The request may have been carried out.
func NewNoReply() *Status {
	return failure(0, ReasonUnknown, "Unable to connect to the server: context deadline exceeded", nil)
}

// NewServiceUnavailable is 503 with the text that the server gives while it
// cannot take requests.
func NewServiceUnavailable() *Status {
	return failure(503, ReasonServiceUnavailable, "the server is currently unable to handle the request", nil)
}
