package jq

import "slices"

// keyed is an item with what it is sorted by.
type keyed struct{ key, item any }

func byForm(f node, what string, finish func(*machine, []keyed) any) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		list, ok := in.([]any)
		if !ok {
			return notGrouped(in, what)
		}
		all := make([]keyed, len(list))
		for i, item := range list {
			key := []any{}
			err := f(m, s, item, nil, func(v any, _ *trail) error {
				key = append(key, v)
				return nil
			})
			if err != nil {
				return err
			}
			if all[i] = (keyed{key, item}); len(key) == 1 {
				all[i].key = key[0]
			}
		}
		if what != byEnds {
			slices.SortStableFunc(all, func(a, b keyed) int { return m.compare(a.key, b.key, 0) })
		}
		return yield(finish(m, all), p.off())
	}
}

// byOrder and byEnds end what is said of an input that is no array.
const (
	byOrder = "sorted, as they are not both arrays"
	byEnds  = "iterated over"
)

// notGrouped is the error of an input that is no array: an object is asked for its
// keys before that shows.
func notGrouped(in any, what string) error {
	o, ok := in.(*Object)
	if !ok {
		return failf("Cannot iterate over %s", shown(in))
	}
	keys := make([]any, len(o.vals))
	for i, v := range o.vals {
		keys[i] = []any{v}
	}
	return failf("%s and %s cannot be %s", shown(in), shown(keys), what)
}

func sortedBy(_ *machine, all []keyed) any {
	list := make([]any, len(all))
	for i, k := range all {
		list[i] = k.item
	}
	return list
}

func groups(m *machine, all []keyed) []any {
	list := []any{}
	for i, k := range all {
		if i > 0 && m.compare(all[i-1].key, k.key, 0) == 0 {
			last := list[len(list)-1].([]any)
			list[len(list)-1] = append(last, k.item)
			continue
		}
		list = append(list, []any{k.item})
	}
	return list
}

func uniqueBy(m *machine, all []keyed) any {
	list := []any{}
	for _, g := range groups(m, all) {
		list = append(list, g.([]any)[0])
	}
	return list
}

// extreme is the first least item, or the last greatest one.
func extreme(m *machine, all []keyed, sign int) any {
	if len(all) == 0 {
		return nil
	}
	best := all[0]
	for _, k := range all[1:] {
		if c := m.compare(k.key, best.key, 0); c < 0 && sign < 0 || c >= 0 && sign > 0 {
			best = k
		}
	}
	return best.item
}
