package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/peers"
	"github.com/reconcile-playground/reconcile/core/peers/adapter"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// line is a wire that leads straight to a server, and notes what is asked.
type line struct {
	reconcile.Wire
	server *apiserver.Server
	now    time.Time
	calls  []api.Request
	log    []string
	lost   bool
}

func (l *line) Do(req api.Request) api.Response {
	l.calls = append(l.calls, req)
	resp := l.server.Do(l.now, req)
	if l.lost {
		return api.Response{Status: api.NewNoReply()}
	}
	return resp
}
func (l *line) Now() time.Time  { return l.now }
func (l *line) At(string)       {}
func (l *line) Log(text string) { l.log = append(l.log, text) }

// onePass runs f as a pass over the cluster of the lab.
func onePass(t *testing.T, f func(ctx context.Context, m *adapter.Manager, l *line) error) *line {
	t.Helper()
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{server: s.World().Server(), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	r, err := adapter.New(s, scheme(t), adapter.Options{}, func(m *adapter.Manager) (ctrlreconcile.Reconciler, error) {
		return ctrlreconcile.Func(func(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
			return ctrl.Result{}, f(ctx, m, l)
		}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Reconcile(reconcile.NewContext(context.Background(), l), reconcile.Request{}); err != nil {
		t.Error(err)
	}
	return l
}

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"app": "web"}}, Data: data}
}

func webApp(name string) *peers.WebApp {
	return &peers.WebApp{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: peers.WebAppSpec{Message: "hello"}}
}

