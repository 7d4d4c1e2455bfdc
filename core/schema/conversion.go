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
	client := hook.Map("clientConfig")
	if client == nil {
		v.required("spec.conversion.webhookClientConfig", "required when strategy is set to Webhook")
	} else if client.Has("url") == client.Has("service") {
		v.required("spec.conversion.webhookClientConfig", "exactly one of url or service is required")
	} else if address, ok := client.Get("url"); ok {
		v.webhookURL("spec.conversion.webhookClientConfig.url", address)
	} else {
		v.webhookService("spec.conversion.webhookClientConfig.service", node{node{client}.tree("service")})
	}
	const path = "spec.conversion.conversionReviewVersions"
	versions := node{hook.Root()}.strings("conversionReviewVersions")
	for i, version := range versions {
		at := fmt.Sprintf("%s[%d]", path, i)
		if slices.Contains(versions[:i], version) {
			v.invalid(at, version, "duplicate version")
			continue
		}
		for _, bad := range api.IsDNS1035Label(version) {
			v.invalid(at, version, bad)
		}
	}
	switch {
	case len(versions) == 0:
		v.required(path, "")
	case !slices.Contains(versions, "v1") && !slices.Contains(versions, "v1beta1"):
		v.invalid(path, object.FromAny(versions), "must include at least one of v1, v1beta1")
	}
}

// webhookURL models webhook.ValidateWebhookURL.
func (v *crdValidator) webhookURL(path string, address any) {
	const form = "; desired format: https://host[/path]"
	text, _ := address.(string)
	u, err := url.Parse(text)
	if err != nil {
		v.required(path, "url must be a valid URL: "+err.Error()+form)
		return
	}
	if u.Scheme != "https" {
		v.invalid(path, u.Scheme, "'https' is the only allowed URL scheme"+form)
	}
	if u.Host == "" {
		v.invalid(path, u.Host, "host must be specified"+form)
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

// webhookService models webhook.ValidateWebhookService.
func (v *crdValidator) webhookService(path string, service node) {
	for _, key := range []string{"name", "namespace"} {
		if service.str(key) == "" {
			v.required(path+"."+key, "")
		}
	}
	if port := service.integer("port"); port != nil && (*port < 1 || *port > 65535) {
		v.invalid(path+".port", *port, "port is not valid: must be between 1 and 65535, inclusive")
	}
	address := service.str("path")
	if address == "" || address == "/" {
		return
	}
	if address[0] != '/' {
		v.invalid(path+".path", address, "must start with a '/'")
	}
	for i, segment := range strings.Split(strings.TrimSuffix(address[1:], "/"), "/") {
		if segment == "" {
			v.invalid(path+".path", address, fmt.Sprintf("segment[%d] may not be empty", i))
			continue
		}
		for _, bad := range api.IsDNS1123Subdomain(segment) {
			v.invalid(path+".path", address, fmt.Sprintf("segment[%d]: %v", i, bad))
		}
	}
}
