package report

import (
	"fmt"
	"slices"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// The findings that a run shows by itself, without knowing what is wanted.
const (
	// Orphan: something outside the cluster whose object is gone.
	Orphan = "orphan"
	// HotLoop: passes follow each other in less than a second, without end.
	HotLoop = "hot-loop"
	// NotIdempotent: a pass over an unchanged world writes.
	NotIdempotent = "not-idempotent"
	// Crashed: the reconciler errs at rest.
	Crashed = "crashed"
)

// atRest judges a run that has come to rest, or will not.
func (b *builder) atRest(rest sim.Rest) []Finding {
	out := append(b.orphans(), b.spinning(rest)...)
	for _, p := range b.last() {
		name := b.object(p)
		switch {
		case found(out, name):
		case p.Error != "":
			out = append(out, b.finding(Crashed, name, "the last pass ended with an error: "+p.Error))
		case p.Requeue != nil && p.Requeue.Kind == "after" && p.Requeue.Delay < sim.Unhurried:
			out = append(out, b.finding(HotLoop, name, fmt.Sprintf("it asks to be called again every %s, without end", p.Requeue.Delay)))
		case rest == sim.TimeUp && p.Effective():
			out = append(out, b.finding(NotIdempotent, name, fmt.Sprintf("%s after the last input its passes still write: %s", sim.Patience, wrote(p))))
		}
	}
	return out
}

// orphans finds what was left in the cloud: things tagged with the singular of a
// watched resource, as in webapp=default/a, whose object is not there any more.
func (b *builder) orphans() []Finding {
	var out []Finding
	for _, l := range b.world.ProcessesHead(0) {
		res, ok := b.world.Server().Resource(l.Watched)
		if !ok {
			continue
		}
		for _, item := range b.world.Cloud().Items() {
			tag, ok := item.Tags[res.Singular]
			if !ok {
				continue
			}
			key := object.ParseKey(tag)
			owner := object.Ref{Group: l.Watched.Group, Kind: res.Kind, Namespace: key.Namespace, Name: key.Name}
			if _, there := b.world.Server().Find(owner); there {
				continue
			}
			f := b.finding(Orphan, item.Type+"/"+item.ID, fmt.Sprintf("%s is still in the cloud, and %s, which it was made for, is gone: nothing will ever delete it", item.ID, b.world.Name(owner)))
			out = append(out, f)
		}
	}
	return out
}

// spinning finds the key that kept a run from coming to rest.
func (b *builder) spinning(rest sim.Rest) []Finding {
	if rest != sim.Spinning {
		return nil
	}
	a, _ := b.world.Next()
	sentence := fmt.Sprintf("%d passes followed each other without end", sim.MaxPasses)
	for _, p := range b.last() {
		if p.Process != a.Arg(0) || p.Key != a.Arg(1) {
			continue
		}
		if p.Effective() {
			sentence += "; each one wakes the next: " + wrote(p)
		}
		return []Finding{b.finding(HotLoop, b.object(p), sentence)}
	}
	return nil
}

// notIdempotent finds the passes over an unchanged world that wrote.
func (b *builder) notIdempotent(second []*sim.Pass, known []Finding) []Finding {
	var out []Finding
	for _, p := range second {
		name := b.object(p)
		if !p.Effective() || found(known, name) {
			continue
		}
		if i := slices.IndexFunc(out, func(f Finding) bool { return f.Object == name }); i >= 0 {
			out[i].Count++
			continue
		}
		out = append(out, b.finding(NotIdempotent, name, "a second pass over an unchanged world wrote again: "+wrote(p)))
	}
	return out
}

// object names what a pass is about.
func (b *builder) object(p *sim.Pass) string {
	key := object.ParseKey(p.Key)
	for _, l := range b.world.Processes() {
		if l.Name == p.Process {
			return b.world.Name(object.Ref{Group: l.Watched.Group, Kind: l.Kind, Namespace: key.Namespace, Name: key.Name})
		}
	}
	return p.Key
}

func (b *builder) finding(finding, object, sentence string) Finding {
	return Finding{Finding: finding, Object: object, Sentence: sentence, Choices: slices.Clone(b.choices), Count: 1}
}

func found(in []Finding, object string) bool {
	return slices.ContainsFunc(in, func(f Finding) bool { return f.Object == object })
}

// last returns the last pass of each key, in the order of the passes.
func (b *builder) last() []*sim.Pass {
	seen := map[string]bool{}
	var out []*sim.Pass
	for _, p := range slices.Backward(b.world.Passes()) {
		if id := p.Process + " " + p.Key; !seen[id] {
			seen[id] = true
			out = append(out, p)
		}
	}
	slices.Reverse(out)
	return out
}

// wrote names the first write of a pass that changed something.
func wrote(p *sim.Pass) string {
	i := slices.IndexFunc(p.Action, sim.Write.Effective)
	if i < 0 {
		return "nothing"
	}
	return p.Action[i].String()
}
