package apiserver

import (
	"fmt"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// named sets the names that a definition may have and the conditions that say
// so: two of one group cannot share a name; those of a group of the Kubernetes
// community also tell whether they are approved there. A definition is established
// by a write of its own, after that of its names. The real server's controllers do
// both within a moment of what they follow, here they are done at once; the answer
// to the create does not show them yet. Models NamingConditionController,
// EstablishingController and KubernetesAPIApprovalPolicyConformantConditionController.
func (s *Server) named(o object.Object) object.Object {
	o = s.nameConditions(o)
	reason, text := schema.Approval(o)
	if reason == "" {
		return o
	}
	status := "False"
	if reason == "ApprovedAnnotation" {
		status = "True"
	}
	return s.withCondition(o, "KubernetesAPIApprovalPolicyConformant", status, reason, text)
}

func (s *Server) nameConditions(o object.Object) object.Object {
	resources, kinds := s.takenNames(o)
	wanted, accepted := object.New(o.Map("spec", "names")), object.New(o.Map("status", "acceptedNames"))
	names := accepted
	reason, message := "NoConflicts", "no conflicts found"
	conflict := func(why, text string) { reason, message = why, text }
	one := func(field, why string, taken map[string]bool) {
		name := wanted.Str(field)
		switch {
		case name != accepted.Str(field) && taken[name]:
			conflict(why, inUse(name))
		case name != "":
			names = names.Set(name, field)
			return
		}
		if field == "plural" || field == "kind" {
			names = names.Set(accepted.Str(field), field)
		}
	}
	one("plural", "PluralConflict", resources)
	one("singular", "SingularConflict", resources)
	var used []string
	for _, x := range wanted.List("shortNames").All() {
		if name, _ := x.(string); resources[name] && !contains(accepted.List("shortNames"), name) {
			used = append(used, inUse(name))
		}
	}
	if len(used) > 0 {
		text := strings.Join(used, ", ")
		if len(used) > 1 {
			text = "[" + text + "]"
		}
		conflict("ShortNamesConflict", text)
	} else {
		names = keepField(names, wanted, "shortNames")
	}
	one("kind", "KindConflict", kinds)
	one("listKind", "ListKindConflict", kinds)
	names = keepField(names, wanted, "categories")

	o = o.Set(names.Root(), "status", "acceptedNames")
	if reason != "NoConflicts" {
		o = s.withCondition(o, "NamesAccepted", "False", reason, message)
		if conditionTrue(o, "Established") {
			return o
		}
		return s.withCondition(o, "Established", "False", "NotAccepted", "not all names are accepted")
	}
	accepts := "the initial names have been accepted"
	switch {
	case conditionTrue(o, "Established"):
		return s.withCondition(o, "NamesAccepted", "True", reason, message)
	case conditionTrue(o, "NamesAccepted"):
		return s.withCondition(o, "Established", "True", "InitialNamesAccepted", accepts)
	}
	o = s.withCondition(o, "NamesAccepted", "True", reason, message)
	return s.withCondition(o, "Established", "False", "Installing", accepts)
}

func inUse(name string) string { return fmt.Sprintf("%q is already in use", name) }

// takenNames are those that the other definitions of a group have.
func (s *Server) takenNames(o object.Object) (resources, kinds map[string]bool) {
	resources, kinds = map[string]bool{}, map[string]bool{}
	for _, other := range s.store.Range(crdPrefix, "") {
		if other.Name() == o.Name() || other.Str("spec", "group") != o.Str("spec", "group") {
			continue
		}
		names := object.New(other.Map("status", "acceptedNames"))
		resources[names.Str("plural")], resources[names.Str("singular")] = true, true
		for _, x := range names.List("shortNames").All() {
			name, _ := x.(string)
			resources[name] = true
		}
		kinds[names.Str("kind")], kinds[names.Str("listKind")] = true, true
	}
	return resources, kinds
}

// definitionWrites are those that follow the create of a definition until what it
// defines is served: its names are accepted, it is established.
const definitionWrites = 2

// nameAgain stores the names of a definition that has just changed.
func (s *Server) nameAgain(k *kind, o object.Object) {
	_, err := s.write(k, k.key("", o.Name()), noPreconditions, func(o object.Object) (object.Object, error) {
		return s.track(k, asAPIServer("status"), o, s.named(o)), nil
	})
	if err != nil {
		// It is there, and nothing was asked of it.
		panic(err)
	}
}

// withCondition sets one condition; its time moves with its status.
func (s *Server) withCondition(o object.Object, kind, status, reason, message string) object.Object {
	set := map[string]any{"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": stamp(s.now)}
	list := o.List("status", "conditions")
	for i := range list.Len() {
		m, _ := list.At(i).(*object.Map)
		if old := object.New(m); old.Str("type") == kind {
			if old.Str("status") == status {
				set["lastTransitionTime"] = old.Str("lastTransitionTime")
			}
			return o.Set(list.With(i, object.FromAny(set)), "status", "conditions")
		}
	}
	return o.Set(list.Append(object.FromAny(set)), "status", "conditions")
}

// conditionTrue reports whether a condition of an object is True.
func conditionTrue(o object.Object, kind string) bool {
	list := o.List("status", "conditions")
	for i := range list.Len() {
		m, _ := list.At(i).(*object.Map)
		if c := object.New(m); c.Str("type") == kind {
			return c.Str("status") == "True"
		}
	}
	return false
}
