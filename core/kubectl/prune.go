package kubectl

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// pruned are the kinds that apply --prune looks at where it is not told which.
var pruned = []string{"core/v1/ConfigMap", "core/v1/Endpoints", "core/v1/PersistentVolumeClaim", "core/v1/Pod", "core/v1/ReplicationController",
	"core/v1/Secret", "core/v1/Service", "batch/v1/Job", "batch/v1/CronJob", "networking.k8s.io/v1/Ingress", "apps/v1/DaemonSet", "apps/v1/Deployment",
	"apps/v1/ReplicaSet", "apps/v1/StatefulSet", "core/v1/Namespace", "core/v1/PersistentVolume"}

// prunable are the resources to look at, those of namespaces first. A kind that
// nobody named and the server does not know is left out. Models
// prune.GetRESTMappings.
func (a *applying) prunable() ([]*resource, error) {
	named := a.flags.List("prune-allowlist")
	kinds := pruned
	if len(named) > 0 {
		kinds = named
	}
	m, err := a.mapper()
	if err != nil {
		return nil, err
	}
	var out []*resource
	for _, text := range kinds {
		p := strings.Split(text, "/")
		if len(p) != 3 {
			return nil, errorf("invalid GroupVersionKind format: %s, please follow <group/version/kind>", text)
		}
		gvk := object.GVK{Group: p[0], Version: p[1], Kind: p[2]}
		if gvk.Group == "core" {
			gvk.Group = ""
		}
		r := m.byGVK(gvk)
		switch {
		case r != nil:
			out = append(out, r)
		case len(named) > 0:
			return nil, errorf("no matches for kind %q in version %q", gvk.Kind, gvk.APIVersion())
		}
	}
	slices.SortStableFunc(out, func(a, b *resource) int {
		switch {
		case a.Namespaced == b.Namespaced:
			return 0
		case a.Namespaced:
			return -1
		}
		return 1
	})
	return out, nil
}

// prune deletes what was applied once, is selected, and is not among the objects
// applied now. Models apply.pruner.
func (a *applying) prune(kinds []*resource, applied []*info) error {
	if len(a.flags.List("prune-allowlist")) == 0 {
		// A real server says so of the kinds that are looked at.
		a.warn([]string{"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"})
	}
	var places []string
	kept := map[string]bool{}
	for _, i := range applied {
		if i.mapping.Namespaced && !slices.Contains(places, i.namespace) {
			places = append(places, i.namespace)
		}
		kept[object.New(i.object).UID()] = true
	}
	for _, place := range append(places, "") {
		for _, r := range kinds {
			if r.Namespaced != (place != "") {
				continue
			}
			if err := a.pruneIn(r, place, kept); err != nil {
				scope := "nonNamespaced"
				if r.Namespaced {
					scope = "namespaced"
				}
				return errorf("error pruning %s object %s: %w", scope, withGroup(r.GVR, r.Kind), err)
			}
		}
	}
	return nil
}

func (a *applying) pruneIn(r *resource, namespace string, kept map[string]bool) error {
	p, err := a.operationPrinter("pruned", false)
	if err != nil {
		return err
	}
	quiet := *a.deleting
	quiet.call = &call{env: a.env, out: &output{w: discard{}}, cmd: a.cmd, flags: a.flags, namespace: a.namespace}
	quiet.dry = a.dry
	req := api.Request{Live: true}
	req.LabelSelector = a.flags.Text("selector")
	return a.list(r, namespace, req, func(resp api.Response) error {
		for _, i := range pageItems(&info{mapping: r}, resp) {
			if _, has, _ := original(i.object); !has || kept[object.New(i.object).UID()] {
				continue
			}
			if a.dry != dryClient {
				if _, err := quiet.delete(i); err != nil {
					return err
				}
			}
			if err := p.print(a.out, "", i.object); err != nil {
				return err
			}
		}
		return nil
	})
}
