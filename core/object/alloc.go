package object

// Most maps and lists are small, and there are very many of them: their fields
// lie behind them in one piece of memory, which halves what there is to allocate
// and to follow.
type (
	map1 struct {
		m  Map
		in [1]Field
	}
	map2 struct {
		m  Map
		in [2]Field
	}
	map3 struct {
		m  Map
		in [3]Field
	}
	map4 struct {
		m  Map
		in [4]Field
	}
	map5 struct {
		m  Map
		in [5]Field
	}
	map6 struct {
		m  Map
		in [6]Field
	}
	map8 struct {
		m  Map
		in [8]Field
	}
	map10 struct {
		m  Map
		in [10]Field
	}
)
type (
	list1 struct {
		l  List
		in [1]any
	}
	list2 struct {
		l  List
		in [2]any
	}
)

// newMap returns a Map of n fields, to be filled in.
func newMap(n int) *Map {
	switch n {
	case 0:
		return new(Map)
	case 1:
		p := new(map1)
		p.m.fields = p.in[:n:n]
		return &p.m
	case 2:
		p := new(map2)
		p.m.fields = p.in[:n:n]
		return &p.m
	case 3:
		p := new(map3)
		p.m.fields = p.in[:n:n]
		return &p.m
	case 4:
		p := new(map4)
		p.m.fields = p.in[:n:n]
		return &p.m
	case 5:
		p := new(map5)
		p.m.fields = p.in[:n:n]
		return &p.m
	case 6:
		p := new(map6)
		p.m.fields = p.in[:n:n]
		return &p.m
	case 7, 8:
		p := new(map8)
		p.m.fields = p.in[:n:n]
		return &p.m
	case 9, 10:
		p := new(map10)
		p.m.fields = p.in[:n:n]
		return &p.m
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
		p.l.items = p.in[:n:n]
		return &p.l
	case 2:
		p := new(list2)
		p.l.items = p.in[:n:n]
		return &p.l
	}
	return &List{items: make([]any, n)}
}
