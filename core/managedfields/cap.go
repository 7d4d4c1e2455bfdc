package managedfields

import (
	"cmp"
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// maxUpdateManagers bounds the Update entries of an object.
const maxUpdateManagers = 10

// ancientManager gets the fields of the oldest Update entries beyond that.
const ancientManager = "ancient-changes"

// ids are the owners in order of their text.
func (m *managed) ids() []string { return slices.Sorted(maps.Keys(m.fields)) }

// capUpdates merges the oldest Update entries, one bucket for each version,
// until there are no more than maxUpdateManagers. Models capManagersManager.
func (m *managed) capUpdates() {
	if len(m.fields) <= maxUpdateManagers {
		return
	}
	var updaters []string
	for _, id := range m.ids() {
		if !m.fields[id].Applied() {
			updaters = append(updaters, id)
		}
	}
	slices.SortStableFunc(updaters, func(a, b string) int {
		return cmp.Or(compareTimes(m.times[a], m.times[b]), cmp.Compare(a, b))
	})
	first := map[string]string{}
	over := len(updaters) - maxUpdateManagers
	for _, id := range updaters {
		if over <= 0 {
			return
		}
		vs, time := m.fields[id], m.times[id]
		version := string(vs.APIVersion())
		oldest, seen := first[version]
		if !seen {
			first[version] = id
			continue
		}
		by := owner{manager: ancientManager, operation: opUpdate, apiVersion: version}
		bucket := by.id()
		if _, ok := m.fields[bucket]; !ok {
			m.fields[bucket], m.owners[bucket] = m.fields[oldest], by
			delete(m.fields, oldest)
		}
		m.fields[bucket] = fieldpath.NewVersionedSet(vs.Set().Union(m.fields[bucket].Set()), vs.APIVersion(), vs.Applied())
		delete(m.fields, id)
		m.times[bucket] = time
		over--
	}
}
