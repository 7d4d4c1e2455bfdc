package jq

import "slices"

// keyed is an item with what it is sorted by.
type keyed struct{ key, item any }

func byForm(f node, what string, finish func([]keyed) any) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		list, ok := in.([]any)
		if !ok {
			if what == "iterated over" {
				return failf("Cannot iterate over %s", shown(in))
			}
			return failf("%s cannot be %s, as it is not an array", shown(in), what)
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
		if what != "iterated over" {
			slices.SortStableFunc(all, func(a, b keyed) int { return Compare(a.key, b.key) })
		}
		return yield(finish(all), p.off())
	}
}

func sortedBy(all []keyed) any {
	list := make([]any, len(all))
	for i, k := range all {
		list[i] = k.item
	}
	return list
}

func groups(all []keyed) []any {
	list := []any{}
	for i, k := range all {
		if i > 0 && Compare(all[i-1].key, k.key) == 0 {
			last := list[len(list)-1].([]any)
			list[len(list)-1] = append(last, k.item)
			continue
		}
		list = append(list, []any{k.item})
	}
	return list
}

func uniqueBy(all []keyed) any {
	list := []any{}
	for _, g := range groups(all) {
		list = append(list, g.([]any)[0])
	}
	return list
}

// extreme is the first least item, or the last greatest one.
func extreme(all []keyed, sign int) any {
	if len(all) == 0 {
		return nil
	}
	best := all[0]
	for _, k := range all[1:] {
		if c := Compare(k.key, best.key); c < 0 && sign < 0 || c >= 0 && sign > 0 {
			best = k
		}
	}
	return best.item
}
