package apiserver

import (
	"github.com/reconcile-playground/reconcile/core/object"
)

// affinitySeconds is how long a client keeps its endpoint, where nothing is said.
const affinitySeconds = 10800

// defaultService models SetDefaults_Service.
func defaultService(o object.Object) object.Object {
	set := func(v any, path ...string) {
		if _, ok := o.At(path...); !ok {
			o = o.Set(v, path...)
		}
	}
	set("ClusterIP", "spec", "type")
	set("None", "spec", "sessionAffinity")
	switch o.Str("spec", "sessionAffinity") {
	case "None":
		o = o.Unset("spec", "sessionAffinityConfig")
	case "ClientIP":
		set(affinitySeconds, "spec", "sessionAffinityConfig", "clientIP", "timeoutSeconds")
	}
	if o.Str("spec", "type") != "ExternalName" {
		set("Cluster", "spec", "internalTrafficPolicy")
	}
	if externallyAccessible(o) {
		set("Cluster", "spec", "externalTrafficPolicy")
	}
	if o.Str("spec", "type") == "LoadBalancer" {
		set(true, "spec", "allocateLoadBalancerNodePorts")
	}
	ports := o.List("spec", "ports")
	for i, v := range ports.All() {
		p, ok := v.(*object.Map)
		if !ok {
			continue
		}
		if !p.Has("protocol") {
			p = p.With("protocol", "TCP")
		}
		if target, _ := p.Get("targetPort"); target == nil || target == int64(0) || target == "" {
			port, _ := p.Get("port")
			p = p.With("targetPort", port)
		}
		ports = ports.With(i, p)
	}
	if ports.Len() > 0 {
		o = o.Set(ports, "spec", "ports")
	}
	return o
}

// externallyAccessible reports whether a service can be reached from outside.
func externallyAccessible(o object.Object) bool {
	switch o.Str("spec", "type") {
	case "LoadBalancer", "NodePort":
		return true
	case "ClusterIP":
		return o.List("spec", "externalIPs").Len() > 0
	}
	return false
}

// dropTypeDependent takes off what a service of the new type does not have, where
// the update did not ask for it. Models dropTypeDependentFields.
func dropTypeDependent(o, old object.Object) object.Object {
	drop := func(fields ...string) {
		for _, f := range fields {
			v, _ := o.At("spec", f)
			if was, ok := old.At("spec", f); ok && object.Equal(v, was) {
				o = o.Unset("spec", f)
			}
		}
	}
	is, was := o.Str("spec", "type"), old.Str("spec", "type")
	if was != "ExternalName" && is == "ExternalName" {
		drop("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
	}
	if was == "LoadBalancer" && is != "LoadBalancer" {
		drop("allocateLoadBalancerNodePorts", "loadBalancerClass")
	}
	if is == "ExternalName" {
		drop("internalTrafficPolicy")
	}
	if externallyAccessible(old) && !externallyAccessible(o) {
		drop("externalTrafficPolicy")
	}
	return o
}

// headless reports whether a service has no address of its own.
func headless(o object.Object) bool {
	return o.Str("spec", "type") != "ExternalName" && o.Str("spec", "clusterIP") == "None"
}

// serviceWarnings models GetWarningsForService.
func serviceWarnings(o, _ object.Object) []string {
	var out []string
	if headless(o) && o.Str("spec", "type") == "ClusterIP" {
		if o.Str("spec", "loadBalancerIP") != "" {
			out = append(out, "spec.loadBalancerIP is ignored for headless services")
		}
		if o.List("spec", "externalIPs").Len() > 0 {
			out = append(out, "spec.externalIPs is ignored for headless services")
		}
		if o.Str("spec", "sessionAffinity") != "None" {
			out = append(out, "spec.SessionAffinity is ignored for headless services")
		}
	} else if o.List("spec", "externalIPs").Len() > 0 && o.Str("spec", "type") != "ExternalName" {
		out = append(out, "spec.externalIPs is deprecated and may no longer be implemented in some clusters")
	}
	switch external := o.Str("spec", "type") == "ExternalName"; {
	case external && o.List("spec", "externalIPs").Len() > 0:
		out = append(out, `spec.externalIPs is ignored when spec.type is "ExternalName"`)
	case !external && o.Str("spec", "externalName") != "":
		out = append(out, `spec.externalName is ignored when spec.type is not "ExternalName"`)
	}
	if o.Str("spec", "trafficDistribution") == "PreferClose" {
		out = append(out, `spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"`)
	}
	return out
}
