package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// reconcilers are the Go reconcilers that a scenario can name.
var reconcilers = map[string]func() reconcile.Reconciler{
	"webapp": func() reconcile.Reconciler { return &reconcile.WebAppReconciler{} },
}

func reconcilerNames() []string { return append(slices.Sorted(maps.Keys(reconcilers)), ofScript) }

// Config is what a world of the scenario is built of.
func (s *Scenario) Config() sim.Config { return s.config(s.Objects()) }

func (s *Scenario) config(objects []object.Object) sim.Config {
	c := sim.Config{Seed: s.Seed, Start: s.Clock, Latency: s.Latency, Objects: objects}
	for i, k := range s.Controllers {
		p := sim.ControllerConfig{
			Name: k.Name, For: k.For, Owns: k.Owns, Watches: k.Watches, Workers: k.Workers,
			Predicates: k.Predicates, ForPredicates: k.ForPredicates, Resync: k.Resync, Queue: k.Queue,
			New: reconcilers[k.Reconciler], LiveReads: k.Reads == "live", Edit: s.Edit, Conflict: s.Conflict,
		}
		if script := s.programs[i]; script != nil {
			p.NewFor = runs(script)
		}
		c.Controllers = append(c.Controllers, p)
	}
	return c
}

// World returns the world of step 0, the same one each time: the choices of
// Start have not been made yet. It is the caller's.
func (s *Scenario) World() *sim.World { return s.first.Clone() }

func (s *Scenario) world(objects []object.Object) (*sim.World, error) {
	w, err := sim.New(s.config(objects))
	if err == nil {
		return w, nil
	}
	var setup *sim.SetupError
	if !errors.As(err, &setup) {
		return nil, &Error{Message: err.Error()}
	}
	switch {
	case setup.Object >= 0:
		o := objects[setup.Object]
		return nil, &Error{File: "cluster/", Field: o.Ref().String(), Message: "the API server refuses it: " + setup.Err.Error()}
	case setup.Controller >= 0:
		return nil, &Error{File: "scenario.yaml", Field: fmt.Sprintf("controllers[%d]", setup.Controller), Message: setup.Err.Error()}
	}
	return nil, &Error{Message: err.Error()}
}

// Names returns the names of the scenarios that come with the product: the lab,
// its lessons, the others; each sorted.
func Names() []string {
	entries, err := library.ReadDir("library")
	if err == nil && headsApart {
		var heads []fs.DirEntry
		heads, err = library.ReadDir("library/heads")
		entries = append(entries, heads...)
	}
	if err != nil {
		panic(err) // it is embedded
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	lab, others := []string{"lab"}, []string{}
	for _, e := range entries {
		switch name := strings.TrimSuffix(e.Name(), ".txtar"); {
		case e.IsDir():
		case strings.HasPrefix(name, "lab-"):
			lab = append(lab, name)
		case name != "lab":
			others = append(others, name)
		}
	}
	return append(lab, others...)
}

// ErrUnknown is the error of Load for a name that is not in the library.
var ErrUnknown = errors.New("no such scenario")

// Load reads a scenario of the library. One that a build which runs no scripts
// has the head of alone is ErrNoScripts.
func Load(name string) (*Scenario, error) {
	text, whole, err := libraryText(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %q; there are %s", ErrUnknown, name, strings.Join(Names(), ", "))
	case !whole:
		return nil, &Error{Message: ErrNoScripts.Error(), err: ErrNoScripts}
	}
	return Parse(text)
}

// libraryText reads a document of the library; whole is false where this build
// has its head alone.
func libraryText(name string) (text []byte, whole bool, err error) {
	text, err = library.ReadFile(path.Join("library", name+".txtar"))
	if err != nil && headsApart {
		text, err = library.ReadFile(path.Join("library/heads", name+".txtar"))
		return text, false, err
	}
	if more, err := downloads.ReadFile(path.Join("library/downloads", name+".txtar")); err == nil {
		text = slices.Concat(text, more)
	}
	return text, true, err
}
