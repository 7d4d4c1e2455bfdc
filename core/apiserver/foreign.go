package apiserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// foreignKind says why a body of another kind is not taken: the real server
// decodes it as that other kind first.
func (s *Server) foreignKind(k *kind, gvk object.GVK, m *object.Map) error {
	other := s.kinds.builtin(gvk)
	if other != nil && (other.GVR.Group == definitions) != (k.GVR.Group == definitions) {
		// Definitions have a table of types of their own.
		return notRegistered(gvk)
	}
	if other == nil && registered(gvk, k.GVR.Group == definitions) {
		return fmt.Errorf("converting (%s.%s) to (%s): unknown conversion", gvk.Version, gvk.Kind, k.internal)
	}
	if other == nil {
		return notRegistered(gvk)
	}
	if _, _, err := other.decode(m, gvk, object.Object{}); err != nil {
		return err
	}
	return fmt.Errorf("converting (%s) to (%s): unknown conversion", other.typed.name, k.internal)
}

// registeredKinds are kinds that the real server knows beside those served
// here, by group and version. Each has a list, too.
var registeredKinds = map[string]string{
	"v1": "Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node NodeProxyOptions PersistentVolume " +
		"PersistentVolumeClaim Pod PodAttachOptions PodExecOptions PodLogOptions PodPortForwardOptions PodProxyOptions " +
		"PodTemplate RangeAllocation ReplicationController ResourceQuota Secret SerializedReference Service " +
		"ServiceAccount ServiceProxyOptions",
	"admission.k8s.io/v1":                   "AdmissionReview",
	"admission.k8s.io/v1beta1":              "AdmissionReview",
	"admissionregistration.k8s.io/v1":       "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration",
	"admissionregistration.k8s.io/v1alpha1": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding",
	"admissionregistration.k8s.io/v1beta1":  "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration",
	"apps/v1":                               "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
	"apps/v1beta1":                          "ControllerRevision Deployment DeploymentRollback Scale StatefulSet",
	"apps/v1beta2":                          "ControllerRevision DaemonSet Deployment ReplicaSet Scale StatefulSet",
	"authentication.k8s.io/v1":              "SelfSubjectReview TokenRequest TokenReview",
	"authentication.k8s.io/v1alpha1":        "SelfSubjectReview",
	"authentication.k8s.io/v1beta1":         "SelfSubjectReview TokenReview",
	"authorization.k8s.io/v1":               "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
	"authorization.k8s.io/v1beta1":          "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
	"autoscaling/v1":                        "HorizontalPodAutoscaler Scale",
	"autoscaling/v2":                        "HorizontalPodAutoscaler",
	"batch/v1":                              "CronJob Job",
	"batch/v1beta1":                         "CronJob",
	"certificates.k8s.io/v1":                "CertificateSigningRequest ClusterTrustBundle PodCertificateRequest",
	"certificates.k8s.io/v1alpha1":          "ClusterTrustBundle",
	"certificates.k8s.io/v1beta1":           "CertificateSigningRequest ClusterTrustBundle PodCertificateRequest",
	"coordination.k8s.io/v1":                "Lease",
	"coordination.k8s.io/v1alpha2":          "LeaseCandidate",
	"coordination.k8s.io/v1beta1":           "Lease LeaseCandidate",
	"discovery.k8s.io/v1":                   "EndpointSlice",
	"discovery.k8s.io/v1beta1":              "EndpointSlice",
	"events.k8s.io/v1":                      "Event",
	"events.k8s.io/v1beta1":                 "Event",
	"extensions/v1beta1":                    "DaemonSet Deployment DeploymentRollback Ingress NetworkPolicy ReplicaSet Scale",
	"flowcontrol.apiserver.k8s.io/v1":       "FlowSchema PriorityLevelConfiguration",
	"flowcontrol.apiserver.k8s.io/v1beta1":  "FlowSchema PriorityLevelConfiguration",
	"flowcontrol.apiserver.k8s.io/v1beta2":  "FlowSchema PriorityLevelConfiguration",
	"flowcontrol.apiserver.k8s.io/v1beta3":  "FlowSchema PriorityLevelConfiguration",
	"imagepolicy.k8s.io/v1alpha1":           "ImageReview",
	"internal.apiserver.k8s.io/v1alpha1":    "StorageVersion",
	"lifecycle.k8s.io/v1alpha1":             "Eviction EvictionRequest",
	"networking.k8s.io/v1":                  "IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR",
	"networking.k8s.io/v1beta1":             "IPAddress Ingress IngressClass ServiceCIDR",
	"node.k8s.io/v1":                        "RuntimeClass",
	"node.k8s.io/v1alpha1":                  "RuntimeClass",
	"node.k8s.io/v1beta1":                   "RuntimeClass",
	"policy/v1":                             "Eviction PodDisruptionBudget",
	"policy/v1beta1":                        "Eviction PodDisruptionBudget",
	"rbac.authorization.k8s.io/v1":          "ClusterRole ClusterRoleBinding Role RoleBinding",
	"rbac.authorization.k8s.io/v1alpha1":    "ClusterRole ClusterRoleBinding Role RoleBinding",
	"rbac.authorization.k8s.io/v1beta1":     "ClusterRole ClusterRoleBinding Role RoleBinding",
	"resource.k8s.io/v1":                    "DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice",
	"resource.k8s.io/v1alpha3":              "DeviceTaintRule ResourcePoolStatusRequest",
	"resource.k8s.io/v1beta1":               "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice",
	"resource.k8s.io/v1beta2":               "DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice",
	"scheduling.k8s.io/v1":                  "PriorityClass",
	"scheduling.k8s.io/v1alpha3":            "CompositePodGroup PodGroup Workload",
	"scheduling.k8s.io/v1beta1":             "PodGroup PriorityClass Workload",
	"storage.k8s.io/v1":                     "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass",
	"storage.k8s.io/v1alpha1":               "CSIStorageCapacity VolumeAttachment VolumeAttributesClass",
	"storage.k8s.io/v1beta1":                "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass",
	"storagemigration.k8s.io/v1":            "StorageVersionMigration",
	"storagemigration.k8s.io/v1beta1":       "StorageVersionMigration",
}

// metaKinds are known in every group and version.
const metaKinds = "CreateOptions DeleteOptions GetOptions ListOptions PatchOptions UpdateOptions WatchEvent"

// coreMetaKinds are known in v1.
const coreMetaKinds = "APIGroup APIGroupList APIResourceList APIVersions List Status"

// definitions is the group of custom resource definitions.
const definitions = "apiextensions.k8s.io"

// registered reports whether the real server knows a kind as one of its own; ofCRDs
// asks its server of definitions, which knows no others.
func registered(gvk object.GVK, ofCRDs bool) bool {
	text, ok := registeredKinds[gvk.APIVersion()]
	if ofCRDs {
		text, ok = "", gvk.APIVersion() == "v1"
		if gvk.Group == definitions && gvk.Version == "v1" {
			text, ok = "ConversionReview CustomResourceDefinition", true
		}
	}
	if !ok {
		return false
	}
	known := strings.Fields(text + " " + metaKinds)
	if gvk.Group == "" {
		known = append(known, strings.Fields(coreMetaKinds)...)
	}
	return slices.Contains(known, gvk.Kind) || slices.Contains(strings.Fields(text), strings.TrimSuffix(gvk.Kind, "List"))
}

func notRegistered(gvk object.GVK) error {
	return fmt.Errorf("no kind %q is registered for version %q in scheme %q", gvk.Kind, gvk.APIVersion(), schemeName)
}
