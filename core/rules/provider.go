package rules

import (
	"slices"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// provider tells the compiler of the types of a schema; what it does not know
// it asks another. Models apiservercel.DeclTypeProvider.
type provider struct {
	types.Provider
	types.Adapter
	objects map[string]*declared
}

func newProvider(root *declared, base types.Provider, adapter types.Adapter) *provider {
	p := &provider{Provider: base, Adapter: adapter, objects: map[string]*declared{}}
	p.add(root)
	return p
}

func (p *provider) add(d *declared) {
	if d == nil {
		return
	}
	if d.fields != nil {
		p.objects[d.kind.TypeName()] = d
		for _, ident := range sortedFields(d) {
			p.add(d.fields[ident])
		}
	}
	p.add(d.elem)
}

// FindStructType implements types.Provider.
func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if d, ok := p.objects[name]; ok {
		return types.NewTypeTypeWithParam(d.kind), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldNames implements types.Provider.
func (p *provider) FindStructFieldNames(string) ([]string, bool) { return []string{}, false }

// FindStructFieldType implements types.Provider. A reserved word may stand for
// its escape.
func (p *provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	d, ok := p.objects[name]
	if !ok {
		return p.Provider.FindStructFieldType(name, field)
	}
	f, ok := d.fields[field]
	if !ok && slices.Contains(reserved, field) {
		f, ok = d.fields["__"+field+"__"]
	}
	if !ok {
		return nil, false
	}
	return &types.FieldType{Type: f.kind}, true
}

// NativeToValue implements types.Adapter.
func (p *provider) NativeToValue(v any) ref.Val { return p.Adapter.NativeToValue(v) }
