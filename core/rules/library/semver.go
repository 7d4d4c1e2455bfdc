package library

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

var semverType = cel.ObjectType("kubernetes.Semver")

// version is one of semver.org; what is built of it bears on no comparison.
type version struct {
	major, minor, patch uint64
	pre                 []prerelease
}

// prerelease is one part between the dots: a number, or a text.
type prerelease struct {
	number uint64
	text   string
}

func (v version) compare(o version) int {
	first := cmp.Or(cmp.Compare(v.major, o.major), cmp.Compare(v.minor, o.minor), cmp.Compare(v.patch, o.patch))
	switch {
	case first != 0 || len(v.pre) == 0 && len(o.pre) == 0:
		return first
	case len(v.pre) == 0:
		return 1
	case len(o.pre) == 0:
		return -1
	}
	return slices.CompareFunc(v.pre, o.pre, func(a, b prerelease) int {
		// A number is less than a text, whose number is 0 and whose text is not empty.
		if (a.text == "") != (b.text == "") {
			return cmp.Compare(len(a.text), len(b.text))
		}
		return cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.text, b.text))
	})
}

const (
	digits   = "0123456789"
	alphanum = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-" + digits
)

func only(s, set string) bool { return strings.Trim(s, set) == "" }

func leadingZero(s string) bool { return len(s) > 1 && s[0] == '0' }

func parseVersion(s string) (version, error) {
	var v version
	if s == "" {
		return v, errors.New("Version string empty")
	}
	parts := strings.SplitN(s, ".", 3)
	if len(parts) != 3 {
		return v, errors.New("No Major.Minor.Patch elements found")
	}
	rest, build, hasBuild := strings.Cut(parts[2], "+")
	patch, pre, hasPre := strings.Cut(rest, "-")
	for _, n := range []struct {
		name, lower, text string
		to                *uint64
	}{{"Major", "major", parts[0], &v.major}, {"Minor", "minor", parts[1], &v.minor}, {"Patch", "patch", patch, &v.patch}} {
		if !only(n.text, digits) {
			return v, fmt.Errorf("Invalid character(s) found in %s number %q", n.lower, n.text)
		}
		if leadingZero(n.text) {
			return v, fmt.Errorf("%s number must not contain leading zeroes %q", n.name, n.text)
		}
		number, err := strconv.ParseUint(n.text, 10, 64)
		if err != nil {
			return v, err
		}
		*n.to = number
	}
	if hasPre {
		for _, part := range strings.Split(pre, ".") {
			p, err := parsePrerelease(part)
			if err != nil {
				return v, err
			}
			v.pre = append(v.pre, p)
		}
	}
	if hasBuild {
		for _, part := range strings.Split(build, ".") {
			if part == "" {
				return v, errors.New("Build meta data is empty")
			}
			if !only(part, alphanum) {
				return v, fmt.Errorf("Invalid character(s) found in build meta data %q", part)
			}
		}
	}
	return v, nil
}

func parsePrerelease(s string) (prerelease, error) {
	switch {
	case s == "":
		return prerelease{}, errors.New("Prerelease is empty")
	case only(s, digits):
		if leadingZero(s) {
			return prerelease{}, fmt.Errorf("Numeric PreRelease version must not contain leading zeroes %q", s)
		}
		n, err := strconv.ParseUint(s, 10, 64)
		return prerelease{number: n}, err
	case only(s, alphanum):
		return prerelease{text: s}, nil
	}
	return prerelease{}, fmt.Errorf("Invalid character(s) found in prerelease %q", s)
}

// parseLoose takes a leading v, leading zeros, and versions of one or two
// numbers as well.
func parseLoose(s string) (version, error) {
	parts := strings.SplitN(strings.TrimPrefix(s, "v"), ".", 3)
	for i, p := range parts {
		if len(p) > 1 {
			p = strings.TrimLeft(p, "0")
			if p == "" || !strings.Contains(digits, p[:1]) {
				p = "0" + p
			}
			parts[i] = p
		}
	}
	if len(parts) < 3 && strings.ContainsAny(parts[len(parts)-1], "+-") {
		return version{}, errors.New("short version cannot contain PreRelease/Build meta data")
	}
	for len(parts) < 3 {
		parts = append(parts, "0")
	}
	return parseVersion(strings.Join(parts, "."))
}

type semverValue struct{ opaque[version] }

// ConvertToType implements ref.Val.
func (s semverValue) ConvertToType(want ref.Type) ref.Val { return s.to(s, want) }

// Equal implements ref.Val.
func (s semverValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(semverValue)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(s.v.compare(o.v) == 0)
}

func parseAs(s string, loose bool) (version, error) {
	if loose {
		return parseLoose(s)
	}
	return parseVersion(s)
}

func toSemver(s string, loose bool) ref.Val {
	v, err := parseAs(s, loose)
	if err != nil {
		return types.WrapErr(err)
	}
	return semverValue{opaque[version]{semverType, "Semver", v}}
}

func isSemver(s string, loose bool) ref.Val {
	_, err := parseAs(s, loose)
	return types.Bool(err == nil)
}

func semverFunctions() []cel.EnvOption {
	compared := func(name, overload string, result *cel.Type, f func(order int) ref.Val) cel.EnvOption {
		return member(name, overload, result, binary(func(a, b version) ref.Val { return f(a.compare(b)) }), semverType, semverType)
	}
	part := func(name, overload string, get func(version) uint64) cel.EnvOption {
		return member(name, overload, cel.IntType, unary(func(v version) ref.Val { return types.Int(get(v)) }), semverType)
	}
	return []cel.EnvOption{
		global("semver", "string_to_semver", semverType, unary(func(s string) ref.Val { return toSemver(s, false) }), cel.StringType),
		global("semver", "string_bool_to_semver", semverType, binary(toSemver), cel.StringType, cel.BoolType),
		global("isSemver", "is_semver_string", cel.BoolType, unary(func(s string) ref.Val { return isSemver(s, false) }), cel.StringType),
		global("isSemver", "is_semver_string_bool", cel.BoolType, binary(isSemver), cel.StringType, cel.BoolType),
		compared("isGreaterThan", "semver_is_greater_than", cel.BoolType, func(o int) ref.Val { return types.Bool(o > 0) }),
		compared("isLessThan", "semver_is_less_than", cel.BoolType, func(o int) ref.Val { return types.Bool(o < 0) }),
		compared("compareTo", "semver_compare_to", cel.IntType, func(o int) ref.Val { return types.Int(o) }),
		part("major", "semver_major", func(v version) uint64 { return v.major }),
		part("minor", "semver_minor", func(v version) uint64 { return v.minor }),
		part("patch", "semver_patch", func(v version) uint64 { return v.patch }),
	}
}
