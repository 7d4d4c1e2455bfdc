package rules

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"

	"github.com/reconcile-playground/reconcile/core/schema"
)

// compiled is one rule. Without a program and an error it is one that is empty.
type compiled struct {
	schema.Rule
	program cel.Program
	// failed is why the rule does not compile; internal says that this is no
	// fault of the rule.
	failed, messageFailed string
	internal              bool
	// usesOld says that it speaks of oldSelf.
	usesOld bool
	// message gives the text for what breaks the rule; nil where there is none.
	message cel.Program
	// cost and messageCost are the most that one run can cost.
	cost, messageCost uint64
	// path is FieldPath as errors print it.
	path string
}

// bases are the environments that rules extend.
type bases struct{ fresh, stored *cel.Env }

// known are the expressions that a stored CRD holds already.
type known struct{ rules, messages map[string]bool }

// compileRules compiles the rules of one schema, whose type is d. Models
// cel.Compile.
func (b bases) compileRules(s *schema.Schema, d *declared, k known) ([]compiled, error) {
	self := d.named(selfType)
	envs := map[[2]bool]*cel.Env{}
	env := func(stored, optional bool) (*cel.Env, error) {
		which := [2]bool{stored, optional}
		if envs[which] == nil {
			base := b.fresh
			if stored {
				base = b.stored
			}
			e, err := ruleEnv(base, self, optional)
			if err != nil {
				return nil, err
			}
			envs[which] = e
		}
		return envs[which], nil
	}
	out := make([]compiled, len(s.Rules))
	for i, r := range s.Rules {
		out[i] = compiled{Rule: r}
		c := &out[i]
		optional := r.OptionalOldSelf != nil && *r.OptionalOldSelf
		ruleEnv, err := env(k.rules[r.Rule], optional)
		if err != nil {
			return nil, err
		}
		messageEnv, err := env(k.messages[r.MessageExpression], optional)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(r.Rule) != "" && c.compileRule(ruleEnv, d) {
			c.compileMessage(messageEnv, d)
			if path, ok := schema.RulePath(s, r.FieldPath); ok {
				c.path = path
			}
		}
	}
	return out, nil
}

// compileRule reports whether there is a program now.
func (c *compiled) compileRule(env *cel.Env, d *declared) bool {
	ast, issues := env.Compile(c.Rule.Rule)
	switch {
	case issues != nil:
		c.failed = "compilation failed: " + issueText(issues)
		return false
	case ast.OutputType() != cel.BoolType:
		c.failed = "cel expression must evaluate to a bool"
		return false
	}
	c.usesOld = speaksOf(ast, "oldSelf")
	p, err := program(env, ast, prices(d))
	if err != nil {
		c.failed = "program instantiation failed: " + err.Error()
		return false
	}
	estimate, err := env.EstimateCost(ast, prices(d))
	if err != nil {
		c.failed, c.internal = "cost estimation failed: "+err.Error(), true
		return false
	}
	c.program, c.cost = p, estimate.Max
	return true
}

var undeclaredRE = regexp.MustCompile(`(?m)^(ERROR: .*: undeclared reference to '[^']*')(?: \(did you mean .*\?\))?$`)

// issueText prints what the compiler complains of in the words of the cel-go
// that Kubernetes 1.37 links, which names the container of an unknown name.
func issueText(issues *cel.Issues) string {
	return undeclaredRE.ReplaceAllString(issues.String(), "$1 (in container '')")
}

func speaksOf(ast *cel.Ast, variable string) bool {
	names := slices.SortedFunc(maps.Values(ast.NativeRep().ReferenceMap()), func(a, b *celast.ReferenceInfo) int { return strings.Compare(a.Name, b.Name) })
	return slices.ContainsFunc(names, func(r *celast.ReferenceInfo) bool { return r.Name == variable })
}

func (c *compiled) compileMessage(env *cel.Env, d *declared) {
	if c.MessageExpression == "" {
		return
	}
	ast, issues := env.Compile(c.MessageExpression)
	switch {
	case issues != nil:
		c.messageFailed = "messageExpression compilation failed: " + issueText(issues)
		return
	case ast.OutputType() != cel.StringType:
		c.messageFailed = "messageExpression must evaluate to a string"
		return
	}
	p, err := program(env, ast, prices(d))
	if err != nil {
		c.messageFailed = "messageExpression instantiation failed: " + err.Error()
		return
	}
	estimate, err := env.EstimateCost(ast, prices(d))
	if err != nil {
		c.messageFailed = "cost estimation failed for messageExpression: " + err.Error()
		return
	}
	c.message, c.messageCost = p, estimate.Max
}
