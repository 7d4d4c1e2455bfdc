package library

import (
	"fmt"
	"net/netip"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

var (
	ipType   = cel.OpaqueType("net.IP")
	cidrType = cel.OpaqueType("net.CIDR")
)

type ipValue struct{ opaque[netip.Addr] }

func newIP(a netip.Addr) ipValue { return ipValue{opaque[netip.Addr]{ipType, "IP", a}} }

// ConvertToType implements ref.Val.
func (v ipValue) ConvertToType(want ref.Type) ref.Val {
	if want == types.StringType {
		return types.String(v.v.String())
	}
	return v.to(v, want)
}

// Equal implements ref.Val.
func (v ipValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(ipValue)
	if !ok {
		return types.ValOrErr(other, "no such overload")
	}
	return types.Bool(v.v == o.v)
}

// Size is that of the address in bytes; it is what costs are counted by.
func (v ipValue) Size() ref.Val { return types.Int((v.v.BitLen() + 7) / 8) }

type cidrValue struct{ opaque[netip.Prefix] }

func newCIDR(p netip.Prefix) cidrValue { return cidrValue{opaque[netip.Prefix]{cidrType, "CIDR", p}} }

// ConvertToType implements ref.Val.
func (v cidrValue) ConvertToType(want ref.Type) ref.Val {
	if want == types.StringType {
		return types.String(v.v.String())
	}
	return v.to(v, want)
}

// Equal implements ref.Val.
func (v cidrValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(cidrValue)
	if !ok {
		return types.ValOrErr(other, "no such overload")
	}
	return types.Bool(v.v == o.v)
}

// Size is that of the prefix in bytes.
func (v cidrValue) Size() ref.Val { return types.Int((v.v.Bits() + 7) / 8) }

// parseIP takes no zones, and no IPv4 in the form of IPv6.
func parseIP(s string) (netip.Addr, error) {
	a, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return a, fmt.Errorf("IP Address %q parse error during conversion from string: %v", s, err)
	case a.Zone() != "":
		return a, fmt.Errorf("IP address %q with zone value is not allowed", s)
	case a.Is4In6():
		return a, fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", s)
	}
	return a, nil
}

func parseCIDR(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	switch {
	case err != nil:
		return p, fmt.Errorf("network address parse error during conversion from string: %v", err)
	case p.Addr().Is4In6():
		return p, fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", s)
	}
	return p, nil
}

func toIP(s string) ref.Val {
	a, err := parseIP(s)
	if err != nil {
		return types.NewErr("%v", err)
	}
	return newIP(a)
}

func toCIDR(s string) ref.Val {
	p, err := parseCIDR(s)
	if err != nil {
		return types.NewErr("network address parse error during conversion from string: %v", err)
	}
	return newCIDR(p)
}

func ipFunctions() []cel.EnvOption {
	is := func(name, overload string, test func(netip.Addr) bool) cel.EnvOption {
		return member(name, overload, cel.BoolType, unary(func(a netip.Addr) ref.Val { return types.Bool(test(a)) }), ipType)
	}
	return []cel.EnvOption{
		cel.Types(ipType),
		global("ip", "string_to_ip", ipType, unary(toIP), cel.StringType),
		global("isIP", "is_ip", cel.BoolType, unary(func(s string) ref.Val {
			_, err := parseIP(s)
			return types.Bool(err == nil)
		}), cel.StringType),
		global("ip.isCanonical", "ip_is_canonical", cel.BoolType, unary(func(s string) ref.Val {
			a, err := parseIP(s)
			if err != nil {
				return types.NewErr("%v", err)
			}
			return types.Bool(a.String() == s)
		}), cel.StringType),
		global("string", "ip_to_string", cel.StringType, unary(func(a netip.Addr) ref.Val { return types.String(a.String()) }), ipType),
		member("family", "ip_family", cel.IntType, unary(func(a netip.Addr) ref.Val {
			if a.Is4() {
				return types.Int(4)
			}
			return types.Int(6)
		}), ipType),
		is("isUnspecified", "ip_is_unspecified", netip.Addr.IsUnspecified),
		is("isLoopback", "ip_is_loopback", netip.Addr.IsLoopback),
		is("isLinkLocalMulticast", "ip_is_link_local_multicast", netip.Addr.IsLinkLocalMulticast),
		is("isLinkLocalUnicast", "ip_is_link_local_unicast", netip.Addr.IsLinkLocalUnicast),
		is("isGlobalUnicast", "ip_is_global_unicast", netip.Addr.IsGlobalUnicast),
	}
}

func cidrFunctions() []cel.EnvOption {
	containsIP := func(p netip.Prefix, a netip.Addr) ref.Val { return types.Bool(p.Contains(a)) }
	containsCIDR := func(p, o netip.Prefix) ref.Val { return types.Bool(p.Overlaps(o) && p.Bits() <= o.Bits()) }
	return []cel.EnvOption{
		cel.Types(cidrType),
		global("cidr", "string_to_cidr", cidrType, unary(toCIDR), cel.StringType),
		global("isCIDR", "is_cidr", cel.BoolType, unary(func(s string) ref.Val {
			_, err := parseCIDR(s)
			return types.Bool(err == nil)
		}), cel.StringType),
		global("string", "cidr_to_string", cel.StringType, unary(func(p netip.Prefix) ref.Val { return types.String(p.String()) }), cidrType),
		member("containsIP", "cidr_contains_ip_string", cel.BoolType, binary(func(p netip.Prefix, s string) ref.Val {
			a, err := parseIP(s)
			if err != nil {
				return types.NoSuchOverloadErr()
			}
			return containsIP(p, a)
		}), cidrType, cel.StringType),
		member("containsIP", "cidr_contains_ip_ip", cel.BoolType, binary(containsIP), cidrType, ipType),
		member("containsCIDR", "cidr_contains_cidr_string", cel.BoolType, binary(func(p netip.Prefix, s string) ref.Val {
			o, err := parseCIDR(s)
			if err != nil {
				return toCIDR(s)
			}
			return containsCIDR(p, o)
		}), cidrType, cel.StringType),
		member("containsCIDR", "cidr_contains_cidr", cel.BoolType, binary(containsCIDR), cidrType, cidrType),
		member("ip", "cidr_ip", ipType, unary(func(p netip.Prefix) ref.Val { return newIP(p.Addr()) }), cidrType),
		member("prefixLength", "cidr_prefix_length", cel.IntType, unary(func(p netip.Prefix) ref.Val { return types.Int(p.Bits()) }), cidrType),
		member("masked", "cidr_masked", cidrType, unary(func(p netip.Prefix) ref.Val { return newCIDR(p.Masked()) }), cidrType),
	}
}
