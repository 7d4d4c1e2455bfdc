package apiserver

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// portText is a port as an error shows it: a Go struct, with all its fields.
type portText string

// String implements fmt.Stringer.
func (p portText) String() string { return string(p) }

// serviceErrors collects what is wrong with a service, in the order of
// validateService of k8s.io/kubernetes/pkg/apis/core/validation.
type serviceErrors struct {
	o    object.Object
	kind string
	errs []*api.FieldError
}

func (v *serviceErrors) add(errs ...*api.FieldError) { v.errs = append(v.errs, errs...) }

// one refuses a text that is none of those that are allowed.
func (v *serviceErrors) one(path, text string, allowed ...string) {
	if !slices.Contains(allowed, text) {
		v.add(notSupported(path, text, allowed...))
	}
}

// each adds an error for each message about a value.
func (v *serviceErrors) each(path string, value any, messages []string) {
	for _, msg := range messages {
		v.add(invalid(path, value, msg))
	}
}

func validateService(o object.Object) []*api.FieldError {
	v := serviceErrors{o: o, kind: o.Str("spec", "type")}
	none := o.Str("spec", "clusterIP") == "None"
	ports := o.List("spec", "ports")
	if ports.Len() == 0 && v.kind != "ExternalName" && !none {
		v.add(required("spec.ports", ""))
	}
	switch v.kind {
	case "LoadBalancer", "NodePort":
		if none {
			v.add(invalid("spec.clusterIPs[0]", "None", "may not be set to 'None' for "+v.kind+" services"))
		}
	case "ExternalName":
		v.external()
	}
	names := map[string]bool{}
	for i, p := range ports.All() {
		v.port(fmt.Sprintf("spec.ports[%d]", i), p, ports.Len() > 1, names)
	}
	for _, err := range validateLabels(o.Map("spec", "selector")) {
		err.Field = "spec.selector"
		v.add(err)
	}
	v.affinity()
	if v.kind != "ExternalName" {
		v.outside()
	}
	v.one("spec.type", v.kind, "ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
	v.samePorts(ports)
	v.policies()
	return v.errs
}

// external checks what an ExternalName has, and what it has not.
func (v *serviceErrors) external() {
	for _, key := range []string{"clusterIPs", "ipFamilies"} {
		if v.o.List("spec", key).Len() > 0 {
			v.add(forbidden("spec."+key, "may not be set for ExternalName services"))
		}
	}
	if _, ok := v.o.At("spec", "ipFamilyPolicy"); ok {
		v.add(forbidden("spec.ipFamilyPolicy", "may not be set for ExternalName services"))
	}
	name := strings.TrimSuffix(v.o.Str("spec", "externalName"), ".")
	if name == "" {
		v.add(required("spec.externalName", ""))
		return
	}
	v.each("spec.externalName", name, api.IsDNS1123Subdomain(name))
}

const portRange = "must be between 1 and 65535, inclusive"

func (v *serviceErrors) port(path string, value any, needsName bool, names map[string]bool) {
	m, _ := value.(*object.Map)
	p := object.New(m)
	if name := p.Str("name"); name != "" {
		v.each(path+".name", name, api.IsDNS1123Label(name))
		if names[name] {
			v.add(&api.FieldError{Type: api.FieldDuplicate, Field: path + ".name", Value: name})
		}
		names[name] = true
	} else if needsName {
		v.add(required(path+".name", ""))
	}
	if n, _ := p.Int("port"); n < 1 || n > 65535 {
		v.add(invalid(path+".port", n, portRange))
	}
	v.one(path+".protocol", p.Str("protocol"), "SCTP", "TCP", "UDP")
	if n, ok := p.Int("targetPort"); ok && (n < 1 || n > 65535) {
		v.add(invalid(path+".targetPort", n, portRange))
	} else if name := p.Str("targetPort"); name != "" {
		v.each(path+".targetPort", name, portName(name))
	}
	if _, ok := p.At("appProtocol"); ok {
		v.each(path+".appProtocol", p.Str("appProtocol"), api.IsLabelKey(p.Str("appProtocol")))
	}
}

// portName says what keeps a text from being the name of a port. Models
// validation.IsValidPortName.
func portName(name string) []string {
	var errs []string
	if len(name) > 15 {
		errs = append(errs, api.MaxLenError(15))
	}
	in := func(r rune) bool { return r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' }
	if strings.ContainsFunc(name, func(r rune) bool { return !in(r) }) {
		errs = append(errs, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
	}
	if !strings.ContainsFunc(name, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
		errs = append(errs, "must contain at least one letter (a-z)")
	}
	if strings.Contains(name, "--") {
		errs = append(errs, "must not contain consecutive hyphens")
	}
	if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") {
		errs = append(errs, "must not begin or end with a hyphen")
	}
	return errs
}

func (v *serviceErrors) affinity() {
	affinity := v.o.Str("spec", "sessionAffinity")
	v.one("spec.sessionAffinity", affinity, "ClientIP", "None")
	if n, _ := v.o.Int("spec", "sessionAffinityConfig", "clientIP", "timeoutSeconds"); affinity == "ClientIP" && (n < 1 || n > 86400) {
		v.add(invalid("spec.sessionAffinityConfig.clientIP.timeoutSeconds", n, "must be greater than 0 and less than 86400"))
	}
}

// outside checks the addresses outside the cluster.
func (v *serviceErrors) outside() {
	for i, x := range v.o.List("spec", "externalIPs").All() {
		ip, _ := x.(string)
		if wrong := wrongAddress(ip, true); wrong != "" {
			v.add(invalid(fmt.Sprintf("spec.externalIPs[%d]", i), ip, wrong))
		}
	}
}

// wrongAddress says what is wrong with an IP address, for an outside one also
// that it is a special one. Models IsValidIP and ValidateNonSpecialIP.
func wrongAddress(text string, outside bool) string {
	ip, err := netip.ParseAddr(text)
	if err != nil {
		parts := strings.Split(text, ".")
		for i, p := range parts {
			parts[i] = either(strings.TrimLeft(p, "0"), "0")
		}
		if _, err := netip.ParseAddr(strings.Join(parts, ".")); err == nil {
			return "must not have leading 0s"
		}
		return "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
	}
	switch {
	case !outside:
	case ip.IsUnspecified():
		return "may not be unspecified (" + text + ")"
	case ip.IsLoopback():
		return "may not be in the loopback range (127.0.0.0/8, ::1/128)"
	case ip.IsLinkLocalUnicast():
		return "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
	case ip.IsLinkLocalMulticast():
		return "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
	}
	return ""
}

// ranges checks whose traffic a load balancer lets in.
func (v *serviceErrors) ranges() {
	list := v.o.List("spec", "loadBalancerSourceRanges")
	if list.Len() > 0 && v.kind != "LoadBalancer" {
		v.add(forbidden("spec.LoadBalancerSourceRanges", "may only be used when `type` is 'LoadBalancer'"))
	}
	for i, x := range list.All() {
		text, _ := x.(string)
		path := fmt.Sprintf("spec.LoadBalancerSourceRanges[%d]", i)
		if prefix, err := netip.ParsePrefix(text); err != nil {
			v.add(invalid(path, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"))
		} else if prefix != prefix.Masked() {
			v.add(invalid(path, text, "must not have bits set beyond the prefix length"))
		}
	}
}

// samePorts finds ports that differ in nothing that tells them apart.
func (v *serviceErrors) samePorts(ports *object.List) {
	taken := map[string]bool{}
	var twice []*api.FieldError
	for i, x := range ports.All() {
		path := fmt.Sprintf("spec.ports[%d]", i)
		m, _ := x.(*object.Map)
		p := object.New(m)
		if n, _ := p.Int("nodePort"); n != 0 && v.kind == "ClusterIP" {
			v.add(forbidden(path+".nodePort", "may not be used when `type` is 'ClusterIP'"))
		}
		n, _ := p.Int("port")
		same := fmt.Sprintf(`{"Name":"","Protocol":%q,"AppProtocol":null,"Port":%d,"TargetPort":0,"NodePort":0}`, p.Str("protocol"), n)
		if taken[same] {
			twice = append(twice, &api.FieldError{Type: api.FieldDuplicate, Field: path, Value: portText(same)})
		}
		taken[same] = true
	}
	v.add(twice...)
}

// policies checks how traffic gets to a service.
func (v *serviceErrors) policies() {
	balanced := v.kind == "LoadBalancer"
	v.ranges()
	for _, key := range []string{"allocateLoadBalancerNodePorts", "loadBalancerClass"} {
		if _, ok := v.o.At("spec", key); ok && !balanced {
			v.add(forbidden("spec."+key, "may only be used when `type` is 'LoadBalancer'"))
		}
	}
	external := v.o.Str("spec", "externalTrafficPolicy")
	if externallyAccessible(v.o) {
		v.one("spec.externalTrafficPolicy", external, "Cluster", "Local")
	} else if external != "" {
		v.add(invalid("spec.externalTrafficPolicy", external, "may only be set for externally-accessible services"))
	}
	if n, _ := v.o.Int("spec", "healthCheckNodePort"); n != 0 && !(balanced && external == "Local") {
		v.add(invalid("spec.healthCheckNodePort", n, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"))
	}
	if _, ok := v.o.At("spec", "internalTrafficPolicy"); ok {
		v.one("spec.internalTrafficPolicy", v.o.Str("spec", "internalTrafficPolicy"), "Cluster", "Local")
	}
	if _, ok := v.o.At("spec", "trafficDistribution"); ok {
		v.one("spec.trafficDistribution", v.o.Str("spec", "trafficDistribution"), "PreferClose", "PreferSameZone", "PreferSameNode")
	}
}
