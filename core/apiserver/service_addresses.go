package apiserver

import (
	"fmt"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

const (
	externalName = "ExternalName"
	noAddress    = "None"
	singleStack  = "SingleStack"
	preferDual   = "PreferDualStack"
	requireDual  = "RequireDualStack"
	policyPath   = "spec.ipFamilyPolicy"
	familiesPath = "spec.ipFamilies"
	ipsPath      = "spec.clusterIPs"
)

// addressing is what a service asks for of addresses in a cluster that has those
// of IPv4, and what is wrong with it. On an update old is what was there.
type addressing struct {
	serviceErrors
	old           object.Object
	update        bool
	ip, policy    string
	ips, families *object.List
}

// settleAddresses completes what a service asks for of addresses, but for what
// is yet to be allocated. What is wrong with it comes before all other checks, and
// leaves the service as it was. Models patchAllocatedValues, normalizeClusterIPs
// and Allocators.initIPFamilyFields.
func settleAddresses(o, old object.Object) (object.Object, []*api.FieldError) {
	a := &addressing{serviceErrors: serviceErrors{o: o, kind: o.Str("spec", "type")}, old: old, update: old.Root() != nil, ip: o.Str("spec", "clusterIP"),
		policy: o.Str("spec", "ipFamilyPolicy"), ips: listed(o, "clusterIPs"), families: listed(o, "ipFamilies")}
	a.normalize()
	set := func(o object.Object) object.Object {
		o = setOrUnset(o, a.ip, a.ip != "", "clusterIP")
		return setOrUnset(o, a.ips, a.ips.Len() > 0, "clusterIPs")
	}
	if a.kind == externalName || a.unchangedDual() {
		return set(o), nil
	}
	if a.policy == "" {
		switch was := old.Str("spec", "ipFamilyPolicy"); {
		case was != "":
			a.policy = was
		case a.free():
			a.policy = requireDual
		default:
			a.policy = singleStack
		}
	}
	for _, check := range []func(){a.alone, a.together, a.complete} {
		if check(); len(a.errs) > 0 {
			return o, a.errs
		}
	}
	return set(o).Set(a.policy, "spec", "ipFamilyPolicy").Set(a.families, "spec", "ipFamilies"), nil
}

// listed is a list of a service's spec, nil where it has none or an empty one.
func listed(o object.Object, field string) *object.List {
	if l := o.List("spec", field); l.Len() > 0 {
		return l
	}
	return nil
}

func setOrUnset(o object.Object, v any, set bool, field string) object.Object {
	if set {
		return o.Set(v, "spec", field)
	}
	return o.Unset("spec", field)
}

// free is a headless service without a selector, whose endpoints may have any address.
func (a *addressing) free() bool { return a.ip == noAddress && a.o.Map("spec", "selector").Len() == 0 }

// normalize keeps what the server gave and an update leaves out, and the first
// address and all of them the same where one is said alone.
func (a *addressing) normalize() {
	oldIP, oldIPs := a.old.Str("spec", "clusterIP"), listed(a.old, "clusterIPs")
	if a.update && a.kind != externalName && a.old.Str("spec", "type") != externalName {
		a.ip = either(a.ip, oldIP)
		if a.ips.Len() == 0 {
			a.ips = oldIPs
		}
	}
	switch {
	case a.ip == oldIP && a.ips.Len() == 0:
		a.ips = oldIPs
	case a.ip != oldIP && object.Equal(a.ips, oldIPs):
		if a.ips = nil; a.ip != "" {
			a.ips = object.Strings(a.ip)
		}
	}
}

// unchangedDual reports whether a service that prefers both families asks for
// what it asked for before: then it keeps what it has.
func (a *addressing) unchangedDual() bool {
	was := a.old.Str("spec", "ipFamilyPolicy")
	return a.update && a.policy == preferDual && (was == "" || was == preferDual) && a.kind == a.old.Str("spec", "type") &&
		object.Equal(a.ips, listed(a.old, "clusterIPs")) && object.Equal(a.families, listed(a.old, "ipFamilies"))
}

// alone models ValidateServiceClusterIPsRelatedFields.
func (a *addressing) alone() {
	switch {
	case a.ip == "" && a.ips.Len() > 0:
		a.add(invalid(ipsPath, a.ips, "must be empty when `clusterIP` is not specified"))
	case a.ips.Len() > 0 && a.ips.At(0) != a.ip:
		a.add(invalid(ipsPath, a.ips, "first value must match `clusterIP`"))
	}
	for i, family := range a.families.All() {
		path := fmt.Sprintf("%s[%d]", familiesPath, i)
		text, _ := family.(string)
		a.one(path, text, "IPv4", "IPv6")
		for j := range i {
			if a.families.At(j) == family {
				a.add(&api.FieldError{Type: api.FieldDuplicate, Field: path, Value: family})
				break
			}
		}
	}
	a.one(policyPath, a.policy, preferDual, requireDual, singleStack)
	bad, kinds := false, map[bool]bool{}
	for i, x := range a.ips.All() {
		text, _ := x.(string)
		kinds[strings.Contains(text, ":")] = true
		wrong := ""
		if !contains(listed(a.old, "clusterIPs"), text) {
			wrong = wrongAddress(text, false)
		}
		switch {
		case i == 0 && text == noAddress:
			if a.ips.Len() > 1 {
				bad = true
				a.add(invalid(ipsPath, a.ips, "'None' must be the first and only value"))
			}
		case wrong != "":
			bad = true
			a.add(invalid(fmt.Sprintf("%s[%d]", ipsPath, i), text, wrong))
		}
	}
	if a.ips.Len() > 2 {
		a.add(invalid(ipsPath, a.ips, "may only hold up to 2 values"))
	}
	if bad {
		return
	}
	if a.ips.Len() > 1 && len(kinds) < 2 {
		a.add(invalid(ipsPath, a.ips, "may specify no more than one IP for each IP family"))
	}
	for i := range min(a.ips.Len(), a.families.Len()) {
		text, _ := a.ips.At(i).(string)
		if family := a.families.At(i); a.ip != noAddress && (family == "IPv4" || family == "IPv6") && family != familyOf(text) {
			a.add(invalid(fmt.Sprintf("%s[%d]", ipsPath, i), text, fmt.Sprintf("expected an %s value as indicated by `ipFamilies[%d]`", family, i)))
		}
	}
}

func familyOf(ip string) string {
	if strings.Contains(ip, ":") {
		return "IPv6"
	}
	return "IPv4"
}

// together checks that the policy, the addresses and the families fit, and takes
// families from addresses.
func (a *addressing) together() {
	for _, part := range []struct {
		list *(*object.List)
		was  *object.List
		one  string
		many string
	}{
		{&a.ips, listed(a.old, "clusterIPs"), "cluster IP", "cluster IPs"},
		{&a.families, listed(a.old, "ipFamilies"), "IP family", "IP families"},
	} {
		list := *part.list
		if a.policy == singleStack {
			if a.update && list.Len() > 1 && object.Equal(list, part.was) {
				// Said alone, it is clear what is meant.
				*part.list = object.NewList(list.At(0))
			} else if list.Len() == 2 {
				a.add(invalid(policyPath, a.policy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple "+part.many+" are specified"))
			}
		} else if list.Len() > 0 && list.Len() < part.was.Len() {
			a.add(invalid(policyPath, a.policy, "must be 'SingleStack' to release the secondary "+part.one))
		}
	}
	for i, x := range a.ips.All() {
		if ip, _ := x.(string); ip == noAddress {
			break
		} else if i < a.families.Len() {
			continue
		} else if family := familyOf(ip); family != "IPv4" {
			a.add(invalid(fmt.Sprintf("%s[%d]", ipsPath, i), a.ips, family+" is not configured on this cluster"))
		} else {
			a.families = a.families.Append(family)
		}
	}
}

// complete sets the families that were not asked for, and refuses those that the
// cluster does not have.
func (a *addressing) complete() {
	if !a.free() {
		if a.policy == requireDual {
			a.add(invalid(policyPath, a.policy, "this cluster is not configured for dual-stack services"))
		}
		for i, family := range a.families.All() {
			if family != "IPv4" {
				a.add(invalid(fmt.Sprintf("%s[%d]", familiesPath, i), family, "not configured on this cluster"))
			}
		}
	}
	if a.families.Len() == 0 {
		a.families = object.Strings("IPv4")
	}
	if a.free() && a.families.Len() == 1 && a.policy != singleStack {
		other := "IPv6"
		if a.families.At(0) == other {
			other = "IPv4"
		}
		a.families = a.families.Append(other)
	}
}