// all runs steps until one fails, and says which.
func all(steps ...func() error) error {
	for i, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

// is makes an error of a condition that does not hold.
func is(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// The errors are those that package apierrors asks for, and each call is one.
func TestWrites(t *testing.T) {
	l := onePass(t, func(ctx context.Context, m *adapter.Manager, _ *line) error {
		c, app, stale := m.GetClient(), webApp("a"), webApp("a")
		key := client.ObjectKeyFromObject(app)
		return all(
			func() error { return c.Create(ctx, app) },
			func() error { return is(app.UID != "" && *app.Spec.Replicas == 1, "%+v", app) },
			func() error { return is(apierrors.IsAlreadyExists(c.Create(ctx, webApp("a"))), "created twice") },
			func() error {
				return is(apierrors.IsNotFound(c.Get(ctx, types.NamespacedName{Name: "b", Namespace: "default"}, webApp(""))), "found")
			},
			func() error {
				return is(apierrors.IsInvalid(c.Create(ctx, &peers.WebApp{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c"}})), "no message taken")
			},
			func() error { return c.Get(ctx, key, stale) },
			func() error { app.Spec.Message = "bye"; return c.Update(ctx, app) },
			func() error {
				stale.Spec.Message = "no"
				return is(apierrors.IsConflict(c.Update(ctx, stale)), "stale taken")
			},
			func() error {
				p := client.MergeFromWithOptions(stale.DeepCopyObject().(client.Object), client.MergeFromWithOptimisticLock{})
				stale.Spec.Message = "still no"
				return is(apierrors.IsConflict(c.Patch(ctx, stale, p)), "stale patch taken")
			},
			func() error { app.Status.Phase = "Ready"; return c.Status().Update(ctx, app) },
			func() error { return is(app.Generation == 2 && app.Status.Phase == "Ready", "%+v", app) },
			func() error {
				p := client.MergeFrom(app.DeepCopyObject().(client.Object))
				app.Status.Phase = "Pending"
				return c.Status().Patch(ctx, app, p)
			},
			func() error {
				return c.Patch(ctx, app, client.RawPatch(types.JSONPatchType, []byte(`[{"op":"replace","path":"/spec/message","value":"json"}]`)))
			},
			func() error { return is(app.Spec.Message == "json" && app.Status.Phase == "Pending", "%+v", app) },
			func() error {
				return is(apierrors.IsUnsupportedMediaType(c.Patch(ctx, app, client.StrategicMergeFrom(webApp("a")))), "strategic patch of a custom resource taken")
			},
			func() error { return c.Delete(ctx, app, client.Preconditions{UID: &app.UID}) },
			func() error { return client.IgnoreNotFound(c.Delete(ctx, app)) },
			func() error { return is(apierrors.IsNotFound(c.Get(ctx, key, app)), "still there") },
		)
	})
	if len(l.calls) != 15 {
		t.Errorf("%d calls", len(l.calls))
	}
}

func TestOptions(t *testing.T) {
	onePass(t, func(ctx context.Context, m *adapter.Manager, l *line) error {
		c, cm := m.GetClient(), configMap("a", map[string]string{"k": "v"})
		owner := func(o client.Object) string { return o.GetManagedFields()[len(o.GetManagedFields())-1].Manager }
		return all(
			func() error { return c.Create(ctx, configMap("dry", nil), client.DryRunAll) },
			func() error {
				return is(apierrors.IsNotFound(c.Get(ctx, types.NamespacedName{Namespace: "default", Name: "dry"}, cm.DeepCopy())), "stored by a dry run")
			},
			func() error { return c.Create(ctx, cm) },
			func() error { return is(owner(cm) == "manager", "%+v", cm.ManagedFields) },
			func() error { cm.Data["k"] = "w"; return c.Update(ctx, cm, client.FieldOwner("me")) },
			func() error { return is(owner(cm) == "me", "%+v", cm.ManagedFields) },
			func() error {
				p := client.StrategicMergeFrom(cm.DeepCopy())
				delete(cm.Data, "k")
				cm.Data["l"] = "x"
				return c.Patch(ctx, cm, p)
			},
			func() error { return is(len(cm.Data) == 1 && cm.Data["l"] == "x", "%v", cm.Data) },
			func() error {
				return c.Apply(ctx, applycorev1.ConfigMap("a", "default").WithData(map[string]string{"m": "y"}), client.FieldOwner("applier"))
			},
			func() error {
				err := c.Apply(ctx, applycorev1.ConfigMap("a", "default").WithData(map[string]string{"l": "z"}), client.FieldOwner("applier"))
				return is(apierrors.IsConflict(err), "applied over another's: %v", err)
			},
			func() error {
				return c.Apply(ctx, applycorev1.ConfigMap("a", "default").WithData(map[string]string{"l": "z"}), client.FieldOwner("applier"), client.ForceOwnership)
			},
			func() error { return c.Get(ctx, client.ObjectKeyFromObject(cm), cm) },
			func() error { return is(len(cm.Data) == 1 && cm.Data["l"] == "z", "%v", cm.Data) },
			func() error { return c.Create(ctx, configMap("b", nil)) },
			func() error {
				return c.DeleteAllOf(ctx, &corev1.ConfigMap{}, client.InNamespace("default"), client.MatchingLabels{"app": "web"})
			},
			func() error {
				return is(apierrors.IsNotFound(c.Get(ctx, client.ObjectKeyFromObject(cm), cm)), "still there")
			},
			func() error {
				l.lost = true
				err := c.Create(ctx, configMap("lost", nil))
				l.lost = false
				return is(errors.Is(err, context.DeadlineExceeded) && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown, "%v", err)
			},
			func() error { return c.Get(ctx, types.NamespacedName{Namespace: "default", Name: "lost"}, cm) },
		)
	})
}

func TestReads(t *testing.T) {
	onePass(t, func(ctx context.Context, m *adapter.Manager, _ *line) error {
		c := m.GetClient()
		for _, name := range []string{"a", "b", "c"} {
			if err := c.Create(ctx, configMap(name, map[string]string{"name": name})); err != nil {
				return err
			}
		}
		in := client.InNamespace("default")
		partial := &metav1.PartialObjectMetadata{}
		partial.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
		untyped := &unstructured.UnstructuredList{}
		untyped.SetGroupVersionKind(peers.GroupVersion.WithKind("WebAppList"))
		var list corev1.ConfigMapList
		found := func(names string) error {
			var got []string
			for _, i := range list.Items {
				got = append(got, i.Name)
			}
			return is(strings.Join(got, " ") == names, "%v instead of %s", got, names)
		}
		notB, _ := labels.Parse("app in (web),app!=b")
		return all(
			func() error { return c.List(ctx, &list, in, client.MatchingLabelsSelector{Selector: notB}) },
			func() error { return found("a b c") },
			func() error { return c.List(ctx, &list, client.InNamespace("kube-system")) },
			func() error { return found("") },
			func() error { return m.GetAPIReader().List(ctx, &list, in, client.Limit(2)) },
			func() error { return found("a b") },
			func() error {
				return m.GetAPIReader().List(ctx, &list, in, client.Limit(2), client.Continue(list.Continue))
			},
			func() error { return found("c") },
			func() error {
				return m.GetAPIReader().List(ctx, &list, in, client.MatchingFields{"metadata.name": "b"})
			},
			func() error { return found("b") },
			func() error {
				return is(c.List(ctx, &list, client.MatchingFields{"data": "b"}) != nil, "no index, and no error")
			},
			func() error {
				return m.GetFieldIndexer().IndexField(ctx, &corev1.ConfigMap{}, "data", func(o client.Object) []string { return []string{o.(*corev1.ConfigMap).Data["name"]} })
			},
			func() error { return c.List(ctx, &list, client.MatchingFields{"data": "b"}) },
			func() error { return found("b") },
			func() error { return c.Get(ctx, types.NamespacedName{Namespace: "default", Name: "a"}, partial) },
			func() error { return is(partial.Kind == "ConfigMap" && partial.UID != "", "%+v", partial) },
			func() error {
				return c.Patch(ctx, partial, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"x":"y"}}}`)))
			},
			func() error {
				return is(partial.Labels["x"] == "y" && partial.Labels["app"] == "web", "%v", partial.Labels)
			},
			func() error { return is(c.Update(ctx, partial) != nil, "updated by metadata alone") },
			func() error { return c.Create(ctx, webApp("w")) },
			func() error { return c.List(ctx, untyped, in) },
			func() error {
				return is(len(untyped.Items) == 1 && untyped.Items[0].GetName() == "w", "%v", untyped.Items)
			},
		)
	})
}

func TestKinds(t *testing.T) {
	onePass(t, func(ctx context.Context, m *adapter.Manager, _ *line) error {
		c := m.GetClient()
		gvk, err := c.GroupVersionKindFor(&peers.WebApp{})
		if err := is(err == nil && gvk == (schema.GroupVersionKind{Group: "lab.example.com", Version: "v1", Kind: "WebApp"}), "%v %v", gvk, err); err != nil {
			return err
		}
		app, err := c.IsObjectNamespaced(&peers.WebApp{})
		ns, err2 := c.IsObjectNamespaced(&corev1.Namespace{})
		mapping, err3 := c.RESTMapper().RESTMapping(gvk.GroupKind(), "v1")
		if err := errors.Join(err, err2, err3); err != nil {
			return err
		}
		return is(app && !ns && mapping.Resource.Resource == "webapps" && c.Scheme() == m.GetScheme(), "%v %v %v", app, ns, mapping)
	})
}

// What a reconciler notes of the host's clock is stored as the virtual time, and
// what it logs stands in the record.
func TestTimesAndEvents(t *testing.T) {
	l := onePass(t, func(ctx context.Context, m *adapter.Manager, l *line) error {
		cm := configMap("a", map[string]string{"at": time.Now().UTC().Format(time.RFC3339), "past": "2001-02-03T04:05:06Z"})
		if err := m.GetClient().Create(ctx, cm); err != nil {
			return err
		}
		m.GetEventRecorderFor("x").Eventf(cm, "Normal", "Made", "it is %d", 1)
		return is(cm.Data["at"] == "2026-01-01T00:00:00Z" && cm.Data["past"] == "2001-02-03T04:05:06Z" && m.Now().Equal(l.now), "%v at %v", cm.Data, m.Now())
	})
	if len(l.log) != 1 || l.log[0] != "event Normal Made: it is 1" {
		t.Errorf("%q", l.log)
	}
}

// A call from another goroutine is refused: its place among the others would be
// chance.
func TestGoroutines(t *testing.T) {
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	r, err := adapter.New(s, scheme(t), adapter.Options{}, func(m *adapter.Manager) (ctrlreconcile.Reconciler, error) {
		return ctrlreconcile.Func(func(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
			var done sync.WaitGroup
			done.Go(func() { _ = m.GetClient().Get(ctx, types.NamespacedName{Name: "default"}, &corev1.Namespace{}) })
			done.Wait()
			return ctrl.Result{}, nil
		}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	l := &line{server: s.World().Server()}
	if _, err := r.Reconcile(reconcile.NewContext(context.Background(), l), reconcile.Request{}); err == nil || !strings.Contains(err.Error(), "goroutine") {
		t.Errorf("%v", err)
	}
	if len(l.calls) > 0 {
		t.Error("the call was made")
	}
}
