package schema

import (
	"slices"

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
	// What the webhook itself must be like is not checked: none is called.
	client := hook.Map("clientConfig")
	if client == nil {
		v.required("spec.conversion.webhookClientConfig", "required when strategy is set to Webhook")
	} else if client.Has("url") == client.Has("service") {
		v.required("spec.conversion.webhookClientConfig", "exactly one of url or service is required")
	}
	const path = "spec.conversion.conversionReviewVersions"
	switch versions := (node{hook.Root()}).strings("conversionReviewVersions"); {
	case len(versions) == 0:
		v.required(path, "")
	case !slices.Contains(versions, "v1") && !slices.Contains(versions, "v1beta1"):
		v.invalid(path, object.FromAny(versions), "must include at least one of v1, v1beta1")
	}
}
