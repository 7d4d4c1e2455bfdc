package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Merging says how the fields of a struct merge: what the struct tags
// patchStrategy and patchMergeKey say in the original. A nil *Merging takes
// every field, merges maps and replaces lists.
type Merging struct {
	// Struct is the name of the Go type; empty for a map, whose values do not
	// merge.
	Struct string
	// Plain are the names of the other fields, joined by spaces: scalars, and
	// lists that are replaced. A last name "*" is any.
	Plain string
	// Maps are the fields that hold structs or maps.
	Maps map[string]*Merging
	// Lists are the fields whose lists merge.
	Lists map[string]ListMerging
}

// ListMerging is a list that merges: by the key of its items, or, with an empty
// key, as a set of scalars.
type ListMerging struct {
	Key string
	// Items is how the items merge.
	Items *Merging
}

// lookup complains about a field that the struct does not have. Models
// LookupPatchMetadataForStruct.
func (m *Merging) lookup(name string) error {
	if m == nil {
		return nil
	}
	if m.Struct == "" {
		return errors.New("merging an object in json but data type is not struct, instead is: map")
	}
	if _, ok := m.Maps[name]; ok {
		return nil
	}
	if _, ok := m.Lists[name]; ok {
		return nil
	}
	if strings.HasSuffix(m.Plain, " *") || strings.Contains(" "+m.Plain+" ", " "+name+" ") {
		return nil
	}
	return fmt.Errorf("unable to find api field in struct %s for the json field %q", m.Struct, name)
}

func (m *Merging) mapField(name string) (*Merging, error) {
	if err := m.lookup(name); err != nil || m == nil {
		return nil, err
	}
	return m.Maps[name], nil
}

// listField returns how a list merges, and whether it does.
func (m *Merging) listField(name string) (how ListMerging, merges bool, err error) {
	if err := m.lookup(name); err != nil || m == nil {
		return ListMerging{}, false, err
	}
	if _, ok := m.Maps[name]; ok {
		return ListMerging{}, false, errors.New("expected slice or array type, but got: struct")
	}
	how, merges = m.Lists[name]
	return how, merges, nil
}

var stringMap = &Merging{}

var metadataMerging = &Merging{
	Struct: "ObjectMeta",
	Plain: "name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp " +
		"deletionGracePeriodSeconds managedFields",
	Maps: map[string]*Merging{"labels": stringMap, "annotations": stringMap},
	Lists: map[string]ListMerging{
		"finalizers": {},
		"ownerReferences": {Key: "uid", Items: &Merging{
			Struct: "OwnerReference", Plain: "apiVersion kind name uid controller blockOwnerDeletion"}},
	},
}

// conditionMerging is metav1.Condition, and NamespaceCondition but for
// observedGeneration.
var conditionMerging = ListMerging{Key: "type", Items: &Merging{
	Struct: "Condition", Plain: "type status observedGeneration lastTransitionTime reason message"}}

var objectReference = &Merging{Struct: "ObjectReference", Plain: "kind namespace name uid apiVersion resourceVersion fieldPath"}

var serviceSpec = &Merging{
	Struct: "ServiceSpec",
	Plain: "clusterIP clusterIPs type externalIPs sessionAffinity loadBalancerIP loadBalancerSourceRanges externalName " +
		"externalTrafficPolicy healthCheckNodePort publishNotReadyAddresses ipFamilies ipFamilyPolicy " +
		"allocateLoadBalancerNodePorts loadBalancerClass internalTrafficPolicy trafficDistribution",
	Maps: map[string]*Merging{
		"selector": stringMap,
		"sessionAffinityConfig": {Struct: "SessionAffinityConfig", Maps: map[string]*Merging{
			"clientIP": {Struct: "ClientIPConfig", Plain: "timeoutSeconds"}}},
	},
	Lists: map[string]ListMerging{"ports": {Key: "port", Items: &Merging{
		Struct: "ServicePort", Plain: "name protocol appProtocol port targetPort nodePort"}}},
}

var serviceStatus = &Merging{
	Struct: "ServiceStatus",
	Maps:   map[string]*Merging{"loadBalancer": {Struct: "LoadBalancerStatus", Plain: "ingress"}},
	Lists:  map[string]ListMerging{"conditions": conditionMerging},
}

// kindMerging is a built-in kind with the fields given beside apiVersion, kind
// and metadata.
func kindMerging(name, plain string, maps map[string]*Merging) *Merging {
	maps["metadata"] = metadataMerging
	return &Merging{Struct: name, Plain: "apiVersion kind " + plain, Maps: maps}
}

// MergingOf returns how a built-in kind merges. Of a kind that it does not know
// finalizers and ownerReferences merge, and all other lists are replaced; so
// they do in a CustomResourceDefinition.
func MergingOf(kind object.GVK) *Merging {
	if kind.Group == "" && kind.Version == "v1" {
		switch kind.Kind {
		case "ConfigMap":
			return kindMerging(kind.Kind, "immutable", map[string]*Merging{"data": stringMap, "binaryData": stringMap})
		case "Secret":
			return kindMerging(kind.Kind, "immutable type", map[string]*Merging{"data": stringMap, "stringData": stringMap})
		case "Namespace":
			return kindMerging(kind.Kind, "", map[string]*Merging{
				"spec":   {Struct: "NamespaceSpec", Plain: "finalizers"},
				"status": {Struct: "NamespaceStatus", Plain: "phase", Lists: map[string]ListMerging{"conditions": conditionMerging}},
			})
		case "Service":
			return kindMerging(kind.Kind, "", map[string]*Merging{"spec": serviceSpec, "status": serviceStatus})
		case "Event":
			return kindMerging(kind.Kind, "reason message firstTimestamp lastTimestamp count type eventTime action reportingComponent reportingInstance",
				map[string]*Merging{
					"involvedObject": objectReference, "related": objectReference,
					"source": {Struct: "EventSource", Plain: "component host"},
					"series": {Struct: "EventSeries", Plain: "count lastObservedTime"},
				})
		}
	}
	return kindMerging(kind.Kind, "*", map[string]*Merging{})
}
