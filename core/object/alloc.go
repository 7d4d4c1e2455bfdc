package object

// Most maps and lists are small, and there are very many of them: their fields
// lie behind them in one piece of memory, which halves what there is to allocate
// and to follow.
type (
	map1 struct {
		Map
		in [1]Field
	}
	map2 struct {
		Map
		in [2]Field
	}
	map3 struct {
		Map
		in [3]Field
	}
	map4 struct {
		Map
		in [4]Field
	}
	map5 struct {
		Map
		in [5]Field
	}
	map6 struct {
		Map
		in [6]Field
	}
	map7 struct {
		Map
		in [7]Field
	}
	map8 struct {
		Map
		in [8]Field
	}
	map9 struct {
		Map
		in [9]Field
	}
	map10 struct {
		Map
		in [10]Field
	}
	map11 struct {
		Map
		in [11]Field
	}
	map12 struct {
		Map
		in [12]Field
	}
)
type (
	list1 struct {
		List
		in [1]any
	}
	list2 struct {
		List
		in [2]any
	}
	list3 struct {
		List
		in [3]any
	}
	list4 struct {
		List
		in [4]any
	}
)

// newMap returns a Map of n fields, to be filled in.
func newMap(n int) *Map {
	switch n {
	case 0:
		return new(Map)
	case 1:
		p := new(map1)
		p.fields = p.in[:]
		return &p.Map
	case 2:
		p := new(map2)
		p.fields = p.in[:]
		return &p.Map
	case 3:
		p := new(map3)
		p.fields = p.in[:]
		return &p.Map
	case 4:
		p := new(map4)
		p.fields = p.in[:]
		return &p.Map
	case 5:
		p := new(map5)
		p.fields = p.in[:]
		return &p.Map
	case 6:
		p := new(map6)
		p.fields = p.in[:]
		return &p.Map
	case 7:
		p := new(map7)
		p.fields = p.in[:]
		return &p.Map
	case 8:
		p := new(map8)
		p.fields = p.in[:]
		return &p.Map
	case 9:
		p := new(map9)
		p.fields = p.in[:]
		return &p.Map
	case 10:
		p := new(map10)
		p.fields = p.in[:]
		return &p.Map
	case 11:
		p := new(map11)
		p.fields = p.in[:]
		return &p.Map
	case 12:
		p := new(map12)
		p.fields = p.in[:]
		return &p.Map
	}
	return &Map{fields: make([]Field, n)}
}

// mapOf returns a Map of fields that are in order; it keeps none of them.
func mapOf(fields []Field) *Map {
	m := newMap(len(fields))
	copy(m.fields, fields)
	return m
}

// newList returns a List of n items, to be filled in.
func newList(n int) *List {
	switch n {
	case 0:
		return new(List)
	case 1:
		p := new(list1)
		p.items = p.in[:]
		return &p.List
	case 2:
		p := new(list2)
		p.items = p.in[:]
		return &p.List
	case 3:
		p := new(list3)
		p.items = p.in[:]
		return &p.List
	case 4:
		p := new(list4)
		p.items = p.in[:]
		return &p.List
	}
	return &List{items: make([]any, n)}
}
