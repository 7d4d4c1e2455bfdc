package sim

import (
	"fmt"
	"strings"

	"github.com/reconcile-playground/reconcile/core/controller"
)

// resolve finds the kinds that the process watches, as a manager does when it
// starts.
func (p *process) resolve() error {
	watched, err := p.world.kind(p.config.For)
	if err != nil {
		return err
	}
	spec := controller.Spec{
		Name: p.config.Name, For: controller.Watch{Kind: watched},
		MaxConcurrentReconciles: p.config.Workers, Queue: p.config.Queue,
	}
	if spec.Predicates, err = predicates(p.config.Predicates); err != nil {
		return err
	}
	if spec.For.Predicates, err = predicates(p.config.ForPredicates); err != nil {
		return err
	}
	if spec.Owns, err = p.watches(p.config.Owns, nil); err != nil {
		return err
	}
	byField := func(s Source) controller.MapFunc {
		return controller.MapByField(watched.GVR(), strings.Split(s.MapByField, ".")...)
	}
	if spec.Watches, err = p.watches(p.config.Watches, byField); err != nil {
		return err
	}
	p.watched, p.spec = watched.GVR(), spec
	return nil
}

// watches finds the kinds of sources.
func (p *process) watches(sources []Source, by func(Source) controller.MapFunc) ([]controller.Watch, error) {
	var out []controller.Watch
	for _, s := range sources {
		kind, err := p.world.kind(s.Resource)
		if err != nil {
			return nil, err
		}
		w := controller.Watch{Kind: kind, EveryOwner: s.EveryOwner}
		if w.Predicates, err = predicates(s.Predicates); err != nil {
			return nil, err
		}
		if by != nil {
			w.Map = by(s)
		}
		out = append(out, w)
	}
	return out, nil
}

func predicates(names []string) ([]controller.Predicate, error) {
	var out []controller.Predicate
	for _, n := range names {
		p, err := controller.ParsePredicate(n)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// kind finds a resource by its plural and group, as in webapps.lab.example.com.
func (w *World) kind(name string) (controller.Kind, error) {
	for _, r := range w.server.Resources() {
		if r.GVR.GroupResource() == name {
			return controller.Kind{GVK: r.GVK(), Resource: r.GVR.Resource, ClusterScoped: !r.Namespaced}, nil
		}
	}
	return controller.Kind{}, fmt.Errorf("the server has no resource %q: name it by plural and group, such as configmaps or webapps.lab.example.com", name)
}
