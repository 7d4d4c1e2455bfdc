package object

// Most maps and lists are small, and there are very many of them: their fields
// lie behind them in one piece of memory, which halves what there is to allocate
// and to follow.

// newMap returns a Map of n fields, to be filled in.
func newMap(n int) *Map {
	switch n {
	case 0:
		return new(Map)
	case 1:
		p := new(struct {
			Map
			in [1]Field
		})
		p.fields = p.in[:]
		return &p.Map
	case 2:
		p := new(struct {
			Map
			in [2]Field
		})
		p.fields = p.in[:]
		return &p.Map
	case 3:
		p := new(struct {
			Map
			in [3]Field
		})
		p.fields = p.in[:]
		return &p.Map
	case 4:
		p := new(struct {
			Map
			in [4]Field
		})
		p.fields = p.in[:]
		return &p.Map
	case 5:
		p := new(struct {
			Map
			in [5]Field
		})
		p.fields = p.in[:]
		return &p.Map
	case 6:
		p := new(struct {
			Map
			in [6]Field
		})
		p.fields = p.in[:]
		return &p.Map
	case 7:
		p := new(struct {
			Map
			in [7]Field
		})
		p.fields = p.in[:]
		return &p.Map
	case 8:
		p := new(struct {
			Map
			in [8]Field
		})
		p.fields = p.in[:]
		return &p.Map
	case 9:
		p := new(struct {
			Map
			in [9]Field
		})
		p.fields = p.in[:]
		return &p.Map
	case 10:
		p := new(struct {
			Map
			in [10]Field
		})
		p.fields = p.in[:]
		return &p.Map
	case 11:
		p := new(struct {
			Map
			in [11]Field
		})
		p.fields = p.in[:]
		return &p.Map
	case 12:
		p := new(struct {
			Map
			in [12]Field
		})
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
		p := new(struct {
			List
			in [1]any
		})
		p.items = p.in[:]
		return &p.List
	case 2:
		p := new(struct {
			List
			in [2]any
		})
		p.items = p.in[:]
		return &p.List
	case 3:
		p := new(struct {
			List
			in [3]any
		})
		p.items = p.in[:]
		return &p.List
	case 4:
		p := new(struct {
			List
			in [4]any
		})
		p.items = p.in[:]
		return &p.List
	}
	return &List{items: make([]any, n)}
}
