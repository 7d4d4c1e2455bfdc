package reconcile

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

const (
	// cloudFinalizer keeps a WebApp from going before its load balancers do.
	cloudFinalizer = "lab.example.com/cloud"

	managedByLabel = "app.kubernetes.io/managed-by"
	managedBy      = "reconcile-lab"

	// dependencyInterval is how often an app with a dependency is looked at:
	// the controller does not watch the ConfigMaps that it does not own.
	dependencyInterval = 30 * time.Second
)

// WebAppReconciler is the lab's reference reconciler. For each WebApp it keeps a
// ConfigMap and, where one is wanted, a load balancer outside the cluster.
//
// It has no memory. Whatever happened before (nothing, half a pass, a crash, a
// change by hand, two events or ten) it reads what is there and does what is
// missing, so that the same function installs, repairs, upgrades and resumes.
type WebAppReconciler struct {
	Client
	Cloud Cloud
}

// Reconcile makes one pass over one WebApp.
func (r *WebAppReconciler) Reconcile(ctx context.Context, req Request) (Result, error) {
	var app WebApp
	if err := r.Get(ctx, req, &app); err != nil {
		// Gone. The collector takes what it owned in the cluster, and its
		// finalizer came off only after the rest was gone: nothing is left to do.
		return Result{}, IgnoreNotFound(err)
	}
	if app.DeletionTimestamp != nil {
		return r.finalize(ctx, &app)
	}

	// Each part reads, compares, and writes only a difference. An error ends the
	// pass: the key comes back with a backoff, and finds done what was done.
	lb, err := r.reconcileLoadBalancer(ctx, &app)
	if err != nil {
		return Result{}, fmt.Errorf("load balancer: %w", err)
	}
	blocked, err := r.reconcileConfigMap(ctx, &app)
	if err != nil {
		return Result{}, fmt.Errorf("ConfigMap: %w", err)
	}
	if err := r.updateStatus(ctx, &app, lb, blocked); err != nil {
		return Result{}, fmt.Errorf("status: %w", err)
	}

	// What is watched wakes us. What is not has to be asked for.
	switch {
	case blocked != nil && blocked.poll:
		return Result{RequeueAfter: dependencyInterval, Reason: blocked.reason}, nil
	case app.Spec.ConfigRef != "":
		return Result{RequeueAfter: dependencyInterval, Reason: "DependencyNotWatched"}, nil
	}
	return Result{}, nil
}

// blocker is why an app cannot be ready yet. It is no error: trying again at
// once would not help, and a person should read it in status.
type blocker struct {
	reason, message string
	// poll says that no event will tell when it is over.
	poll bool
}

// Error lets a blocker leave a CreateOrUpdate.
func (b *blocker) Error() string { return b.message }

// reconcileConfigMap makes the app's ConfigMap what it should be, and leaves
// alone what is not ours in it: other keys, labels and annotations.
func (r *WebAppReconciler) reconcileConfigMap(ctx context.Context, app *WebApp) (*blocker, error) {
	base, blocked, err := r.dependency(ctx, app)
	if blocked != nil || err != nil {
		return blocked, err
	}
	child := &ConfigMap{ObjectMeta: ObjectMeta{Namespace: app.Namespace, Name: app.Name + "-config"}}
	_, err = CreateOrUpdate(ctx, r.Client, child, func() error {
		if b := unavailable(app, child); b != nil {
			return b
		}
		child.Labels = withKey(child.Labels, managedByLabel, managedBy)
		child.Data = withKey(child.Data, "message", app.Spec.Message)
		child.Data = withKey(child.Data, "replicas", replicas(app))
		if app.Spec.ConfigRef != "" {
			child.Data = withKey(child.Data, "base", base)
		} else {
			delete(child.Data, "base")
		}
		return SetControllerReference(app, child)
	})
	if errors.As(err, &blocked) {
		return blocked, nil
	}
	return nil, err
}

// dependency reads what the app takes from the ConfigMap that it refers to. That
// it is not there is normal: somebody may create it later.
func (r *WebAppReconciler) dependency(ctx context.Context, app *WebApp) (string, *blocker, error) {
	if app.Spec.ConfigRef == "" {
		return "", nil, nil
	}
	var dep ConfigMap
	err := r.Get(ctx, Request{Namespace: app.Namespace, Name: app.Spec.ConfigRef}, &dep)
	if IgnoreNotFound(err) != nil {
		return "", nil, err
	}
	base, ok := dep.Data["base"]
	if err == nil && ok {
		return base, nil, nil
	}
	message := fmt.Sprintf("ConfigMap %q not found", app.Spec.ConfigRef)
	if err == nil {
		message = fmt.Sprintf("ConfigMap %q has no key \"base\"", app.Spec.ConfigRef)
	}
	return "", &blocker{"DependencyNotFound", message, true}, nil
}

// unavailable says why a ConfigMap that is there must not be written; nil for
// one that is new or ours. Ours is what this very WebApp controls, and what has
// no controller but our label: left behind on purpose by a deletion with
// --cascade=orphan. What a WebApp of the same name but another uid controls is
// its, and the collector is about to take it.
func unavailable(app *WebApp, child *ConfigMap) *blocker {
	orphan := GetControllerOf(child) == nil && child.Labels[managedByLabel] == managedBy
	switch {
	case child.UID == "":
		return nil
	case !IsControlledBy(child, app) && !orphan:
		return &blocker{"ChildNotControlled", fmt.Sprintf("ConfigMap %q exists and is not controlled by this WebApp", child.Name), true}
	case child.DeletionTimestamp != nil:
		return &blocker{"ChildTerminating", fmt.Sprintf("ConfigMap %q is being deleted", child.Name), false}
	}
	return nil
}

