package apiserver

import (
	"fmt"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
)

// The regular expression and the text of a key of data.
const (
	configMapKeyFmt = "[-._a-zA-Z0-9]+"
	configMapKeyMsg = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
)

func matchesConfigMapKey(v string) bool {
	for i := range len(v) {
		if !api.Alphanumeric(v[i]) && strings.IndexByte("-._", v[i]) < 0 {
			return false
		}
	}
	return v != ""
}

// A nameCheck returns what is wrong with a name. Models
// validation.ValidateNameFunc; prefix is set for a generateName.
type nameCheck func(name string, prefix bool) []string

// maskTrailingDash makes a prefix that ends in a dash one that ends well.
func maskTrailingDash(name string) string {
	if len(name) > 1 && strings.HasSuffix(name, "-") {
		return name[:len(name)-2] + "a"
	}
	return name
}

func nameIsDNSSubdomain(name string, prefix bool) []string {
	if prefix {
		name = maskTrailingDash(name)
	}
	return api.IsDNS1123Subdomain(name)
}

func nameIsDNSLabel(name string, prefix bool) []string {
	if prefix {
		name = maskTrailingDash(name)
	}
	return api.IsDNS1123Label(name)
}

// nameIsPathSegment takes every name that can stand in a URL path. Models
// path.ValidatePathSegmentName.
func nameIsPathSegment(name string, prefix bool) []string {
	if prefix {
		return pathSegmentPrefix(name)
	}
	switch name {
	case ".", "..":
		return []string{fmt.Sprintf("may not be '%s'", name)}
	}
	return pathSegmentPrefix(name)
}

func pathSegmentPrefix(name string) []string {
	var errs []string
	for _, illegal := range []string{"/", "%"} {
		if strings.Contains(name, illegal) {
			errs = append(errs, fmt.Sprintf("may not contain '%s'", illegal))
		}
	}
	return errs
}

// isConfigMapKey checks a key of data. Models validation.IsConfigMapKey.
func isConfigMapKey(v string) []string {
	var errs []string
	if len(v) > 253 {
		errs = append(errs, api.MaxLenError(253))
	}
	if !matchesConfigMapKey(v) {
		errs = append(errs, api.RegexError(configMapKeyMsg, configMapKeyFmt, "key.name", "KEY_NAME", "key-name"))
	}
	switch {
	case v == ".":
		errs = append(errs, "must not be '.'")
	case v == "..":
		errs = append(errs, "must not be '..'")
	case strings.HasPrefix(v, ".."):
		errs = append(errs, "must not start with '..'")
	}
	return errs
}
