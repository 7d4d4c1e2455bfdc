package adapter_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/peers"
	"github.com/reconcile-playground/reconcile/core/peers/adapter"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

const cloudFinalizer = "lab.example.com/cloud"

// webAppReconciler is the lab's reconciler as one writes it with
// controller-runtime. Only its cloud is this project's.
type webAppReconciler struct {
	client.Client
	Scheme *runtime.Scheme
	Cloud  reconcile.Cloud
}

// Reconcile makes one pass over one WebApp.
func (r *webAppReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var app peers.WebApp
	if err := r.Get(ctx, req.NamespacedName, &app); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	log.FromContext(ctx).Info("read", "message", app.Spec.Message)
	if !app.DeletionTimestamp.IsZero() {
		return r.finalize(ctx, &app)
	}
	lb, err := r.balancer(ctx, &app)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("load balancer: %w", err)
	}
	ready, err := r.child(ctx, &app)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("ConfigMap: %w", err)
	}
	if err := r.updateStatus(ctx, &app, lb, ready); err != nil {
		return ctrl.Result{}, fmt.Errorf("status: %w", err)
	}
	if app.Spec.ConfigRef != "" || ready.Reason == "ChildNotControlled" {
		return ctrl.Result{RequeueAfter: 30 * time.Second}, nil
	}
	return ctrl.Result{}, nil
}

// notReady is why a WebApp is not ready, as an error that leaves CreateOrUpdate.
type notReady struct{ reason, message string }

func (n notReady) Error() string { return n.message }

func (n notReady) condition() metav1.Condition {
	return metav1.Condition{Type: "Ready", Status: metav1.ConditionFalse, Reason: n.reason, Message: n.message}
}

// child keeps the ConfigMap and returns the condition Ready.
func (r *webAppReconciler) child(ctx context.Context, app *peers.WebApp) (metav1.Condition, error) {
	base := ""
	if ref := app.Spec.ConfigRef; ref != "" {
		var dep corev1.ConfigMap
		err := r.Get(ctx, types.NamespacedName{Namespace: app.Namespace, Name: ref}, &dep)
		if client.IgnoreNotFound(err) != nil {
			return metav1.Condition{}, err
		}
		var ok bool
		if base, ok = dep.Data["base"]; err != nil || !ok {
			return notReady{"DependencyNotFound", "no key base in ConfigMap " + ref}.condition(), nil
		}
	}
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: app.Name + "-config"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, cm, func() error {
		if cm.UID != "" && !metav1.IsControlledBy(cm, app) {
			return notReady{"ChildNotControlled", "ConfigMap " + cm.Name + " is not this WebApp's"}
		}
		if !cm.DeletionTimestamp.IsZero() {
			return notReady{"ChildTerminating", "ConfigMap " + cm.Name + " is being deleted"}
		}
		metav1.SetMetaDataLabel(&cm.ObjectMeta, "app.kubernetes.io/managed-by", "reconcile-lab")
		if cm.Data == nil {
			cm.Data = map[string]string{}
		}
		cm.Data["message"], cm.Data["replicas"] = app.Spec.Message, "1"
		if n := app.Spec.Replicas; n != nil {
			cm.Data["replicas"] = strconv.FormatInt(*n, 10)
		}
		delete(cm.Data, "base")
		if app.Spec.ConfigRef != "" {
			cm.Data["base"] = base
		}
		return controllerutil.SetControllerReference(app, cm, r.Scheme)
	})
	if n, ok := err.(notReady); ok {
		return n.condition(), nil
	}
	return metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Reconciled"}, err
}

func tags(app *peers.WebApp) map[string]string {
	return map[string]string{"webapp": app.Namespace + "/" + app.Name}
}

// balancer keeps one load balancer, or none.
func (r *webAppReconciler) balancer(ctx context.Context, app *peers.WebApp) (*peers.LoadBalancer, error) {
	if !app.Spec.LoadBalancer {
		if !controllerutil.ContainsFinalizer(app, cloudFinalizer) && app.Status.LoadBalancer == nil {
			return nil, nil
		}
		return nil, r.release(ctx, app)
	}
	if err := r.finalizer(ctx, app, controllerutil.AddFinalizer); err != nil {
		return nil, err
	}
	found, err := r.Cloud.List(ctx, "lb", tags(app))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		lb, err := r.Cloud.Create(ctx, "lb", app.Name, tags(app))
		return &peers.LoadBalancer{ID: lb.ID, Address: lb.Address}, err
	}
	for _, lb := range found[1:] {
		if err := r.Cloud.Delete(ctx, "lb", lb.ID); err != nil && !reconcile.IsGone(err) {
			return nil, err
		}
	}
	return &peers.LoadBalancer{ID: found[0].ID, Address: found[0].Address}, nil
}

