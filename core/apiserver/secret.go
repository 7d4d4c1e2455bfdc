package apiserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// secretKind models k8s.io/kubernetes/pkg/registry/core/secret.
func secretKind() *kind {
	k := coreKind("Secret", "secrets", nil,
		pointer("immutable", boolType), field("data", mapOf(bytesType)), field("stringData", stringMap), field("type", textNamed("v1.SecretType")))
	k.Columns = []*schema.Column{
		column("Type", "string", "Used to facilitate programmatic handling of secret data. More info: https://kubernetes.io/docs/concepts/configuration/secret/#secret-types"),
		column("Data", "string", "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, representing the arbitrary (possibly non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4"),
		builtinAge,
	}
	k.cells = func(o object.Object, now time.Time) []any {
		return []any{o.Str("type"), int64(o.Map("data").Len()), age(o, now)}
	}
	k.strategy = strategy{
		unconditional: true, defaults: defaultSecret, exact: "data", fieldLabels: atPaths("type"),
		validate: func(_ *Server, o object.Object) []*api.FieldError {
			return append(validateCoreMeta(o, true, nameIsDNSSubdomain), validateSecretData(o)...)
		},
		validateUpdate: func(_ *Server, o, old object.Object, _ string) []*api.FieldError {
			errs := validateCoreMetaUpdate(o, old)
			if o.Str("type") != old.Str("type") {
				errs = append(errs, invalid("type", o.Str("type"), fieldImmutable))
			}
			if old.Bool("immutable") {
				errs = append(errs, validateImmutable(o, old, "data")...)
			}
			errs = append(errs, validateCoreMeta(o, true, nameIsDNSSubdomain)...)
			return append(errs, validateSecretData(o)...)
		},
		warnings: secretWarnings,
	}
	return k
}

// secretWarnings warn of a certificate or key that is none. Models
// warningsForSecret, as far as the text of the two tells.
func secretWarnings(o, _ object.Object) []string {
	if o.Str("type") != "kubernetes.io/tls" {
		return nil
	}
	for _, part := range []struct{ key, name string }{{"tls.crt", "certificate"}, {"tls.key", "key"}} {
		text, _ := base64.StdEncoding.DecodeString(o.Str("data", part.key))
		if !strings.Contains(string(text), "-----BEGIN ") {
			return []string{"tls: failed to find any PEM data in " + part.name + " input"}
		}
	}
	return nil
}

// defaultSecret sets the type and folds stringData into data.
func defaultSecret(o object.Object) object.Object {
	if o.Str("type") == "" {
		o = o.Set("Opaque", "type")
	}
	for k, v := range o.Map("stringData").All() {
		s, _ := v.(string)
		o = o.Set(base64.StdEncoding.EncodeToString([]byte(s)), "data", k)
	}
	return o.Unset("stringData")
}

// validateSecretData checks the keys of data, and what the type asks of it.
// Models core validation.ValidateSecret.
func validateSecretData(o object.Object) []*api.FieldError {
	var errs []*api.FieldError
	size := 0
	for k, v := range o.Map("data").All() {
		for _, msg := range isConfigMapKey(k) {
			errs = append(errs, invalid(fmt.Sprintf("data[%s]", k), k, msg))
		}
		s, _ := v.(string)
		size += base64.StdEncoding.DecodedLen(len(s))
	}
	if size > maxSecretSize {
		errs = append(errs, &api.FieldError{Type: api.FieldTooLong, Field: "data", Detail: fmt.Sprintf("may not be more than %d bytes", maxSecretSize)})
	}
	return append(errs, validateSecretType(o)...)
}

// validateSecretType checks what the well-known types ask of a secret.
func validateSecretType(o object.Object) []*api.FieldError {
	data := o.Map("data")
	missing := func(keys ...string) []*api.FieldError {
		var errs []*api.FieldError
		for _, k := range keys {
			if !data.Has(k) {
				errs = append(errs, required("data["+k+"]", ""))
			}
		}
		return errs
	}
	switch o.Str("type") {
	case "kubernetes.io/service-account-token":
		const key = "kubernetes.io/service-account.name"
		if o.Str("metadata", "annotations", key) == "" {
			return []*api.FieldError{required("metadata.annotations["+key+"]", "")}
		}
	case "kubernetes.io/dockercfg":
		return validateSecretJSON(data, ".dockercfg")
	case "kubernetes.io/dockerconfigjson":
		return validateSecretJSON(data, ".dockerconfigjson")
	case "kubernetes.io/basic-auth":
		if !data.Has("username") && !data.Has("password") {
			return missing("username", "password")
		}
	case "kubernetes.io/ssh-auth":
		const key = "ssh-privatekey"
		if o.Str("data", key) == "" {
			return []*api.FieldError{required("data["+key+"]", "")}
		}
	case "kubernetes.io/tls":
		return missing("tls.crt", "tls.key")
	}
	return nil
}

// validateSecretJSON wants a JSON object under a key.
func validateSecretJSON(data *object.Map, key string) []*api.FieldError {
	v, ok := data.Get(key)
	if !ok {
		return []*api.FieldError{required("data["+key+"]", "")}
	}
	encoded, _ := v.(string)
	text, _ := base64.StdEncoding.DecodeString(encoded)
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		return []*api.FieldError{invalid("data["+key+"]", "<secret contents redacted>", err.Error())}
	}
	return nil
}
