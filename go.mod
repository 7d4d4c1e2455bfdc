module github.com/reconcile-playground/reconcile

go 1.26.0

require (
	cel.dev/cel-go v0.33.2
	github.com/benhoyt/goawk v1.31.0
	github.com/google/go-cmp v0.7.0
	github.com/hack-pad/go-indexeddb v0.3.2
	github.com/itchyny/gojq v0.12.20
	github.com/tidwall/btree v1.8.2
	go.yaml.in/yaml/v3 v3.0.6
	golang.org/x/tools v0.52.0
	honnef.co/go/js/dom/v2 v2.0.0-20250304181735-b5e52f05e89d
	mvdan.cc/sh/v3 v3.14.1
	pgregory.net/rapid v1.3.0
	sigs.k8s.io/structured-merge-diff/v6 v6.4.2
)

require (
	cel.dev/expr v0.25.1 // indirect
	github.com/antlr4-go/antlr/v4 v4.13.1 // indirect
	github.com/hack-pad/safejs v0.1.0 // indirect
	github.com/itchyny/timefmt-go v0.1.9 // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
	golang.org/x/exp v0.0.0-20240823005443-9b4947da3948 // indirect
	golang.org/x/text v0.40.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20240826202546-f6391c0de4c7 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20240826202546-f6391c0de4c7 // indirect
	google.golang.org/protobuf v1.36.10 // indirect
)

// Of what structured-merge-diff imports, what is called here: the rest is not linked.
replace (
	github.com/json-iterator/go => ./core/managedfields/lean/json
	go.yaml.in/yaml/v2 => ./core/managedfields/lean/yaml
)
