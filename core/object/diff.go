package object

import (
	"strconv"
	"strings"
)

// Change is one difference between two trees at one path.
type Change struct {
	// Path is a field path such as spec.ports[0].name; keys with other
	// characters than letters, digits, '-' and '_' stand as ["a.b/c"]. It is
	// empty for the root.
	Path string `json:"path"`
	// Op is "add", "remove" or "replace".
	Op string `json:"op"`
	// Before is what was there (nil for "add"), After what is there now (nil
	// for "remove").
	Before any `json:"before"`
	After  any `json:"after"`
}

// Diff lists what must change to make before into after: deepest paths, in the
// order of the sorted keys. Lists are compared item by item. A subtree that
// was added or removed is one Change. Equal trees give nil.
func Diff(before, after any) []Change { return appendDiff(nil, "", before, after) }

func appendDiff(out []Change, path string, a, b any) []Change {
	if Same(a, b) {
		return out
	}
	if am, ok := a.(*Map); ok {
		if bm, ok := b.(*Map); ok {
			return diffMaps(out, path, am, bm)
		}
	}
	if al, ok := a.(*List); ok {
		if bl, ok := b.(*List); ok {
			return diffLists(out, path, al, bl)
		}
	}
	if Equal(a, b) {
		return out
	}
	return append(out, Change{path, "replace", a, b})
}

func diffMaps(out []Change, path string, a, b *Map) []Change {
	i, j := 0, 0
	for i < a.Len() || j < b.Len() {
		switch {
		case j == b.Len() || i < a.Len() && a.fields[i].Key < b.fields[j].Key:
			out = append(out, Change{JoinPath(path, a.fields[i].Key), "remove", a.fields[i].Value, nil})
			i++
		case i == a.Len() || a.fields[i].Key > b.fields[j].Key:
			out = append(out, Change{JoinPath(path, b.fields[j].Key), "add", nil, b.fields[j].Value})
			j++
		default:
			out = appendDiff(out, JoinPath(path, a.fields[i].Key), a.fields[i].Value, b.fields[j].Value)
			i++
			j++
		}
	}
	return out
}

func diffLists(out []Change, path string, a, b *List) []Change {
	for i := range max(a.Len(), b.Len()) {
		p := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case i >= b.Len():
			out = append(out, Change{p, "remove", a.At(i), nil})
		case i >= a.Len():
			out = append(out, Change{p, "add", nil, b.At(i)})
		default:
			out = appendDiff(out, p, a.At(i), b.At(i))
		}
	}
	return out
}

// JoinPath adds a map key to a field path.
func JoinPath(path, key string) string {
	if !plainKey(key) {
		return path + "[" + strconv.Quote(key) + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func plainKey(key string) bool {
	return key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}
