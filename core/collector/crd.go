package collector

import (
	"slices"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// finalizerCleanup is the finalizer of a definition that has objects to delete.
const finalizerCleanup = "customresourcecleanup.apiextensions.k8s.io"

// observeCRD learns and forgets the kinds of a definition, and queues its end.
func (c *Collector) observeCRD(ch Change) {
	o := ch.Object
	group, plural := o.Str("spec", "group"), o.Str("spec", "names", "plural")
	t := task{CRD, o.Name()}
	for _, v := range o.List("spec", "versions").All() {
		m, _ := v.(*object.Map)
		version := object.New(m)
		gvr := object.GVR{Group: group, Version: version.Str("name"), Resource: plural}
		kindName := o.Str("spec", "names", "kind")
		switch {
		case ch.Type == api.Deleted:
			c.kinds.Delete(gvr.APIVersion() + " " + kindName)
		case version.Bool("served"):
			c.learn(gvr.APIVersion(), kindName, kind{gvr, o.Str("spec", "scope") == "Namespaced"})
		}
	}
	if ch.Type == api.Deleted {
		c.queue.remove(t)
		c.waiting.Delete(t.key())
		return
	}
	if _, waits := c.waiting.Get(t.key()); o.Terminating() && !waits && o.HasFinalizer(finalizerCleanup) {
		c.queue.add(t)
	}
}

// syncCRD deletes the objects of a terminating definition, then takes the
// finalizer off it. Models CRDFinalizer.sync.
func (c *Collector) syncCRD(name string, do api.Doer) error {
	crd, err := get(do, kind{gvr: crdGVR}, "", name)
	if err != nil || crd.IsZero() || !crd.Terminating() || !crd.HasFinalizer(finalizerCleanup) {
		return err
	}
	marked := setCondition(crd, condition{"Terminating", "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"}, do.Now())
	if !marked.Equal(crd) {
		if crd, err = update(do, crdGVR, "status", marked); err != nil {
			return err
		}
	}
	done := condition{"Terminating", "False", "NeverEstablished", "resource was never established"}
	if isTrue(crd, "Established") {
		left, err := deleteInstances(do, crd)
		if err != nil {
			return err
		}
		if left != nil {
			c.putOff(task{CRD, name}, left)
			return nil
		}
		done = condition{"Terminating", "False", "InstanceDeletionCompleted", "removed all instances"}
	}
	crd = setCondition(crd, done, do.Now())
	kept := slices.DeleteFunc(crd.Finalizers(), func(f string) bool { return f == finalizerCleanup })
	_, err = update(do, crdGVR, "status", crd.WithFinalizers(kept...))
	if api.IsNotFound(err) {
		return nil
	}
	return err
}

// deleteInstances deletes the objects of a definition, namespace by namespace,
// and returns the list of those that are left; nil where none is.
func deleteInstances(do api.Doer, crd object.Object) (*api.ObjectList, error) {
	gvr := object.GVR{Group: crd.Str("spec", "group"), Resource: crd.Str("spec", "names", "plural")}
	for _, v := range crd.List("spec", "versions").All() {
		m, _ := v.(*object.Map)
		if version := object.New(m); version.Bool("served") && (gvr.Version == "" || version.Bool("storage")) {
			gvr.Version = version.Str("name")
		}
	}
	list := func() (*api.ObjectList, error) {
		r := do.Do(api.Request{Verb: api.List, GVR: gvr, UserAgent: userAgent})
		if err := r.Err(); err != nil || r.List == nil || len(r.List.Items) == 0 {
			return nil, err
		}
		return r.List, nil
	}
	found, err := list()
	if err != nil || found == nil {
		return nil, err
	}
	done := map[string]bool{}
	for _, o := range found.Items {
		if ns := o.Namespace(); !done[ns] {
			done[ns] = true
			if err := deleteAll(do, gvr, ns); err != nil {
				return nil, err
			}
		}
	}
	return list()
}
