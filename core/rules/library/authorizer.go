package library

import "cel.dev/cel-go/cel"

// The types of authorization checks. A rule of a custom resource has no
// authorizer, but its compiler knows the functions, as the real one's does.
var (
	authorizerType    = cel.ObjectType("kubernetes.authorization.Authorizer")
	pathCheckType     = cel.ObjectType("kubernetes.authorization.PathCheck")
	groupCheckType    = cel.ObjectType("kubernetes.authorization.GroupCheck")
	resourceCheckType = cel.ObjectType("kubernetes.authorization.ResourceCheck")
	decisionType      = cel.ObjectType("kubernetes.authorization.Decision")
)

func authorizerFunctions() []cel.EnvOption {
	declare := func(name, overload string, result *cel.Type, args ...*cel.Type) cel.EnvOption {
		return cel.Function(name, cel.MemberOverload(overload, args, result))
	}
	return []cel.EnvOption{
		declare("path", "authorizer_path", pathCheckType, authorizerType, cel.StringType),
		declare("group", "authorizer_group", groupCheckType, authorizerType, cel.StringType),
		declare("serviceAccount", "authorizer_serviceaccount", authorizerType, authorizerType, cel.StringType, cel.StringType),
		declare("resource", "groupcheck_resource", resourceCheckType, groupCheckType, cel.StringType),
		declare("subresource", "resourcecheck_subresource", resourceCheckType, resourceCheckType, cel.StringType),
		declare("namespace", "resourcecheck_namespace", resourceCheckType, resourceCheckType, cel.StringType),
		declare("name", "resourcecheck_name", resourceCheckType, resourceCheckType, cel.StringType),
		declare("check", "pathcheck_check", decisionType, pathCheckType, cel.StringType),
		declare("check", "resourcecheck_check", decisionType, resourceCheckType, cel.StringType),
		declare("errored", "decision_errored", cel.BoolType, decisionType),
		declare("error", "decision_error", cel.StringType, decisionType),
		declare("allowed", "decision_allowed", cel.BoolType, decisionType),
		declare("reason", "decision_reason", cel.StringType, decisionType),
		declare("fieldSelector", "authorizer_fieldselector", resourceCheckType, resourceCheckType, cel.StringType),
		declare("labelSelector", "authorizer_labelselector", resourceCheckType, resourceCheckType, cel.StringType),
	}
}
