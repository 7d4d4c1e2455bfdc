package adapter_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/jq"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/peers/adapter"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// brokers reconciles Brokers: volumes, and a StatefulSet whose template says how
// large these are.
type brokers struct {
	client.Client
	// AskEach holds for the cure: whether a volume has to grow is read from that
	// volume, and not from a StatefulSet that is deleted in order to grow it.
	AskEach bool
}

// Reconcile makes one pass over one Broker.
func (r *brokers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var b Broker
	if err := r.Get(ctx, req.NamespacedName, &b); err != nil || !b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.grow(ctx, &b); err != nil {
		return ctrl.Result{}, fmt.Errorf("volumes: %w", err)
	}
	sts := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.Name + "-server"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, sts, func() error {
		n := int32(b.Spec.Replicas)
		sts.Spec.Replicas = &n
		if sts.UID == "" {
			sts.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data", Annotations: map[string]string{"storage": fmt.Sprint(b.Spec.Storage)}}}}
		}
		return controllerutil.SetControllerReference(&b, sts, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("StatefulSet: %w", err)
	}
	for i := range b.Spec.Replicas {
		v := volume(&b, i)
		if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, v, func() error {
			if v.GetUID() == "" {
				return set(v, b.Spec.Storage, controllerutil.SetControllerReference(&b, v, r.Scheme()))
			}
			return nil
		}); err != nil {
			return ctrl.Result{}, fmt.Errorf("volume: %w", err)
		}
	}
	return ctrl.Result{}, nil
}

