package reconcile

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// script is a Wire that gives prepared answers and keeps what was asked.
type script struct {
	Wire
	answers []api.Response
	asked   []api.Request
	lines   []string
	log     []string
}

func (s *script) Do(req api.Request) api.Response {
	s.asked = append(s.asked, req)
	answer := s.answers[0]
	s.answers = s.answers[1:]
	return answer
}

func (s *script) Cloud(api.CloudRequest) api.CloudResponse { return api.CloudResponse{} }
func (s *script) Now() time.Time                           { return time.Time{} }
func (s *script) At(line string)                           { s.lines = append(s.lines, line) }
func (s *script) Log(line string)                          { s.log = append(s.log, line) }

func body(req api.Request) string { return string(object.EncodeJSON(req.Body)) }

func ok(o object.Object) api.Response { return api.Response{Code: 200, Object: o} }

func stored() object.Object {
	return object.FromMap(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"namespace": "default", "name": "a", "uid": "u", "resourceVersion": "7",
			"labels": map[string]any{"x": "1", "y": "2"}},
		"data": map[string]any{"k": "v"},
	})
}

func notFound() api.Response {
	s := api.NewNotFound(object.GVR{Version: "v1", Resource: "configmaps"}, "a")
	return api.Response{Code: s.Code, Status: s}
}

func TestRequests(t *testing.T) {
	w := &script{answers: slices.Repeat([]api.Response{ok(stored())}, 6)}
	ctx, c := NewContext(context.Background(), w), Client{UserAgent: "lab/v0"}
	var cm ConfigMap
	if err := c.Get(ctx, Request{Namespace: "default", Name: "a"}, &cm); err != nil || cm.Data["k"] != "v" || cm.ResourceVersion != "7" {
		t.Fatalf("get: %v, %+v", err, cm)
	}
	patch := MergeFromWithOptimisticLock(&cm)
	plain := MergeFrom(&cm)
	cm.Labels = map[string]string{"x": "1", "z": "3"}
	cm.Data = nil
	for _, err := range []error{c.Patch(ctx, &cm, patch), nil} {
		if err != nil || cm.Data["k"] != "v" {
			t.Fatalf("after a patch the object is not as the server returned it: %v, %+v", err, cm)
		}
	}
	cm.Annotations = map[string]string{"a": "b"}
	_ = c.Status().Patch(ctx, &cm, plain)
	_ = c.Update(ctx, &cm)
	_ = c.Status().Update(ctx, &cm)
	_ = c.Delete(ctx, &cm)
	want := []string{
		`get default/a  null`,
		`patch default/a  {"data":null,"metadata":{"labels":{"y":null,"z":"3"},"resourceVersion":"7"}}`,
		`patch default/a status {"metadata":{"annotations":{"a":"b"}}}`,
		`update default/a  ` + string(object.EncodeJSON(stored().Root())),
		`update default/a status ` + string(object.EncodeJSON(stored().Root())),
		`delete default/a  {"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u"}}`,
	}
	for i, req := range w.asked {
		got := strings.Join([]string{string(req.Verb), req.Namespace + "/" + req.Name, req.Subresource, body(req)}, " ")
		if got != want[i] || req.Resource != "configmaps" || req.UserAgent != "lab/v0" {
			t.Errorf("request %d is\n%s, want\n%s", i, got, want[i])
		}
		if !strings.HasPrefix(w.lines[i], "client_test.go:") {
			t.Errorf("request %d stands at %s", i, w.lines[i])
		}
	}
}

func TestListRequest(t *testing.T) {
	w := &script{answers: []api.Response{{Code: 200, List: &api.ObjectList{Items: []object.Object{stored(), stored()}}}}}
	var list configMapList
	err := Client{}.List(NewContext(context.Background(), w), &list, InNamespace("default"), MatchingLabels(map[string]string{"b": "2", "a": "1"}))
	if err != nil || len(list.Items) != 2 || list.Items[1].Data["k"] != "v" {
		t.Fatalf("%v, %+v", err, list)
	}
	if req := w.asked[0]; req.Verb != api.List || req.Namespace != "default" || req.LabelSelector != "a=1,b=2" {
		t.Fatalf("asked %+v", req)
	}
}

type configMapList struct {
	TypeMeta `json:",inline"`
	Items    []ConfigMap `json:"items"`
}

func (*configMapList) Resource() Resource { return (*ConfigMap)(nil).Resource() }

func TestErrorLeavesTheObjectAsItWas(t *testing.T) {
	w := &script{answers: []api.Response{notFound()}}
	cm := ConfigMap{ObjectMeta: ObjectMeta{Namespace: "default", Name: "a"}, Data: map[string]string{"mine": "x"}}
	err := Client{}.Get(NewContext(context.Background(), w), KeyFor(&cm), &cm)
	if !api.IsNotFound(err) || IgnoreNotFound(err) != nil || cm.Data["mine"] != "x" {
		t.Fatalf("%v, %+v", err, cm)
	}
}

func TestCreateOrUpdate(t *testing.T) {
	for _, tc := range []struct {
		name    string
		answers []api.Response
		value   string
		want    OperationResult
		verbs   string
	}{
		{"missing", []api.Response{notFound(), ok(stored())}, "v", OperationResultCreated, "get create"},
		{"same", []api.Response{ok(stored())}, "v", OperationResultNone, "get"},
		{"different", []api.Response{ok(stored()), ok(stored())}, "w", OperationResultUpdated, "get update"},
	} {
		w := &script{answers: tc.answers}
		cm := &ConfigMap{ObjectMeta: ObjectMeta{Namespace: "default", Name: "a"}}
		got, err := CreateOrUpdate(NewContext(context.Background(), w), Client{}, cm, func() error {
			if cm.Data == nil {
				cm.Data = map[string]string{}
			}
			cm.Data["k"] = tc.value
			return nil
		})
		var verbs []string
		for _, req := range w.asked {
			verbs = append(verbs, string(req.Verb))
		}
		if err != nil || got != tc.want || strings.Join(verbs, " ") != tc.verbs {
			t.Errorf("%s: %s %v by %v", tc.name, got, err, verbs)
		}
		if slices.ContainsFunc(w.lines, func(l string) bool { return !strings.HasPrefix(l, "client_test.go:") }) {
			t.Errorf("%s: the calls stand at %v", tc.name, w.lines)
		}
	}
}

func TestContextWithoutAPassPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a reconciler ran outside a pass")
		}
	}()
	WireFrom(context.Background())
}
