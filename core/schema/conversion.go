package schema

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// conversion checks spec.conversion. Models validateCustomResourceConversion.
func (v *crdValidator) conversion() {
	m := v.object.Map("spec", "conversion")
	if m == nil {
		return
	}
	strategy := node{m}.str("strategy")
	if strategy != "None" && v.object.Bool("spec", "preserveUnknownFields") {
		v.invalid("spec.conversion.strategy", strategy, "must be None if spec.preserveUnknownFields is true")
	}
	v.enum("spec.conversion.strategy", strategy, "None", "Webhook")
	hook := object.New(node{m}.tree("webhook"))
	if strategy != "Webhook" {
		if hook.Map("clientConfig") != nil {
			v.forbidden("spec.conversion.webhookClientConfig", "should not be set when strategy is not set to Webhook")
		}
		if hook.List("conversionReviewVersions").Len() > 0 {
			v.forbidden("spec.conversion.conversionReviewVersions", "should not be set when strategy is not set to Webhook")
		}
		return
	}
	const path = "spec.conversion.webhookClientConfig"
	switch client := hook.Map("clientConfig"); {
	case client == nil:
		v.required(path, "required when strategy is set to Webhook")
	case client.Has("url") == client.Has("service"):
		v.required(path, "exactly one of url or service is required")
	case client.Has("url"):
		v.webhookURL(path+".url", node{client}.str("url"))
	default:
		v.webhookService(path+".service", node{node{client}.tree("service")})
	}
	v.reviewVersions("spec.conversion.conversionReviewVersions", node{hook.Root()}.strings("conversionReviewVersions"))
}

// webhookURL models webhook.ValidateWebhookURL.
func (v *crdValidator) webhookURL(path, text string) {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(text)
	if err != nil {
		v.required(path, "url must be a valid URL: "+err.Error()+form)
		return
	}
	if u.Scheme != "https" {
		v.invalid(path, u.Scheme, "'https' is the only allowed URL scheme"+form)
	}
	if u.Host == "" {
		v.invalid(path, "", "host must be specified"+form)
	}
	if u.User != nil {
		v.invalid(path, u.User.String(), "user information is not permitted in the URL")
	}
	if u.Fragment != "" {
		v.invalid(path, u.Fragment, "fragments are not permitted in the URL")
	}
	if u.RawQuery != "" {
		v.invalid(path, u.RawQuery, "query parameters are not permitted in the URL")
	}
}

// webhookService models webhook.ValidateWebhookService, which is called with
// name and namespace in each other's place.
func (v *crdValidator) webhookService(path string, service node) {
	if service.str("namespace") == "" {
		v.required(path+".name", "")
	}
	if service.str("name") == "" {
		v.required(path+".namespace", "")
	}
	if port := service.integer("port"); port != nil && (*port < 1 || *port > 65535) {
		v.invalid(path+".port", *port, "port is not valid: must be between 1 and 65535, inclusive")
	}
	at := service.str("path")
	switch at {
	case "", "/":
		return
	case "//":
		v.invalid(path+".path", at, "segment[0] may not be empty")
		return
	}
	if at[0] != '/' {
		v.invalid(path+".path", at, "must start with a '/'")
	}
	for i, step := range strings.Split(strings.TrimSuffix(at[1:], "/"), "/") {
		if step == "" {
			v.invalid(path+".path", at, fmt.Sprintf("segment[%d] may not be empty", i))
			continue
		}
		for _, bad := range api.IsDNS1123Subdomain(step) {
			v.invalid(path+".path", at, fmt.Sprintf("segment[%d]: %s", i, bad))
		}
	}
}

// reviewVersions models validateConversionReviewVersions.
func (v *crdValidator) reviewVersions(path string, versions []string) {
	if len(versions) == 0 {
		v.required(path, "")
		return
	}
	for i, name := range versions {
		if slices.Contains(versions[:i], name) {
			v.invalid(index(path, i), name, "duplicate version")
			continue
		}
		for _, bad := range api.IsDNS1035Label(name) {
			v.invalid(index(path, i), name, bad)
		}
	}
	if !slices.Contains(versions, "v1") && !slices.Contains(versions, "v1beta1") {
		v.invalid(path, object.FromAny(versions), "must include at least one of v1, v1beta1")
	}
}
