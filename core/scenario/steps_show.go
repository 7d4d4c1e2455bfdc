package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

// shows are the commands that look and do nothing.
var shows = map[string]func(*runner, sim.Action) error{
	"show":    (*runner).show,
	"rv":      (*runner).showVersions,
	"events":  (*runner).showEvents,
	"pass":    (*runner).showPass,
	"passes":  (*runner).showPasses,
	"queue":   (*runner).showQueue,
	"wire":    (*runner).showWire,
	"cache":   (*runner).showCache,
	"clock":   (*runner).showClock,
	"enabled": (*runner).showEnabled,
	"faults":  (*runner).showFaults,
	"output":  (*runner).showOutput,
}

// show prints an object without what only machines read: managed fields and
// kubectl's copy of what it sent.
func (r *runner) show(a sim.Action) error {
	o, err := r.object(a.Arg(0))
	if err != nil {
		return err
	}
	if len(a.Args) == 1 {
		o = o.Unset("metadata", "managedFields").Unset("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
		if o.Annotations().Len() == 0 {
			o = o.Unset("metadata", "annotations")
		}
		r.print(string(object.EncodeYAML(o.Root())))
		return nil
	}
	for _, path := range a.Args[1:] {
		p, err := object.ParseJSONPath("{." + strings.TrimPrefix(path, ".") + "}")
		if err != nil {
			return &Error{Message: fmt.Sprintf("%s: %v", path, err)}
		}
		value, err := p.Print(o.Root(), true)
		if err != nil {
			return err
		}
		r.print(path + " = " + value)
	}
	return nil
}

// version is the resourceVersion of one object.
type version struct{ object, version string }

func (r *runner) resourceVersions() []version {
	var out []version
	for o := range r.world.Server().All() {
		out = append(out, version{r.world.Name(o.Object.Ref()), o.Object.ResourceVersion()})
	}
	return out
}

func (r *runner) showVersions(sim.Action) error {
	now := r.resourceVersions()
	changed := false
	line := func(format string, args ...any) {
		changed = true
		r.print(fmt.Sprintf(format, args...))
	}
	find := func(in []version, name string) (string, bool) {
		i := slices.IndexFunc(in, func(v version) bool { return v.object == name })
		if i < 0 {
			return "", false
		}
		return in[i].version, true
	}
	for _, v := range now {
		was, there := find(r.versions, v.object)
		switch {
		case !there:
			line("%s %s", v.object, v.version)
		case was != v.version:
			line("%s %s -> %s", v.object, was, v.version)
		}
	}
	for _, v := range r.versions {
		if _, there := find(now, v.object); !there {
			line("%s %s -> gone", v.object, v.version)
		}
	}
	r.versions = now
	if !changed {
		r.print("unchanged")
	}
	return nil
}

func (r *runner) showEvents(sim.Action) error {
	for _, e := range r.events[r.seen:] {
		r.print(e.String())
	}
	r.seen = len(r.events)
	return nil
}

func (r *runner) showPass(a sim.Action) error {
	all := append(r.world.Passes(), r.world.InFlight()...)
	questions := a.Args
	if len(questions) > 0 && strings.Contains(questions[0], "/") {
		all = slices.DeleteFunc(slices.Clone(all), func(p *sim.Pass) bool { return p.Key != questions[0] })
		questions = questions[1:]
	}
	if len(all) == 0 {
		r.print("none")
		return nil
	}
	last := all[len(all)-1]
	if len(questions) == 0 {
		r.print(last.String())
		return nil
	}
	answers := last.Answers()
	for _, q := range questions {
		i := slices.IndexFunc(answers, func(x sim.Answer) bool { return x.Question == q })
		if i < 0 {
			return &Error{Message: fmt.Sprintf("a pass answers desired, observed, diff, action, requeue and status, not %q", q)}
		}
		for _, l := range answers[i].Lines {
			r.print(q + ": " + l)
		}
	}
	return nil
}

func (r *runner) showPasses(sim.Action) error {
	all := r.world.Passes()
	for _, p := range all[r.told:] {
		end := "died"
		if p.Requeue != nil {
			end = p.Requeue.String()
		}
		r.print(fmt.Sprintf("%d %s: requeue %s", p.ID, p.Key, end))
		for _, w := range p.Action {
			r.print("  " + w.String())
		}
	}
	if r.told == len(all) {
		r.print("none")
	}
	r.told = len(all)
	return nil
}

func (r *runner) showQueue(sim.Action) error {
	empty := true
	for _, p := range r.world.Processes() {
		item := func(state string, i workqueue.Item) {
			empty = false
			var why []string
			for _, w := range i.Why {
				why = append(why, w.Text)
			}
			s := i.Key.String() + " " + state
			if i.Failures > 0 {
				s += fmt.Sprintf(", failures %d", i.Failures)
			}
			r.print(s + ": " + strings.Join(why, "; "))
		}
		for _, i := range p.Ready {
			item("ready", i)
		}
		for _, i := range p.Waiting {
			item("in "+i.Due.Sub(r.world.Now()).String(), i)
		}
		for _, k := range p.Processing {
			empty = false
			r.print(k.String() + " with a worker")
		}
	}
	if empty {
		r.print("empty")
	}
	return nil
}

func (r *runner) showWire(sim.Action) error {
	empty := true
	for _, p := range r.world.Processes() {
		for _, s := range p.Sources {
			for _, e := range s.Wire {
				empty = false
				r.print(fmt.Sprintf("%s %s: %s %s rv %s", p.Name, s.Resource.GroupResource(), e.Type, r.world.Name(e.Object.Ref()), e.Object.ResourceVersion()))
			}
		}
	}
	if empty {
		r.print("empty")
	}
	return nil
}

// showCache prints what is cached, and where the server has another version.
func (r *runner) showCache(sim.Action) error {
	empty := true
	for _, o := range r.world.AllCached() {
		empty = false
		line := r.world.Name(o.Ref()) + " rv " + o.ResourceVersion()
		stored, there := r.world.Server().Find(o.Ref())
		switch {
		case !there:
			line += ", gone from the server"
		case stored.ResourceVersion() != o.ResourceVersion():
			line += ", on the server rv " + stored.ResourceVersion()
		}
		r.print(line)
	}
	if empty {
		r.print("empty")
	}
	return nil
}

func (r *runner) showCloud() error {
	items := r.world.Cloud().Items()
	for _, i := range items {
		line := i.Type + "/" + i.ID + " " + i.Name + " " + i.Address
		for _, k := range slices.Sorted(maps.Keys(i.Tags)) {
			line += " " + k + "=" + i.Tags[k]
		}
		r.print(line)
	}
	if len(items) == 0 {
		r.print("empty")
	}
	return nil
}

func (r *runner) showClock(sim.Action) error {
	r.print(r.world.Since().String())
	return nil
}

// showOutput prints what the last line of the terminal printed, and its exit
// status where that is not 0.
func (r *runner) showOutput(sim.Action) error {
	for _, e := range slices.Backward(r.events) {
		i := slices.IndexFunc(e.Facts, func(f sim.Fact) bool { return f.Kind == sim.FactOutput })
		if i < 0 {
			continue
		}
		f := e.Facts[i]
		for _, text := range []string{f.Text, f.Stderr} {
			if text != "" {
				r.print(text)
			}
		}
		if f.Code != 0 {
			r.print(fmt.Sprintf("exit status %d", f.Code))
		}
		return nil
	}
	return errors.New("no line of the terminal has ended")
}

func (r *runner) showFaults(sim.Action) error {
	for _, a := range r.world.Faults() {
		r.print(a.String())
	}
	return nil
}

func (r *runner) showEnabled(sim.Action) error {
	for _, a := range r.world.Enabled() {
		r.print(a.String())
	}
	return nil
}