// reconcileLoadBalancer sees to it that there is one load balancer, or none, and
// returns the one in use.
//
// The cloud gives every create a new id, so an id that we did not get to save (a
// crash, a lost reply) must be found again: by tag, before anything is created.
// And the finalizer is stored before the first create, so that no deletion of
// the WebApp can slip in between and leave a load balancer that nobody knows.
func (r *WebAppReconciler) reconcileLoadBalancer(ctx context.Context, app *WebApp) (*LoadBalancer, error) {
	if !app.Spec.LoadBalancer {
		if !ContainsFinalizer(app, cloudFinalizer) && app.Status.LoadBalancer == nil {
			return nil, nil
		}
		return nil, r.releaseLoadBalancers(ctx, app)
	}
	if !ContainsFinalizer(app, cloudFinalizer) {
		patch := MergeFromWithOptimisticLock(app)
		AddFinalizer(app, cloudFinalizer)
		if err := r.Patch(ctx, app, patch); err != nil {
			return nil, err
		}
	}
	found, err := r.Cloud.List(ctx, "lb", tags(app))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		lb, err := r.Cloud.Create(ctx, "lb", app.Name, tags(app))
		if err != nil {
			return nil, err
		}
		return &LoadBalancer{lb.ID, lb.Address}, nil
	}
	keep := found[0]
	for _, lb := range found {
		if app.Status.LoadBalancer != nil && lb.ID == app.Status.LoadBalancer.ID {
			keep = lb // the one whose address is in use
		}
	}
	for _, lb := range found {
		if lb.ID != keep.ID {
			if err := r.deleteLoadBalancer(ctx, lb.ID); err != nil {
				return nil, err
			}
		}
	}
	return &LoadBalancer{keep.ID, keep.Address}, nil
}

// releaseLoadBalancers deletes the app's load balancers and then takes our
// finalizer off: in this order, for after that nobody remembers them.
func (r *WebAppReconciler) releaseLoadBalancers(ctx context.Context, app *WebApp) error {
	found, err := r.Cloud.List(ctx, "lb", tags(app))
	if err != nil {
		return err
	}
	for _, lb := range found {
		if err := r.deleteLoadBalancer(ctx, lb.ID); err != nil {
			return err
		}
	}
	if !ContainsFinalizer(app, cloudFinalizer) {
		return nil
	}
	patch := MergeFromWithOptimisticLock(app)
	RemoveFinalizer(app, cloudFinalizer)
	return r.Patch(ctx, app, patch)
}

// deleteLoadBalancer deletes one; already gone is what we want.
func (r *WebAppReconciler) deleteLoadBalancer(ctx context.Context, id string) error {
	if err := r.Cloud.Delete(ctx, "lb", id); err != nil && !IsGone(err) {
		return err
	}
	return nil
}

// finalize cleans up what the collector cannot, and lets the WebApp go as far as
// we are concerned. The finalizers of others stay.
func (r *WebAppReconciler) finalize(ctx context.Context, app *WebApp) (Result, error) {
	// Somebody may have taken our finalizer off by hand: what status still names
	// is ours to delete all the same.
	if ContainsFinalizer(app, cloudFinalizer) || app.Status.LoadBalancer != nil {
		if err := r.releaseLoadBalancers(ctx, app); err != nil {
			return Result{}, IgnoreNotFound(err)
		}
	}
	if len(app.Finalizers) == 0 {
		return Result{}, nil // that was the last one: the WebApp is gone
	}
	err := r.updateStatus(ctx, app, nil, &blocker{reason: "Terminating", message: "waiting for the finalizers of others"})
	if err == nil && app.Spec.ConfigRef != "" {
		return Result{RequeueAfter: dependencyInterval, Reason: "Terminating"}, nil
	}
	return Result{}, err
}

// updateStatus says what was found and done. It writes only a difference: a
// status that is written in every pass wakes the next one.
func (r *WebAppReconciler) updateStatus(ctx context.Context, app *WebApp, lb *LoadBalancer, blocked *blocker) error {
	before := ToTree(app.Status)
	ready := Condition{
		Type: "Ready", Status: "True", ObservedGeneration: app.Generation,
		Reason: "Reconciled", Message: "the ConfigMap is as desired",
	}
	if lb != nil {
		ready.Message = "the ConfigMap and the load balancer are as desired"
	}
	phase := "Ready"
	if blocked != nil {
		phase = "Pending"
		ready.Status, ready.Reason, ready.Message = "False", blocked.reason, blocked.message
	}
	if app.DeletionTimestamp != nil {
		phase = "Terminating"
	}
	app.Status.ObservedGeneration = app.Generation
	app.Status.Phase = phase
	app.Status.LoadBalancer = lb
	SetStatusCondition(&app.Status.Conditions, ready, Now(ctx))
	if object.Equal(before, ToTree(app.Status)) {
		return nil
	}
	err := r.Status().Update(ctx, app)
	if api.IsNotFound(err) {
		return nil // deleted meanwhile; its event is on the way
	}
	return err
}

func tags(app *WebApp) map[string]string {
	return map[string]string{"webapp": app.Namespace + "/" + app.Name}
}

func replicas(app *WebApp) string {
	if app.Spec.Replicas == nil {
		return "1"
	}
	return strconv.FormatInt(*app.Spec.Replicas, 10)
}

func withKey(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}
