package schema

import (
	"fmt"
	"maps"
	"slices"
)

// Warnings are what the server warns of when a CRD is stored: formats that it
// does not check, and sets of things that are not scalars. On an update only
// what was not there before is warned of; old is nil on a create. Models
// WarningsOnCreate and WarningsOnUpdate of the CRD's strategy.
func (c *CRD) Warnings(old *CRD) []string {
	formats, sets := c.doubts()
	knownFormats, knownSets := map[string]bool{}, map[string]bool{}
	if old != nil {
		before, setsBefore := old.doubts()
		for _, f := range before {
			knownFormats[f] = true
		}
		knownSets = setsBefore
	}
	var out []string
	for _, f := range formats {
		if !knownFormats[f] {
			out = append(out, fmt.Sprintf("unrecognized format %q", f))
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(sets)) {
		if !knownSets[typ] {
			out = append(out, fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", typ))
		}
	}
	return out
}

// doubts lists the formats that are not checked, and the item types of sets
// that are no scalars. Versions of one schema count once.
func (c *CRD) doubts() (formats []string, sets map[string]bool) {
	sets = map[string]bool{}
	visit := func(s *Schema) {
		if s.Format != "" && !formatChecked([]string{s.Type}, s.Format) {
			formats = append(formats, s.Format)
		}
		if s.ListType == "set" && s.Items != nil && (s.Items.Type == "object" || s.Items.Type == "array") {
			sets[s.Items.Type] = true
		}
	}
	for i, v := range c.Versions {
		same := i > 0 && v.Schema != nil && c.sameSchemas
		if v.Schema != nil && !same {
			v.Schema.walk(visit)
		}
	}
	return formats, sets
}
