package library

import (
	"math"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

var one = cost.CostEstimate{Min: 1, Max: 1}

// EstimateSize implements cost.Estimator.
func (c Cost) EstimateSize(node cost.AstNode) *cost.SizeEstimate {
	if c.Sizes == nil {
		return nil
	}
	return c.Sizes(pathOf(node))
}

// pathOf is the path of a node in the words of the cel-go of Kubernetes, which
// gives a presence test none, and gives what is selected of a value without a
// path the path of the selection alone.
func pathOf(node cost.AstNode) []string {
	e := node.Expr()
	switch {
	case e == nil || len(node.Path()) > 0 && !isPresenceTest(e):
		return node.Path()
	case e.Kind() == ast.SelectKind || e.Kind() == ast.CallKind:
		return selection(e)
	}
	return nil
}

func isPresenceTest(e ast.Expr) bool { return e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly() }

// selection is the path that leads from a value without one to e; nil where e
// selects nothing.
func selection(e ast.Expr) []string {
	switch {
	case isPresenceTest(e):
		return nil
	case e.Kind() == ast.SelectKind:
		return append(selection(e.AsSelect().Operand()), e.AsSelect().FieldName())
	case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Index:
		args := e.AsCall().Args()
		step := "@items"
		if index := args[1]; index.Kind() == ast.LiteralKind && index.AsLiteral().Type() == types.StringType {
			step = "@values"
		}
		return append(selection(args[0]), step)
	}
	return nil
}

func (c Cost) size(node cost.AstNode) cost.SizeEstimate {
	if s := node.ComputedSize(); s != nil {
		return cost.SizeEstimate{Min: s.Min, Max: s.Max}
	}
	if s := c.EstimateSize(node); s != nil {
		return *s
	}
	return cost.SizeEstimate{Max: math.MaxUint64}
}

func estimated(e cost.CostEstimate, result *cost.SizeEstimate) *cost.CallEstimate {
	return &cost.CallEstimate{CostEstimate: e, ResultSize: result}
}

// EstimateCallCost implements cost.Estimator.
func (c Cost) EstimateCallCost(function, overload string, target *cost.AstNode, args []cost.AstNode) *cost.CallEstimate {
	class := classOf(function, overload)
	switch class {
	case authorization:
		return estimated(cost.CostEstimate{Min: authorizationCost, Max: authorizationCost}, nil)
	case nominal:
		return estimated(one, nil)
	case equality:
		return c.estimateEquality(args)
	}
	if target != nil {
		return c.estimateMember(class, function, overload, *target, args)
	}
	if len(args) == 0 {
		return nil
	}
	size := c.size(args[0])
	switch {
	case class == canonical:
		return estimated(size.MultiplyByCostFactor(2*byText), nil)
	case class == scan && function == "url" && len(args) == 1:
		return estimated(size.MultiplyByCostFactor(byText), &size)
	case class == scan && !onlyMembers(function):
		return estimated(size.MultiplyByCostFactor(byText), nil)
	}
	return nil
}

// onlyMembers are functions that go through what they are called on.
func onlyMembers(function string) bool {
	switch function {
	case "url", "lowerAscii", "upperAscii", "substring", "trim":
		return true
	}
	return false
}

func (c Cost) estimateMember(class class, function, overload string, target cost.AstNode, args []cost.AstNode) *cost.CallEstimate {
	size := c.size(target)
	switch class {
	case search:
		return estimated(c.searchCost(function, target, size), nil)
	case scan:
		if function != "url" && onlyMembers(function) {
			return estimated(size.MultiplyByCostFactor(byText), &size)
		}
	case joining:
		result := c.joinedSize(target, size, args)
		return estimated(result.MultiplyByCostFactor(byText), &result)
	case rewrite:
		if function == "split" {
			return estimated(size.MultiplyByCostFactor(2*byText), c.texts(splitLimit(size.Max, args)))
		}
		if len(args) >= 2 {
			result := replacedSize(size, c.size(args[0]), c.size(args[1]))
			return estimated(size.MultiplyByCostFactor(2*byText), &result)
		}
	}
	if len(args) == 0 {
		return nil
	}
	arg := c.size(args[0])
	switch class {
	case scan:
		return estimated(arg.MultiplyByCostFactor(byText), nil)
	case selector:
		return estimated(selectorCost(arg), nil)
	case regexSearch:
		text := size.Add(cost.SizeEstimate{Min: 1, Max: 1}).MultiplyByCostFactor(byText)
		found := &cost.SizeEstimate{Max: size.Max}
		if function == "findAll" {
			found = c.texts(size.Max)
		}
		return estimated(text.Multiply(arg.MultiplyByCostFactor(byRegex)), found)
	case inNetwork, ofNetwork:
		return estimated(networkCost(class, overload, arg), nil)
	case validation:
		const longestName = 128
		return estimated(arg.MultiplyByCostFactor(byText).MultiplyByCostFactor(longestName*byRegex), nil)
	}
	return nil
}

// searchCost is one for each element, and for each text what it takes to read it.
func (c Cost) searchCost(function string, target cost.AstNode, size cost.SizeEstimate) cost.CostEstimate {
	item := itemOf(target)
	each := one
	switch {
	case item == nil && function != "includes":
		return size.MultiplyByCostFactor(byText)
	case item == nil:
	case item.Type().Kind() == types.StringKind || item.Type().Kind() == types.BytesKind:
		each = each.Add(c.size(item).MultiplyByCostFactor(byText))
	}
	return size.MultiplyByCost(each)
}

func (c Cost) joinedSize(target cost.AstNode, size cost.SizeEstimate, args []cost.AstNode) cost.SizeEstimate {
	var result cost.SizeEstimate
	if item := itemOf(target); item != nil {
		result = size.Multiply(c.size(item))
	}
	if len(args) > 0 {
		between := cost.SizeEstimate{Min: size.Min - min(size.Min, 1), Max: size.Max - min(size.Max, 1)}
		result = result.Add(c.size(args[0]).Multiply(between))
	}
	return result
}

// texts is the size of a list of up to most texts, of which the cel-go of
// Kubernetes takes each to be as long as the value that the rule is about.
func (c Cost) texts(most uint64) *cost.SizeEstimate {
	size := &cost.SizeEstimate{Max: most}
	if c.Sizes != nil {
		size.Elem = c.Sizes([]string{"@items"})
	}
	return size
}

// splitLimit is the greatest number of parts: each character, unless limited by
// a literal.
func splitLimit(most uint64, args []cost.AstNode) uint64 {
	if len(args) > 1 {
		if v := args[1].Expr().AsLiteral(); v != nil {
			if n, ok := v.Value().(int64); ok {
				return uint64(n)
			}
		}
	}
	return most
}

// replacedSize bounds the length of a text in which old is replaced by new.
func replacedSize(size, old, new cost.SizeEstimate) cost.SizeEstimate {
	var count, kept cost.SizeEstimate
	more := func(n uint64) uint64 {
		if n < math.MaxUint64 {
			n++
		}
		return n
	}
	switch {
	case old.Min == 0:
		count.Max, kept.Max = more(size.Max), size.Max
	case new.Max <= old.Min:
		kept.Max = size.Max
	default:
		count.Max = ceil(float64(size.Max) / float64(old.Min))
	}
	switch {
	case old.Max == 0:
		count.Min, kept.Min = more(size.Min), size.Min
	case old.Max <= new.Min:
		kept.Min = size.Min
	default:
		count.Min = ceil(float64(size.Min) / float64(old.Max))
	}
	return count.Multiply(new).Add(kept)
}

// networkCost is that of comparing addresses of 4 or 16 bytes, with that of
// parsing what is given as text.
func networkCost(class class, overload string, arg cost.SizeEstimate) cost.CostEstimate {
	address := cost.SizeEstimate{Min: 4, Max: 16}
	total := address.Add(address).MultiplyByCostFactor(byText)
	if class == ofNetwork {
		total = total.Add(address.MultiplyByCostFactor(byText)).Add(one)
	}
	if overload == "cidr_contains_ip_string" || overload == "cidr_contains_cidr_string" {
		total = total.Add(arg.MultiplyByCostFactor(byText))
	}
	return total
}

func (c Cost) estimateEquality(args []cost.AstNode) *cost.CallEstimate {
	if len(args) == 2 && args[0].Type().Kind() == types.TypeKind && args[1].Type().Kind() == types.TypeKind {
		// The cel-go of Kubernetes takes a type for something that has a size.
		most := uint64(math.MaxUint64)
		for _, arg := range args {
			if size := c.EstimateSize(arg); size != nil {
				most = min(most, size.Max)
			}
		}
		return estimated(cost.CostEstimate{Min: min(most, 1), Max: cost.SizeEstimate{Max: most}.MultiplyByCostFactor(byText).Max}, nil)
	}
	if len(args) != 2 || args[0].Type().Equal(args[1].Type()) != types.True {
		return nil
	}
	t := args[0].Type()
	switch t.TypeName() {
	case ipType.TypeName(), cidrType.TypeName(), quantityType.TypeName(), semverType.TypeName(), authorizerType.TypeName(),
		pathCheckType.TypeName(), groupCheckType.TypeName(), resourceCheckType.TypeName(), decisionType.TypeName():
		return estimated(one, nil)
	case formatType.TypeName():
		const longest = 64
		return estimated(cost.CostEstimate{Min: 1, Max: longest}.MultiplyByCostFactor(byText), nil)
	case urlType.TypeName():
		size := cost.SizeEstimate{Min: 1, Max: 1}
		if s := args[1].ComputedSize(); s != nil {
			size = *s
		}
		return estimated(cost.CostEstimate{Min: 1, Max: size.Max}.MultiplyByCostFactor(byText), nil)
	}
	return nil
}

// itemNode stands for the elements of a list.
type itemNode struct {
	cost.AstNode
	path []string
	kind *types.Type
}

// Expr implements cost.AstNode: there is none.
func (itemNode) Expr() ast.Expr { return nil }

// Path implements cost.AstNode; a list that has no path gives its elements none.
func (n itemNode) Path() []string { return n.path }

// Type implements cost.AstNode.
func (n itemNode) Type() *types.Type { return n.kind }

// ComputedSize implements cost.AstNode.
func (itemNode) ComputedSize() *cost.SizeEstimate { return nil }

// itemOf is nil where the node has no elements.
func itemOf(list cost.AstNode) cost.AstNode {
	kinds := list.Type().Parameters()
	if len(kinds) == 0 {
		return nil
	}
	n := itemNode{AstNode: list, kind: kinds[0]}
	if path := list.Path(); path != nil {
		n.path = append(append([]string{}, path...), "@items")
	}
	return n
}
