package kubectl

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

const indentation = "    "

// appendIndented prints a value as json.MarshalIndent does with four spaces: the
// keys of the root in the order of a shape, if one is given, < > & escaped.
func appendIndented(b []byte, v any, depth int, s *shape) []byte {
	switch v := v.(type) {
	case *object.Map:
		if v.Len() == 0 {
			return append(b, "{}"...)
		}
		b = append(b, '{')
		start := len(b)
		if s == nil {
			for k, x := range v.All() {
				b = appendField(b, k, x, depth, start, nil)
			}
		} else {
			for k, x := range s.fields(v) {
				b = appendField(b, k, x, depth, start, s.under(k))
			}
		}
		return append(appendBreak(b, depth), '}')
	case *object.List:
		if v.Len() == 0 {
			return append(b, "[]"...)
		}
		b = append(b, '[')
		for i, x := range v.All() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendIndented(appendBreak(b, depth+1), x, depth+1, s)
		}
		return append(appendBreak(b, depth), ']')
	}
	return appendScalar(b, v)
}

// appendField prints one field of a map that begins at a place.
func appendField(b []byte, key string, v any, depth, start int, s *shape) []byte {
	if len(b) > start {
		b = append(b, ',')
	}
	b = append(appendScalar(appendBreak(b, depth+1), key), ": "...)
	return appendIndented(b, v, depth+1, s)
}

func appendBreak(b []byte, depth int) []byte {
	b = append(b, '\n')
	for range depth {
		b = append(b, indentation...)
	}
	return b
}

// appendScalar prints a text or number as encoding/json does.
func appendScalar(b []byte, v any) []byte {
	if s, ok := v.(string); ok && plainText(s) {
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	start := len(b)
	b = object.AppendJSON(b, v)
	if s, ok := v.(string); ok && strings.ContainsAny(s, "<>&") {
		text := escapeHTML.Replace(string(b[start:]))
		b = append(b[:start], text...)
	}
	return b
}

// plainText reports whether a text needs no escapes.
func plainText(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&':
			return false
		}
	}
	return true
}

var escapeHTML = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)

// compactJSON is the encoding of encoding/json on one line.
func compactJSON(v any) string {
	return escapeHTML.Replace(string(object.EncodeJSON(v)))
}

// shape is the order in which a Go struct prints its fields; a nil shape is that
// of a map, sorted. Keys that it does not name come last, sorted.
type shape struct {
	keys []string
	subs map[string]*shape
}

func newShape(keys string, subs map[string]*shape) *shape {
	return &shape{keys: strings.Fields(keys), subs: subs}
}

func (s *shape) under(key string) *shape {
	if s == nil {
		return nil
	}
	return s.subs[key]
}

func (s *shape) fields(m *object.Map) func(func(string, any) bool) {
	if s == nil {
		return m.All()
	}
	return func(yield func(string, any) bool) {
		for _, k := range s.keys {
			if v, ok := m.Get(k); ok && !yield(k, v) {
				return
			}
		}
		for k, v := range m.All() {
			known := false
			for _, other := range s.keys {
				known = known || other == k
			}
			if !known && !yield(k, v) {
				return
			}
		}
	}
}

var (
	metaShape = newShape("name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp "+
		"deletionGracePeriodSeconds labels annotations ownerReferences finalizers managedFields", nil)
	portShape = newShape("name protocol appProtocol port targetPort nodePort", nil)
	// typedShape prints the built-in kinds that kubectl makes itself.
	typedShape = newShape("kind apiVersion metadata immutable data binaryData stringData type groupVersion resources spec status items", map[string]*shape{
		"metadata":  metaShape,
		"resources": newShape("name singularName namespaced group version kind verbs shortNames categories storageVersionHash", nil),
		"spec": newShape("ports selector clusterIP clusterIPs type externalIPs sessionAffinity loadBalancerIP loadBalancerSourceRanges externalName "+
			"externalTrafficPolicy healthCheckNodePort publishNotReadyAddresses sessionAffinityConfig ipFamilies ipFamilyPolicy "+
			"allocateLoadBalancerNodePorts loadBalancerClass internalTrafficPolicy trafficDistribution finalizers", map[string]*shape{"ports": portShape}),
	})
)
