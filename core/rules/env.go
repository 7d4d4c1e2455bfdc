package rules

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"

	"github.com/reconcile-playground/reconcile/core/rules/library"
)

// callBudget is what one run of one expression may cost. Models PerCallLimit.
const callBudget = 1000000

// selfType is the name of the type of self, which rules do not write.
const selfType = "selfType"

// baseEnv is what all rules share; stored says that of those that are stored,
// which may use what the release before has not. Models the base environment of
// k8s.io/apiserver/pkg/cel/environment.
func baseEnv(stored bool) (*cel.Env, error) {
	options := []cel.EnvOption{
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateRegexLiterals(),
			cel.ValidateHomogeneousAggregateLiterals()),
		ext.Strings(ext.StringsVersion(2)), ext.Sets(), ext.TwoVarComprehensions(), ext.Lists(ext.ListsVersion(3)),
		// As cel-go was that Kubernetes 1.37 links: what a rule costs is a part of the API.
		cel.CostEstimatorOptions(cost.PresenceTestHasCost(false)),
		cel.CostModelVersion(0),
		cel.StrictTimestampParsing(false),
	}
	return cel.NewEnv(append(options, library.Functions(stored)...)...)
}

// ruleEnv declares self and oldSelf. optional says that oldSelf may be none.
func ruleEnv(base *cel.Env, self *declared, optional bool) (*cel.Env, error) {
	old := self.kind
	if optional {
		old = types.NewOptionalType(old)
	}
	p := newProvider(self, base.CELTypeProvider(), base.CELTypeAdapter())
	return base.Extend(cel.CustomTypeProvider(p), cel.CustomTypeAdapter(p), cel.Variable("self", self.kind), cel.Variable("oldSelf", old))
}

// program plans a compiled expression.
func program(env *cel.Env, ast *cel.Ast, prices library.Cost) (cel.Program, error) {
	return env.Program(ast,
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost),
		cel.CostLimit(callBudget),
		cel.CostTrackerOptions(cost.TrackerPresenceTestHasCost(false)),
		cel.CostTracking(prices),
		library.Regexes(),
	)
}

// prices are what expressions over a type cost.
func prices(self *declared) library.Cost {
	return library.Cost{Sizes: func(path []string) *cost.SizeEstimate {
		if len(path) == 0 {
			return nil
		}
		d := self.at(path[1:])
		if d == nil {
			return nil
		}
		return &cost.SizeEstimate{Max: uint64(d.most)}
	}}
}
