package reconcile

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/object"
)

// MarshalJSON and UnmarshalJSON make encoding/json the judge of the converter,
// in tests alone.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(t.String())
}

func (t *Time) UnmarshalJSON(b []byte) error {
	var s *string
	if err := json.Unmarshal(b, &s); err != nil || s == nil {
		return err
	}
	parsed, err := time.Parse(time.RFC3339, *s)
	t.Time = parsed
	return err
}

func drawWebApp(t *rapid.T) *WebApp {
	text := rapid.SampledFrom([]string{"", "a", "b/c", "é"})
	stringMap := rapid.OneOf(rapid.Just(map[string]string(nil)), rapid.MapOf(text, text))
	moment := rapid.Custom(func(t *rapid.T) Time {
		return NewTime(time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "seconds"), 0))
	})
	app := &WebApp{
		TypeMeta: TypeMeta{APIVersion: text.Draw(t, "apiVersion"), Kind: text.Draw(t, "kind")},
		ObjectMeta: ObjectMeta{
			Name: text.Draw(t, "name"), Generation: rapid.Int64().Draw(t, "generation"), CreationTimestamp: moment.Draw(t, "created"),
			DeletionTimestamp: rapid.Ptr(moment, true).Draw(t, "deleted"), Labels: stringMap.Draw(t, "labels"),
			Finalizers: rapid.SliceOfN(text, 0, 3).Draw(t, "finalizers"),
		},
		Spec: WebAppSpec{
			Message: text.Draw(t, "message"), Replicas: rapid.Ptr(rapid.Int64Range(0, 3), true).Draw(t, "replicas"),
			LoadBalancer: rapid.Bool().Draw(t, "loadBalancer"),
		},
	}
	if rapid.Bool().Draw(t, "owned") {
		app.OwnerReferences = []OwnerReference{{Name: text.Draw(t, "owner"), Controller: rapid.Ptr(rapid.Bool(), true).Draw(t, "controller")}}
	}
	if rapid.Bool().Draw(t, "status") {
		app.Status = WebAppStatus{
			ObservedGeneration: rapid.Int64().Draw(t, "observed"), LoadBalancer: &LoadBalancer{ID: text.Draw(t, "id")},
			Conditions: []Condition{{Type: text.Draw(t, "type"), LastTransitionTime: moment.Draw(t, "since")}},
		}
	}
	return app
}

// The converter writes and reads what encoding/json does.
func TestConverterAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		app := drawWebApp(t)
		text, err := json.Marshal(app)
		if err != nil {
			t.Fatal(err)
		}
		want, err := object.DecodeJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		tree := ToTree(app)
		if !object.Equal(tree, want) {
			t.Fatalf("tree %s\nwant %s", object.EncodeJSON(tree), text)
		}
		var got, byJSON WebApp
		got.Spec.ConfigRef = "to be overwritten"
		if err := FromTree(tree, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &byJSON); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(byJSON, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestConverterErrorsSayWhere(t *testing.T) {
	for text, want := range map[string]string{
		`{"spec":{"message":1}}`:                               `spec.message: 1 does not fit into string`,
		`{"spec":{"replicas":1.5}}`:                            `spec.replicas: 1.5 does not fit into int64`,
		`{"spec":[]}`:                                          `spec: [] does not fit into reconcile.WebAppSpec`,
		`{"metadata":{"labels":{"a.b/c":true}}}`:               `metadata.labels["a.b/c"]: true does not fit into string`,
		`{"status":{"conditions":[{"type":"a"},{"type":{}}]}}`: `status.conditions[1].type: {} does not fit into string`,
		`{"metadata":{"creationTimestamp":"yesterday"}}`:       `metadata.creationTimestamp: "yesterday" does not fit into reconcile.Time`,
		`{"metadata":{"managedFields":{}}}`:                    `metadata.managedFields: {} does not fit into *object.List`,
		`{"metadata":{"finalizers":"x"}}`:                      `metadata.finalizers: "x" does not fit into []string`,
		`{"spec":{"loadBalancer":"true"}}`:                     `spec.loadBalancer: "true" does not fit into bool`,
		`{"metadata":{"ownerReferences":[{"controller":0}]}}`:  `metadata.ownerReferences[0].controller: 0 does not fit into bool`,
	} {
		tree, err := object.DecodeJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := FromTree(tree, new(WebApp)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestConverterKeepsTrees(t *testing.T) {
	type holder struct {
		Any  any            `json:"any"`
		Tree *object.Map    `json:"tree"`
		List *object.List   `json:"list"`
		Many map[string]any `json:"many"`
		Real float64        `json:"real"`
	}
	tree, _ := object.DecodeJSON([]byte(`{"any":[1,"a",null],"tree":{"k":{}},"list":[{}],"many":{"x":1,"y":null},"real":2}`))
	var h holder
	if err := FromTree(tree, &h); err != nil {
		t.Fatal(err)
	}
	want, _ := object.DecodeJSON([]byte(`{"any":[1,"a",null],"tree":{"k":{}},"list":[{}],"many":{"x":1,"y":null},"real":2.0}`))
	if got := ToTree(h); !strings.Contains(string(object.EncodeJSON(got)), `"any":[1,"a",null]`) || !object.Equal(got, want) {
		t.Fatalf("%s, want %s", object.EncodeJSON(got), object.EncodeJSON(want))
	}
}
