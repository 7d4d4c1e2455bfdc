package kubectl

import (
	"fmt"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/patch"
)

// diffing is one run of kubectl diff.
type diffing struct {
	*call
	serverSide bool
	manager    string
	differs    bool
}

// The folders in which kubectl lays down what it compares; their numbers differ
// from run to run in the real one.
const (
	liveFolder   = "/tmp/LIVE-1"
	mergedFolder = "/tmp/MERGED-1"
)

func (c *call) diff() error {
	d := &diffing{call: c, serverSide: c.flags.Bool("server-side"), manager: c.flags.Text("field-manager")}
	switch {
	case len(c.args) > 0:
		return c.usage("Unexpected args: %v", c.args)
	case len(c.flags.List("filename")) == 0 && c.flags.Text("kustomize") == "":
		return errorf("must specify one of -f and -k")
	case c.flags.Bool("force-conflicts") && !d.serverSide:
		return errorf("--force-conflicts only works with --server-side")
	case c.flags.Bool("prune"):
		return errorf("--prune is not part of this kubectl")
	}
	if d.serverSide && !c.flags.Given("field-manager") {
		d.manager = "kubectl"
	}
	q := c.query()
	q.keepGoing = false
	if err := q.do().each(d.one); err != nil {
		return err
	}
	if d.differs {
		return &exit{code: 1}
	}
	return nil
}

func (d *diffing) one(i *info) error {
	local := i.object
	name := i.mapping.Version + "." + i.mapping.Kind + "." + i.namespace + "." + i.name
	if i.mapping.Group != "" {
		name = i.mapping.Group + "." + name
	}
	var live, merged *object.Map
	err := error(nil)
	for n := 0; n < 4; n++ {
		i.object = nil
		if err := d.get(i, api.Request{Live: true}); err != nil && !isNotFound(err) {
			return err
		}
		live = i.object
		if merged, err = d.merged(i, local, n == 3); !isReason(err, api.ReasonConflict) {
			break
		}
	}
	if err != nil {
		return err
	}
	if object.New(live).Terminating() {
		d.complain("Warning: Detected changes to resource " + i.name + " which is currently being deleted.\n")
	}
	if !d.flags.Bool("show-managed-fields") {
		live, merged = withoutManaged(live), withoutManaged(merged)
	}
	hides := i.mapping.kindName() == "secret" && !d.flags.Bool("show-secrets")
	if hides {
		live, merged = masked(live, merged)
	}
	return d.print(name, live, merged, hides)
}

// merged is what the object would be.
func (d *diffing) merged(i *info, local *object.Map, force bool) (*object.Map, error) {
	w := write{manager: d.manager, dryRun: true}
	if d.serverSide {
		take := d.flags.Bool("force-conflicts")
		w.force = &take
		return d.patch(i, api.ApplyPatch, local, w)
	}
	if i.object == nil {
		made := *i
		made.object = local
		return d.create(&made, w)
	}
	before, _, err := original(i.object)
	if err != nil {
		return nil, err
	}
	modified := withoutApplied(local)
	var made *object.Map
	kind := api.MergePatch
	if strategic(i.mapping) {
		kind = api.StrategicMergePatch
		made, err = patch.ThreeWayStrategic(before, modified, i.object, patch.MergingOf(i.mapping.gvk()))
	} else {
		made = patch.ThreeWayMerge(before, modified, i.object)
	}
	if err != nil || made.Len() == 0 {
		return i.object, err
	}
	if !force {
		made = object.Set(made, object.New(i.object).ResourceVersion(), "metadata", "resourceVersion")
	}
	root, err := d.patch(i, kind, made, w)
	if err != nil {
		err = patching(i, err)
	}
	return root, err
}

// withoutApplied is the object that a patch is made from: with annotations,
// without the one of apply.
func withoutApplied(root *object.Map) *object.Map {
	return object.Set(root, orEmpty(mapAt(root, "metadata", "annotations").Without(lastApplied)), "metadata", "annotations")
}

// masked hides the values of two secrets, and says which differ.
func masked(live, merged *object.Map) (*object.Map, *object.Map) {
	from, to := mapAt(live, "data"), mapAt(merged, "data")
	a, b := from, to
	for k, v := range from.All() {
		other, has := to.Get(k)
		switch {
		case has && other != v:
			a, b = a.With(k, "*** (before)"), b.With(k, "*** (after)")
			continue
		case has:
			b = b.With(k, "***")
		}
		a = a.With(k, "***")
	}
	for k := range to.All() {
		if !from.Has(k) {
			b = b.With(k, "***")
		}
	}
	if a.Len() > 0 {
		live = live.With("data", a)
	}
	if b.Len() > 0 {
		merged = merged.With("data", b)
	}
	return live, merged
}

// print prints two versions as `diff -u -N` does. hidden is a secret, which is
// printed as null where it is not there.
func (d *diffing) print(name string, live, merged *object.Map, hidden bool) error {
	var before, after []string
	if live == nil && hidden {
		before = []string{"null"}
	}
	if live != nil {
		before = splitLines(string(object.EncodeFoldedYAML(live)))
	}
	if merged != nil {
		after = splitLines(string(object.EncodeFoldedYAML(merged)))
	}
	hunks := unified(before, after)
	if hunks == "" {
		return nil
	}
	d.differs = true
	from, to := liveFolder+"/"+name, mergedFolder+"/"+name
	now := d.env.Client.Now().UTC().Format("2006-01-02 15:04:05.000000000 +0000")
	then := now
	if live == nil && !hidden {
		then = time.Unix(0, 0).UTC().Format("2006-01-02 15:04:05.000000000 +0000")
	}
	fmt.Fprintf(d.out, "diff -u -N %s %s\n--- %s\t%s\n+++ %s\t%s\n%s", from, to, from, then, to, now, hunks)
	return nil
}

func splitLines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }
