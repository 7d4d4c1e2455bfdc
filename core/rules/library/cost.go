package library

import (
	"math"
	"slices"

	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// class groups functions that are priced alike.
type class int

const (
	unpriced class = iota
	// nominal functions look at one field.
	nominal
	authorization
	selector
	// search goes through a list or a text once.
	search
	// scan goes through its text once, rewrite also makes another.
	scan
	rewrite
	joining
	regexSearch
	canonical
	inNetwork
	ofNetwork
	validation
	equality
)

var classes = map[class][]string{
	authorization: {"check"},
	selector:      {"fieldSelector", "labelSelector"},
	nominal: {"serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed", "reason", "error", "errored",
		"masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast",
		"format.named", "sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo", "add", "sub",
		"major", "minor", "patch", "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"},
	search:      {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"},
	scan:        {"url", "lowerAscii", "upperAscii", "substring", "trim", "cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver"},
	rewrite:     {"replace", "split"},
	joining:     {"join"},
	regexSearch: {"find", "findAll"},
	canonical:   {"ip.isCanonical"},
	inNetwork:   {"containsIP"},
	ofNetwork:   {"containsCIDR"},
	validation:  {"validate"},
	equality:    {"_==_"},
}

func classOf(function, overload string) class {
	if overload == "cidr_ip" {
		return nominal
	}
	for c := nominal; c <= equality; c++ {
		if slices.Contains(classes[c], function) {
			return c
		}
	}
	return unpriced
}

const (
	// authorizationCost allows for two of them in a rule.
	authorizationCost = 350000
	// byText is what a byte costs, byRegex what a byte of a regular expression.
	byText, byRegex = common.StringTraversalCostFactor, common.RegexStringLengthCostFactor
)

// Cost prices the functions of the library. It is the estimator of rules before
// they run as well as the tracker of those that do. Models library.CostEstimator,
// to the unit: the prices are a part of the API.
type Cost struct {
	// Sizes tells the greatest size of a part of the object; it may be nil.
	Sizes func(path []string) *cost.SizeEstimate
}

// CallCost implements cost.ActualCostEstimator.
func (Cost) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	if len(args) == 0 {
		if classOf(function, overload) == nominal {
			return price(1)
		}
		return nil
	}
	size := sizeOf(args[0])
	switch c := classOf(function, overload); c {
	case authorization:
		return price(authorizationCost)
	case nominal:
		return price(1)
	case search:
		return price(traversal(args[0]))
	case scan:
		return price(ceil(size * byText))
	case rewrite, canonical:
		return price(ceil(size * 2 * byText))
	case joining:
		return price(ceil(sizeOf(result) * 2 * byText))
	case equality:
		switch args[0].(type) {
		case quantityValue, ipValue, cidrValue, formatValue, urlValue, semverValue:
			if len(args) == 2 {
				return price(1)
			}
		}
	default:
		if len(args) >= 2 {
			return callCostOfTwo(c, overload, args, size)
		}
	}
	return nil
}

func callCostOfTwo(c class, overload string, args []ref.Val, size float64) *uint64 {
	other := sizeOf(args[1])
	parse := func(by string) uint64 {
		if overload == by {
			return ceil(other * byText)
		}
		return 0
	}
	switch c {
	case regexSearch:
		return price(ceil((1+size)*byText) * ceil(other*byRegex))
	case inNetwork:
		return price(ceil((size+size)*byText) + parse("cidr_contains_ip_string"))
	case ofNetwork:
		return price(ceil((size+size)*byText) + ceil(size*byText) + 1 + parse("cidr_contains_cidr_string"))
	case validation:
		if f, ok := args[0].(formatValue); ok {
			return price(ceil((1+other)*byText) * ceil(float64(f.v.regex)*byRegex))
		}
	case selector:
		length := uint64(other)
		return price(selectorCost(cost.SizeEstimate{Min: length, Max: length}).Max)
	}
	return nil
}

func price(n uint64) *uint64 { return &n }

func ceil(f float64) uint64 { return uint64(math.Ceil(f)) }

func sizeOf(v ref.Val) float64 {
	if s, ok := v.(traits.Sizer); ok {
		if n, ok := s.Size().(types.Int); ok {
			return float64(n)
		}
	}
	return 1
}

// selectorCost is that of parsing a selector: a requirement for every two
// characters, each a struct and a list.
func selectorCost(length cost.SizeEstimate) cost.CostEstimate {
	const perRequirement = float64(common.ListCreateBaseCost + common.StructCreateBaseCost)
	base := cost.CostEstimate{Min: common.ListCreateBaseCost, Max: common.ListCreateBaseCost}
	return base.Add(length.MultiplyByCostFactor(byText)).Add(length.MultiplyByCostFactor(.5).MultiplyByCostFactor(perRequirement))
}

// traversal is what it costs to go through a value as a tree.
func traversal(v ref.Val) uint64 {
	var total uint64
	switch v := v.(type) {
	case types.String:
		return uint64(float64(len(v)) * byText)
	case types.Bytes:
		return uint64(float64(len(v)) * byText)
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			total += traversal(it.Next())
		}
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			total += traversal(k) + traversal(v.Get(k))
		}
	default:
		return 1
	}
	return total
}
