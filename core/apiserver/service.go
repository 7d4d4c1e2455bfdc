package apiserver

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

var servicePortType = structOf("v1", "ServicePort",
	field("name", stringType), field("protocol", textNamed("v1.Protocol")), pointer("appProtocol", stringType),
	always("port", int32Type, int64(0)), field("targetPort", intOrString), field("nodePort", int32Type))

var sessionAffinityType = structOf("v1", "SessionAffinityConfig",
	pointer("clientIP", structOf("v1", "ClientIPConfig", pointer("timeoutSeconds", int32Type))))

var serviceSpecType = structOf("v1", "ServiceSpec",
	field("ports", sliceOf(servicePortType)), field("selector", stringMap), field("clusterIP", stringType),
	field("clusterIPs", stringSlice), field("type", textNamed("v1.ServiceType")), field("externalIPs", stringSlice),
	field("sessionAffinity", textNamed("v1.ServiceAffinity")), field("loadBalancerIP", stringType), field("loadBalancerSourceRanges", stringSlice),
	field("externalName", stringType), field("externalTrafficPolicy", textNamed("v1.ServiceExternalTrafficPolicy")), field("healthCheckNodePort", int32Type),
	field("publishNotReadyAddresses", boolType), pointer("sessionAffinityConfig", sessionAffinityType), field("ipFamilies", sliceOf(textNamed("v1.IPFamily"))),
	pointer("ipFamilyPolicy", textNamed("v1.IPFamilyPolicy")), pointer("allocateLoadBalancerNodePorts", boolType),
	pointer("loadBalancerClass", stringType), pointer("internalTrafficPolicy", textNamed("v1.ServiceInternalTrafficPolicy")), pointer("trafficDistribution", stringType))

// conditionType is a metav1.Condition.
var conditionType = structOf("v1", "Condition",
	always("type", stringType, ""), always("status", textNamed("v1.ConditionStatus"), ""), field("observedGeneration", int64Type),
	always("lastTransitionTime", timeType, nil), always("reason", stringType, ""), always("message", stringType, ""))

// serviceKind models k8s.io/kubernetes/pkg/registry/core/service, with cluster
// IPs of 10.96.0.0/16 and without node ports.
func serviceKind() *kind {
	k := coreKind("Service", "services", []string{"svc"}, field("spec", serviceSpecType),
		pointer("status", structOf("v1", "ServiceStatus", pointer("loadBalancer", anyType), field("conditions", sliceOf(conditionType)))))
	k.HasStatus, k.storagePath, k.Categories = true, "services/specs", []string{"all"}
	k.Columns = []*schema.Column{
		column("Type", "string", "type determines how the Service is exposed. Defaults to ClusterIP. Valid options are ExternalName, ClusterIP, NodePort, and LoadBalancer. \"ClusterIP\" allocates a cluster-internal IP address for load-balancing to endpoints. Endpoints are determined by the selector or if that is not specified, by manual construction of an Endpoints object or EndpointSlice objects. If clusterIP is \"None\", no virtual IP is allocated and the endpoints are published as a set of endpoints rather than a virtual IP. \"NodePort\" builds on ClusterIP and allocates a port on every node which routes to the same endpoints as the clusterIP. \"LoadBalancer\" builds on NodePort and creates an external load-balancer (if supported in the current cloud) which routes to the same endpoints as the clusterIP. \"ExternalName\" aliases this service to the specified externalName. Several other fields do not apply to ExternalName services. More info: https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types"),
		column("Cluster-IP", "string", "clusterIP is the IP address of the service and is usually assigned randomly. If an address is specified manually, is in-range (as per system configuration), and is not in use, it will be allocated to the service; otherwise creation of the service will fail. This field may not be changed through updates unless the type field is also being changed to ExternalName (which requires this field to be blank) or the type field is being changed from ExternalName (in which case this field may optionally be specified, as describe above).  Valid values are \"None\", empty string (\"\"), or a valid IP address. Setting this to \"None\" makes a \"headless service\" (no virtual IP), which is useful when direct endpoint connections are preferred and proxying is not required.  Only applies to types ClusterIP, NodePort, and LoadBalancer. If this field is specified when creating a Service of type ExternalName, creation will fail. This field will be wiped when updating a Service to type ExternalName. More info: https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies"),
		column("External-IP", "string", "externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic for this service.  These IPs are not managed by Kubernetes.  The user is responsible for ensuring that traffic arrives at a node with this IP.  A common example is external load-balancers that are not part of the Kubernetes system."),
		column("Port(s)", "string", "The list of ports that are exposed by this service. More info: https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies"),
		builtinAge,
		{Name: "Selector", Type: "string", Priority: 1, Description: "Route service traffic to pods with label keys and values matching this selector. If empty or not present, the service is assumed to have an external process managing its endpoints, which Kubernetes will not modify. Only applies to types ClusterIP, NodePort, and LoadBalancer. Ignored if type is ExternalName. More info: https://kubernetes.io/docs/concepts/services-networking/service/"},
	}
	k.cells = serviceCells
	k.strategy = strategy{
		unconditional: true, createsOnUpdate: true, returnsDeleted: true, defaults: defaultService,
		fieldLabels: atPaths("spec.clusterIP", "spec.type"),
		structs:     map[string]any{"spec": map[string]any{}, "status": map[string]any{"loadBalancer": map[string]any{}}},
		reset:       map[string][]string{"": {"status"}, "status": {"spec"}},
		begin: func(s *Server, o, old object.Object) (object.Object, []*api.FieldError) {
			o, errs := settleAddresses(o, old)
			if len(errs) == 0 {
				o = s.allocateClusterIP(o)
			}
			return o, errs
		},
		prepareForCreate: func(_ *Server, o object.Object) object.Object {
			return o.Set(map[string]any{"loadBalancer": map[string]any{}}, "status")
		},
		prepareForUpdate: func(_ *Server, o, old object.Object) object.Object {
			return keepField(dropTypeDependent(o, old), old, "status")
		},
		warnings: serviceWarnings,
		validate: func(_ *Server, o object.Object) []*api.FieldError {
			return append(validateCoreMeta(o, true, nameIsDNSLabel), validateService(o)...)
		},
		validateUpdate: func(_ *Server, o, old object.Object, subresource string) []*api.FieldError {
			errs := validateCoreMetaUpdate(o, old)
			if subresource == "status" {
				if o.List("status", "loadBalancer", "ingress").Len() > 0 && o.Str("spec", "type") != "LoadBalancer" {
					errs = append(errs, forbidden("status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'"))
				}
				return errs
			}
			if ips := o.List("spec", "clusterIPs"); old.Str("spec", "type") != externalName && o.Str("spec", "type") != externalName && o.Str("spec", "clusterIP") != old.Str("spec", "clusterIP") {
				errs = append(errs, invalid("spec.clusterIPs[0]", ips, "may not change once set"))
			}
			return append(errs, validateService(o)...)
		},
		subresources: map[string]func(o, old object.Object) object.Object{
			"status": func(o, old object.Object) object.Object {
				if o.Map("status", "loadBalancer") == nil {
					o = o.Set(map[string]any{}, "status", "loadBalancer")
				}
				return keepField(o, old, "spec")
			},
		},
	}
	return k
}

