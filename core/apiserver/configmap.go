package apiserver

import (
	"fmt"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// configMapKind models k8s.io/kubernetes/pkg/registry/core/configmap.
func configMapKind() *kind {
	k := coreKind("ConfigMap", "configmaps", []string{"cm"},
		pointer("immutable", boolType), field("data", stringMap), field("binaryData", mapOf(bytesType)))
	k.Columns = []*schema.Column{
		column("Data", "string", "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process."),
		builtinAge,
	}
	k.cells = func(o object.Object, now time.Time) []any {
		return []any{int64(o.Map("data").Len() + o.Map("binaryData").Len()), age(o, now)}
	}
	k.strategy = strategy{
		unconditional: true, exact: "binaryData",
		validate: func(_ *Server, o object.Object) []*api.FieldError {
			return append(validateCoreMeta(o, true, nameIsDNSSubdomain), validateConfigMapData(o)...)
		},
		validateUpdate: func(_ *Server, o, old object.Object, _ string) []*api.FieldError {
			errs := validateCoreMetaUpdate(o, old)
			if old.Bool("immutable") {
				errs = append(errs, validateImmutable(o, old, "data", "binaryData")...)
			}
			errs = append(errs, validateCoreMeta(o, true, nameIsDNSSubdomain)...)
			return append(errs, validateConfigMapData(o)...)
		},
	}
	return k
}

// validateCoreMeta is validateObjectMeta with what kinds of the core group ask
// beyond it.
func validateCoreMeta(o object.Object, namespaced bool, check nameCheck) []*api.FieldError {
	return append(validateObjectMeta(o, object.Object{}, namespaced, check), validateKubeFinalizers(o)...)
}

// validateCoreMetaUpdate is validateObjectMetaUpdate with that.
func validateCoreMetaUpdate(o, old object.Object) []*api.FieldError {
	return append(validateObjectMetaUpdate(o, old), validateKubeFinalizers(o)...)
}

// validateImmutable refuses changes of an object that says it has none. A map that
// was applied empty is one where there was none.
func validateImmutable(o, old object.Object, fields ...string) []*api.FieldError {
	var errs []*api.FieldError
	if !o.Bool("immutable") {
		errs = append(errs, forbidden("immutable", "field is immutable when `immutable` is set"))
	}
	for _, f := range fields {
		if !object.Equal(o.Map(f), old.Map(f)) || o.Map("metadata", unread).Has(f) {
			errs = append(errs, forbidden(f, "field is immutable when `immutable` is set"))
		}
	}
	return errs
}

// maxSecretSize bounds the data of a ConfigMap or Secret: 1 MiB.
const maxSecretSize = 1024 * 1024

func validateConfigMapData(o object.Object) []*api.FieldError {
	var errs []*api.FieldError
	size := 0
	for _, f := range []string{"data", "binaryData"} {
		for k, v := range o.Map(f).All() {
			for _, msg := range isConfigMapKey(k) {
				errs = append(errs, invalid(fmt.Sprintf("%s[%s]", f, k), k, msg))
			}
			if f == "data" && o.Map("binaryData").Has(k) {
				errs = append(errs, invalid(fmt.Sprintf("data[%s]", k), k, "duplicate of key present in binaryData"))
			}
			s, _ := v.(string)
			size += len(s)
		}
	}
	if size > maxSecretSize {
		errs = append(errs, &api.FieldError{Type: api.FieldTooLong, Field: "[]", Detail: fmt.Sprintf("may not be more than %d bytes", maxSecretSize)})
	}
	return errs
}
