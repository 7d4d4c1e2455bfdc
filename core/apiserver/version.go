package apiserver

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

var kubeVersionRE = regexp.MustCompile("^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$")

// compareVersions orders API versions as Kubernetes prefers them: stable ones
// first, then beta, then alpha, newer ones first, then all others by name.
// Models apimachinery's version.CompareKubeAwareVersionStrings.
func compareVersions(a, b string) int {
	ma, mb := kubeVersionRE.FindStringSubmatch(a), kubeVersionRE.FindStringSubmatch(b)
	switch {
	case ma == nil && mb == nil:
		return strings.Compare(a, b)
	case ma == nil:
		return 1
	case mb == nil:
		return -1
	}
	stage := map[string]int{"": 0, "beta": 1, "alpha": 2}
	if c := cmp.Compare(stage[ma[2]], stage[mb[2]]); c != 0 {
		return c
	}
	if c := cmp.Compare(number(mb[1]), number(ma[1])); c != 0 {
		return c
	}
	return cmp.Compare(number(mb[3]), number(ma[3]))
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
