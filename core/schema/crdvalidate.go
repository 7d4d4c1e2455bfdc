package schema

import (
	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

func validateCRD(c *CRD, crd object.Object) []*api.FieldError { return nil }

func (s *Schema) validateEmbedded(obj *object.Map) []*api.FieldError { return nil }