// allocateClusterIP gives a service the first address that no other has.
func (s *Server) allocateClusterIP(o object.Object) object.Object {
	if o.Str("spec", "type") == externalName || o.Str("spec", "clusterIP") != "" {
		return o
	}
	taken := map[string]bool{"": true}
	for _, other := range s.store.Range("/registry/services/specs/", "") {
		taken[other.Str("spec", "clusterIP")] = true
	}
	ip := ""
	for n := 10; taken[ip]; n++ {
		ip = fmt.Sprintf("10.96.%d.%d", n>>8&0xff, n&0xff)
	}
	return o.Set(ip, "spec", "clusterIP").Set([]string{ip}, "spec", "clusterIPs")
}

func serviceCells(o object.Object, now time.Time) []any {
	ip := o.Str("spec", "clusterIP")
	if ip == "" {
		ip = "<none>"
	}
	var ports []string
	for _, v := range o.List("spec", "ports").All() {
		m, _ := v.(*object.Map)
		p := object.New(m)
		n, _ := p.Int("port")
		text := strconv.FormatInt(n, 10)
		if node, ok := p.Int("nodePort"); ok {
			text += ":" + strconv.FormatInt(node, 10)
		}
		ports = append(ports, text+"/"+p.Str("protocol"))
	}
	listed := strings.Join(ports, ",")
	if listed == "" {
		listed = "<none>"
	}
	return []any{o.Str("spec", "type"), ip, externalIP(o), listed, age(o, now), selectorText(o.Map("spec", "selector"))}
}

func externalIP(o object.Object) string {
	var ips []string
	for _, v := range o.List("status", "loadBalancer", "ingress").All() {
		m, _ := v.(*object.Map)
		if ip := object.New(m).Str("ip"); ip != "" {
			ips = append(ips, ip)
		} else if host := object.New(m).Str("hostname"); host != "" {
			ips = append(ips, host)
		}
	}
	if kind := o.Str("spec", "type"); kind == "ExternalName" {
		return o.Str("spec", "externalName")
	} else if kind != "LoadBalancer" {
		ips = nil
	}
	for _, v := range o.List("spec", "externalIPs").All() {
		ip, _ := v.(string)
		ips = append(ips, ip)
	}
	switch {
	case len(ips) > 0:
		return strings.Join(ips, ",")
	case o.Str("spec", "type") == "LoadBalancer":
		return "<pending>"
	}
	return "<none>"
}

func selectorText(m *object.Map) string {
	var terms []string
	for k, v := range m.All() {
		terms = append(terms, fmt.Sprintf("%s=%v", k, v))
	}
	if len(terms) == 0 {
		return "<none>"
	}
	return strings.Join(terms, ",")
}