// release deletes the load balancers, and then takes the finalizer off.
func (r *webAppReconciler) release(ctx context.Context, app *peers.WebApp) error {
	found, err := r.Cloud.List(ctx, "lb", tags(app))
	if err != nil {
		return err
	}
	for _, lb := range found {
		if err := r.Cloud.Delete(ctx, "lb", lb.ID); err != nil && !reconcile.IsGone(err) {
			return err
		}
	}
	return r.finalizer(ctx, app, controllerutil.RemoveFinalizer)
}

// finalizer puts ours on or takes it off, from this very read of the object.
func (r *webAppReconciler) finalizer(ctx context.Context, app *peers.WebApp, change func(client.Object, string) bool) error {
	before := app.DeepCopyObject().(*peers.WebApp)
	if !change(app, cloudFinalizer) {
		return nil
	}
	return r.Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// finalize cleans up what the collector cannot.
func (r *webAppReconciler) finalize(ctx context.Context, app *peers.WebApp) (ctrl.Result, error) {
	if controllerutil.ContainsFinalizer(app, cloudFinalizer) || app.Status.LoadBalancer != nil {
		if err := r.release(ctx, app); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
	}
	if len(app.Finalizers) == 0 {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.updateStatus(ctx, app, nil, notReady{"Terminating", "others hold it"}.condition())
}

// updateStatus writes what differs.
func (r *webAppReconciler) updateStatus(ctx context.Context, app *peers.WebApp, lb *peers.LoadBalancer, ready metav1.Condition) error {
	before := app.DeepCopyObject().(*peers.WebApp)
	app.Status.ObservedGeneration, app.Status.LoadBalancer, app.Status.Phase = app.Generation, lb, "Ready"
	if ready.Status != metav1.ConditionTrue {
		app.Status.Phase = "Pending"
	}
	if !app.DeletionTimestamp.IsZero() {
		app.Status.Phase = "Terminating"
	}
	ready.ObservedGeneration = app.Generation
	meta.SetStatusCondition(&app.Status.Conditions, ready)
	if equality.Semantic.DeepEqual(before.Status, app.Status) {
		return nil
	}
	err := r.Status().Update(ctx, app)
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func scheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	peers.AddWebApp(s)
	addKnown(s)
	if err := corev1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	return s
}

// over is a reconciler over a scenario.
func over(t testing.TB, s *scenario.Scenario, o adapter.Options, build func(*adapter.Manager) (ctrlreconcile.Reconciler, error)) explore.Subject {
	t.Helper()
	r, err := adapter.New(s, scheme(t), o, build)
	if err != nil {
		t.Fatal(err)
	}
	subject, err := explore.With(s, r)
	if err != nil {
		t.Fatal(err)
	}
	return subject
}

func prove(t testing.TB, s explore.Subject, faults ...string) *explore.Result {
	t.Helper()
	r, err := explore.Run(s, explore.Options{Faults: faults})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func webApps(m *adapter.Manager) (ctrlreconcile.Reconciler, error) {
	return &webAppReconciler{Client: m.GetClient(), Scheme: m.GetScheme()}, nil
}

// A reconciler that is right stays right with every fault at every call of the
// whole life of the lab, whether it reads from the cache or from the server.
func TestWebApp(t *testing.T) {
	for _, reads := range []string{"cache", "live"} {
		t.Run(reads, func(t *testing.T) {
			s, err := scenario.Load("lab")
			if err != nil {
				t.Fatal(err)
			}
			s.Controllers[0].Reads = reads
			began := time.Now()
			r := prove(t, over(t, s, adapter.Options{}, webApps))
			for _, f := range append(r.Findings, r.Stopped...) {
				t.Errorf("%s of %s, %s at %s: %s\n%v", f.Finding, f.Object, f.Fault, f.Call, f.Sentence, f.Choices)
			}
			t.Logf("%+v in %s", r.Bounds, time.Since(began))
			if b := r.Bounds; b.Runs < 400 || b.Acts != 14 {
				t.Errorf("bounds: %+v", b)
			}
		})
	}
}