// grow deletes the StatefulSet and grows the volumes, where they are too small.
func (r *brokers) grow(ctx context.Context, b *Broker) error {
	var sts appsv1.StatefulSet
	err := r.Get(ctx, client.ObjectKey{Namespace: b.Namespace, Name: b.Name + "-server"}, &sts)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	there := err == nil
	grows := there && sts.Spec.VolumeClaimTemplates[0].Annotations["storage"] != fmt.Sprint(b.Spec.Storage)
	if grows {
		if err := r.Delete(ctx, &sts, client.Preconditions{UID: &sts.UID}); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	if !grows && !r.AskEach {
		return nil
	}
	for i := range b.Spec.Replicas {
		v := volume(b, i)
		err := r.Get(ctx, client.ObjectKeyFromObject(v), v)
		if client.IgnoreNotFound(err) != nil {
			return err
		}
		if size, _, _ := unstructured.NestedInt64(v.Object, "spec", "storage"); err != nil || size == b.Spec.Storage {
			continue
		}
		before := v.DeepCopy()
		if err := set(v, b.Spec.Storage, nil); err != nil {
			return err
		}
		if err := r.Patch(ctx, v, client.MergeFrom(before)); err != nil {
			return err
		}
	}
	return nil
}

func volume(b *Broker, i int64) *unstructured.Unstructured {
	v := &unstructured.Unstructured{}
	v.SetGroupVersionKind(queueVersion.WithKind("Volume"))
	v.SetNamespace(b.Namespace)
	v.SetName(fmt.Sprintf("data-%s-%d", b.Name, i))
	return v
}

func set(v *unstructured.Unstructured, size int64, err error) error {
	if err != nil {
		return err
	}
	return unstructured.SetNestedField(v.Object, size, "spec", "storage")
}

// planes reconciles ControlPlanes, each of which has one Machine.
type planes struct {
	client.Client
	// Live is asked before a Machine is created; nil in the form with the bug.
	Live client.Reader
}

// Reconcile makes one pass over one ControlPlane.
func (r *planes) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var plane ControlPlane
	if err := r.Get(ctx, req.NamespacedName, &plane); err != nil || !plane.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	mine, err := r.machines(ctx, r.Client, &plane)
	if err == nil && len(mine) == 0 && r.Live != nil {
		// The cache may not have heard of the one that the last pass made.
		mine, err = r.machines(ctx, r.Live, &plane)
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	if len(mine) == 0 {
		m := &Machine{ObjectMeta: metav1.ObjectMeta{
			Namespace: plane.Namespace, Name: plane.Name + "-" + rand.String(5), Labels: map[string]string{"plane": plane.Name},
		}}
		m.Spec.Version = plane.Spec.Version
		if err := controllerutil.SetControllerReference(&plane, m, r.Scheme()); err != nil {
			return ctrl.Result{}, err
		}
		if err := r.Create(ctx, m); err != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{}, r.phase(ctx, &plane, "Provisioning")
	}
	if m := &mine[0]; m.Spec.Version != plane.Spec.Version {
		before := m.DeepCopyObject().(*Machine)
		m.Spec.Version = plane.Spec.Version
		if err := r.Patch(ctx, m, client.MergeFrom(before)); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, r.phase(ctx, &plane, "Running")
}

// phase writes the status where it differs.
func (r *planes) phase(ctx context.Context, plane *ControlPlane, phase string) error {
	if plane.Status.Phase == phase && plane.Status.ObservedGeneration == plane.Generation {
		return nil
	}
	before := plane.DeepCopyObject().(*ControlPlane)
	plane.Status.Phase, plane.Status.ObservedGeneration = phase, plane.Generation
	return r.Status().Patch(ctx, plane, client.MergeFrom(before))
}

func (r *planes) machines(ctx context.Context, from client.Reader, plane *ControlPlane) ([]Machine, error) {
	var all MachineList
	err := from.List(ctx, &all, client.InNamespace(plane.Namespace), client.MatchingLabels{"plane": plane.Name})
	return slices.DeleteFunc(all.Items, func(m Machine) bool { return !metav1.IsControlledBy(&m, plane) }), err
}

// Bugs that projects had are found with a single fault, and their cures have none.
func TestKnownBugs(t *testing.T) {
	for _, c := range []struct {
		name, file string
		options    adapter.Options
		build      func(*adapter.Manager) ctrlreconcile.Reconciler
		// finding, fault and call are those of one that is found, where all faults are
		// tried; alone is the fault that the bug is known by. Empty where nothing is to
		// be found.
		finding, fault, call, alone string
	}{
		{"resize", "resize", adapter.Options{}, func(m *adapter.Manager) ctrlreconcile.Reconciler {
			return &brokers{Client: m.GetClient()}
		}, judge.WrongState, "lost-reply", "delete StatefulSet", "crash-after"},
		{"resize, each asked about itself", "resize", adapter.Options{}, func(m *adapter.Manager) ctrlreconcile.Reconciler {
			return &brokers{Client: m.GetClient(), AskEach: true}
		}, "", "", "", ""},
		{"machine", "machine", adapter.Options{RandomNames: true}, func(m *adapter.Manager) ctrlreconcile.Reconciler {
			return &planes{Client: m.GetClient()}
		}, judge.Duplicate, "stale", "", "stale"},
		{"machine, the server asked", "machine", adapter.Options{RandomNames: true}, func(m *adapter.Manager) ctrlreconcile.Reconciler {
			return &planes{Client: m.GetClient(), Live: m.GetAPIReader()}
		}, "", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := os.ReadFile("testdata/" + c.file + ".txtar")
			if err != nil {
				t.Fatal(err)
			}
			s, err := scenario.Parse(doc)
			if err != nil {
				t.Fatal(err)
			}
			subject := over(t, s, c.options, func(m *adapter.Manager) (ctrlreconcile.Reconciler, error) {
				return c.build(m), nil
			})
			r := prove(t, subject)
			t.Logf("%+v", r.Bounds)
			found := slices.ContainsFunc(r.Findings, func(f judge.Finding) bool {
				return f.Finding == c.finding && f.Fault == c.fault && strings.Contains(f.Call, c.call)
			})
			if found != (c.finding != "") || c.finding == "" && len(r.Findings) > 0 {
				t.Errorf("%s", told(r))
			}
			if c.finding != "" && !slices.ContainsFunc(prove(t, subject, c.alone).Findings, func(f judge.Finding) bool {
				return f.Finding == c.finding && f.Fault == c.alone && strings.Contains(f.Call, c.call)
			}) {
				t.Errorf("it is not found by %s alone", c.alone)
			}
		})
	}
}

func TestMain(m *testing.M) {
	judge.UseExpressions(new(jq.Checks).Compile)
	os.Exit(m.Run())
}

func told(r *explore.Result) string {
	var b strings.Builder
	for _, f := range append(r.Findings, r.Stopped...) {
		fmt.Fprintf(&b, "\n%s of %s by %s at %s x%d: %s", f.Finding, f.Object, f.Fault, f.Call, f.Count, f.Sentence)
	}
	return b.String()
}
