// Package yaml stands in for go.yaml.in/yaml/v2 where structured-merge-diff
// imports it: to read schemas and objects written as YAML, which managedfields
// never does, since it hands over trees. The module's own YAML library does the
// work, so that no second one is linked.
package yaml

import "go.yaml.in/yaml/v3"

// Marshal returns v as YAML.
func Marshal(v any) ([]byte, error) { return yaml.Marshal(v) }

// Unmarshal reads YAML into v.
func Unmarshal(text []byte, v any) error { return yaml.Unmarshal(text, v) }
