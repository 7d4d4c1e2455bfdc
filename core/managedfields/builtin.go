package managedfields

import (
	"slices"
	"sync"

	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
)

// builtinTable holds the types of the kinds that the server has built in, in
// the notation of parseTypes. It says what the OpenAPI of the real server says
// (k8s.io/client-go/applyconfigurations/internal).
const builtinTable = `
ObjectMeta annotations={s} creationTimestamp=u deletionGracePeriodSeconds=n deletionTimestamp=u finalizers=[s=] generateName=s generation=n labels={s} managedFields=[ManagedFieldsEntry] name=s namespace=s ownerReferences=[OwnerReference=uid] resourceVersion=s selfLink=s uid=s
OwnerReference! apiVersion=s blockOwnerDeletion=b controller=b kind=s name=s uid=s:
ManagedFieldsEntry apiVersion=s fieldsType=s fieldsV1={any} manager=s operation=s subresource=s time=u
Condition lastTransitionTime=u message=s observedGeneration=n reason=s status=s type=s:

ConfigMap apiVersion=s binaryData={s} data={s} immutable=b kind=s metadata=ObjectMeta
Secret apiVersion=s data={s} immutable=b kind=s metadata=ObjectMeta stringData={s} type=s

Namespace apiVersion=s kind=s metadata=ObjectMeta spec=NamespaceSpec status=NamespaceStatus
NamespaceSpec finalizers=[s]
NamespaceStatus conditions=[NamespaceCondition=type] phase=s
NamespaceCondition lastTransitionTime=u message=s reason=s status=s type=s:

Service apiVersion=s kind=s metadata=ObjectMeta spec=ServiceSpec status=ServiceStatus
ServiceSpec allocateLoadBalancerNodePorts=b clusterIP=s clusterIPs=[s] externalIPs=[s] externalName=s externalTrafficPolicy=s healthCheckNodePort=n internalTrafficPolicy=s ipFamilies=[s] ipFamilyPolicy=s loadBalancerClass=s loadBalancerIP=s loadBalancerSourceRanges=[s] ports=[ServicePort=port,protocol] publishNotReadyAddresses=b selector=!{s} sessionAffinity=s sessionAffinityConfig=SessionAffinityConfig trafficDistribution=s type=s
ServicePort appProtocol=s name=s nodePort=n port=n:0 protocol=s:TCP targetPort=u
SessionAffinityConfig clientIP=ClientIPConfig
ClientIPConfig timeoutSeconds=n
ServiceStatus conditions=[Condition=type] loadBalancer=LoadBalancerStatus
LoadBalancerStatus ingress=[LoadBalancerIngress]
LoadBalancerIngress hostname=s ip=s ipMode=s ports=[PortStatus]
PortStatus error=s port=n protocol=s

Scale apiVersion=s kind=s metadata=ObjectMeta spec=ScaleSpec status=ScaleStatus
ScaleSpec replicas=n
ScaleStatus replicas=n selector=s

Event action=s apiVersion=s count=n eventTime=u firstTimestamp=u involvedObject=ObjectReference kind=s lastTimestamp=u message=s metadata=ObjectMeta reason=s related=ObjectReference reportingComponent=s reportingInstance=s series=EventSeries source=EventSource type=s
EventSource component=s host=s
EventSeries count=n lastObservedTime=u
ObjectReference! apiVersion=s fieldPath=s kind=s name=s namespace=s resourceVersion=s uid=s

CustomResourceDefinition apiVersion=s kind=s metadata=ObjectMeta spec=CustomResourceDefinitionSpec status=CustomResourceDefinitionStatus
CustomResourceDefinitionSpec conversion=CustomResourceConversion group=s names=CustomResourceDefinitionNames preserveUnknownFields=b scope=s versions=[CustomResourceDefinitionVersion]
CustomResourceConversion strategy=s webhook=WebhookConversion
WebhookConversion clientConfig=WebhookClientConfig conversionReviewVersions=[s]
WebhookClientConfig caBundle=s service=ServiceReference url=s
ServiceReference name=s namespace=s path=s port=n
CustomResourceDefinitionNames categories=[s] kind=s listKind=s plural=s shortNames=[s] singular=s
CustomResourceDefinitionVersion additionalPrinterColumns=[CustomResourceColumnDefinition] deprecated=b deprecationWarning=s name=s schema=CustomResourceValidation selectableFields=[SelectableField] served=b storage=b subresources=CustomResourceSubresources
CustomResourceColumnDefinition description=s format=s jsonPath=s name=s priority=n type=s
SelectableField jsonPath=s
CustomResourceSubresources scale=CustomResourceSubresourceScale status={any}
CustomResourceSubresourceScale labelSelectorPath=s specReplicasPath=s statusReplicasPath=s
CustomResourceValidation openAPIV3Schema=JSONSchemaProps
CustomResourceDefinitionStatus acceptedNames=CustomResourceDefinitionNames conditions=[CustomResourceDefinitionCondition=type] observedGeneration=n storedVersions=[s]
CustomResourceDefinitionCondition lastTransitionTime=u message=s observedGeneration=n reason=s status=s type=s:
ExternalDocumentation description=s url=s
ValidationRule fieldPath=s message=s messageExpression=s optionalOldSelf=b reason=s rule=s:
JSONSchemaProps $ref=s $schema=s additionalItems=any additionalProperties=any allOf=[JSONSchemaProps] anyOf=[JSONSchemaProps] default=any definitions={JSONSchemaProps} dependencies={any} description=s enum=[any] example=any exclusiveMaximum=b exclusiveMinimum=b externalDocs=ExternalDocumentation format=s id=s items=any maxItems=n maxLength=n maxProperties=n maximum=n minItems=n minLength=n minProperties=n minimum=n multipleOf=n not=JSONSchemaProps nullable=b oneOf=[JSONSchemaProps] pattern=s patternProperties={JSONSchemaProps} properties={JSONSchemaProps} required=[s] title=s type=s uniqueItems=b x-kubernetes-embedded-resource=b x-kubernetes-int-or-string=b x-kubernetes-list-map-keys=[s] x-kubernetes-list-type=s x-kubernetes-map-type=s x-kubernetes-preserve-unknown-fields=b x-kubernetes-validations=[ValidationRule=rule]
`

// builtinTypes reads the table, once.
var builtinTypes = sync.OnceValue(func() *Type {
	return &Type{schema: &smd.Schema{Types: slices.Concat(openTypes, parseTypes(builtinTable))}}
})

// Builtin is the type of a kind of the table above.
func Builtin(kind string) *Type {
	return &Type{schema: builtinTypes().schema, ref: named(kind)}
}
