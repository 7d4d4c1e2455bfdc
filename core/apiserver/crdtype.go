package apiserver

import "errors"

// The Go types of a CustomResourceDefinition, as
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1 has them.
var (
	crdNamesType = structOf("v1", "CustomResourceDefinitionNames",
		pointer("plural", stringType), field("singular", stringType), field("shortNames", stringSlice),
		pointer("kind", stringType), field("listKind", stringType), field("categories", stringSlice))

	crdConversionType = structOf("v1", "CustomResourceConversion",
		pointer("strategy", textNamed("v1.ConversionStrategyType")),
		pointer("webhook", structOf("v1", "WebhookConversion",
			pointer("clientConfig", structOf("v1", "WebhookClientConfig",
				pointer("url", stringType),
				pointer("service", structOf("v1", "ServiceReference", pointer("namespace", stringType), pointer("name", stringType),
					pointer("path", stringType), pointer("port", int32Type))),
				field("caBundle", bytesType))),
			pointer("conversionReviewVersions", stringSlice))))

	crdColumnType = structOf("v1", "CustomResourceColumnDefinition",
		pointer("name", stringType), pointer("type", stringType), field("format", stringType), field("description", stringType),
		field("priority", int32Type), pointer("jsonPath", stringType))

	crdSubresourcesType = structOf("v1", "CustomResourceSubresources",
		pointer("status", structOf("v1", "CustomResourceSubresourceStatus")),
		pointer("scale", structOf("v1", "CustomResourceSubresourceScale", pointer("specReplicasPath", stringType),
			pointer("statusReplicasPath", stringType), pointer("labelSelectorPath", stringType))))

	crdVersionType = structOf("v1", "CustomResourceDefinitionVersion",
		pointer("name", stringType), always("served", boolType, false), always("storage", boolType, false),
		field("deprecated", boolType), pointer("deprecationWarning", stringType),
		pointer("schema", structOf("v1", "CustomResourceValidation", pointer("openAPIV3Schema", schemaPropsType()))),
		pointer("subresources", crdSubresourcesType),
		field("additionalPrinterColumns", sliceOf(crdColumnType)),
		field("selectableFields", sliceOf(structOf("v1", "SelectableField", pointer("jsonPath", stringType)))))

	crdSpecType = structOf("v1", "CustomResourceDefinitionSpec",
		pointer("group", stringType), pointer("names", crdNamesType), pointer("scope", textNamed("v1.ResourceScope")),
		pointer("versions", sliceOf(crdVersionType)), pointer("conversion", crdConversionType),
		field("preserveUnknownFields", boolType))

	crdConditionType = structOf("v1", "CustomResourceDefinitionCondition",
		pointer("type", textNamed("v1.CustomResourceDefinitionConditionType")), pointer("status", textNamed("v1.ConditionStatus")),
		always("lastTransitionTime", timeType, nil), field("reason", stringType), field("message", stringType),
		field("observedGeneration", int64Type))

	crdStatusType = structOf("v1", "CustomResourceDefinitionStatus",
		pointer("conditions", sliceOf(crdConditionType)), pointer("acceptedNames", crdNamesType),
		pointer("storedVersions", stringSlice), field("observedGeneration", int64Type))
)

// schemaPropsType is JSONSchemaProps, which contains itself. Where it stands in
// a type with a decoding of its own, strict decoding does not look into it.
func schemaPropsType() *goType {
	t := structOf("v1", "JSONSchemaProps")
	values := mapOf(t)
	orBool := decodedBy(func(d *goDecoder, v any) (any, error) { return orSchema(d, v, t, goBool) })
	orArray := decodedBy(func(d *goDecoder, v any) (any, error) { return orSchema(d, v, t, goSlice) })
	rule := structOf("v1", "ValidationRule", pointer("rule", stringType), field("message", stringType),
		field("messageExpression", stringType), pointer("reason", textNamed("v1.FieldValueErrorReason")),
		field("fieldPath", stringType), pointer("optionalOldSelf", boolType))
	for _, name := range []string{"id", "description", "type", "format", "title", "pattern"} {
		t.add(field(name, stringType))
	}
	for _, name := range []string{"maximum", "minimum", "multipleOf"} {
		t.add(pointer(name, floatType))
	}
	for _, name := range []string{"maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"} {
		t.add(pointer(name, int64Type))
	}
	for _, name := range []string{"exclusiveMaximum", "exclusiveMinimum", "uniqueItems", "nullable", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"} {
		t.add(field(name, boolType))
	}
	for _, name := range []string{"allOf", "oneOf", "anyOf"} {
		t.add(field(name, sliceOf(t)))
	}
	for _, name := range []string{"properties", "patternProperties", "definitions"} {
		t.add(field(name, values))
	}
	rules := &goType{kind: goSlice, name: "v1.ValidationRules", elem: rule}
	t.add(
		field("$schema", stringType), pointer("$ref", stringType), pointer("default", jsonType), pointer("example", jsonType),
		field("enum", sliceOf(&goType{kind: goAny, name: "v1.JSON"})), field("required", stringSlice), pointer("items", orArray), pointer("not", t),
		pointer("additionalProperties", orBool), pointer("additionalItems", orBool), field("dependencies", mapOf(orArray)),
		field("externalDocs", structOf("v1", "ExternalDocumentation", field("description", stringType), field("url", stringType))),
		pointer("x-kubernetes-preserve-unknown-fields", boolType), field("x-kubernetes-list-map-keys", stringSlice),
		pointer("x-kubernetes-list-type", stringType), pointer("x-kubernetes-map-type", stringType),
		field("x-kubernetes-validations", rules))
	return t
}

// orSchema decodes a schema or something else: a boolean, or a list.
func orSchema(d *goDecoder, v any, t *goType, other goKind) (any, error) {
	inner := goDecoder{converts: d.converts}
	switch kindOfJSON(v) {
	case goStruct:
		return inner.decodeAll(v, t)
	case other:
		return v, nil
	}
	if other == goBool {
		return nil, errors.New("boolean or JSON schema expected")
	}
	return nil, nil
}
