package collector

import (
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
)

// condition is one of status.conditions.
type condition struct{ typ, status, reason, message string }

// setCondition replaces the condition of that type, or appends it.
// lastTransitionTime moves only with status.
func setCondition(o object.Object, c condition, now time.Time) object.Object {
	list := o.List("status", "conditions")
	for i, v := range list.All() {
		m, _ := v.(*object.Map)
		old := object.New(m)
		if old.Str("type") != c.typ {
			continue
		}
		at := now.UTC().Format(time.RFC3339)
		if old.Str("status") == c.status {
			at = old.Str("lastTransitionTime")
		}
		return o.Set(list.With(i, c.tree(at)), "status", "conditions")
	}
	return o.Set(list.Append(c.tree(now.UTC().Format(time.RFC3339))), "status", "conditions")
}

func (c condition) tree(at string) *object.Map {
	return object.NewMap(
		object.Field{Key: "type", Value: c.typ}, object.Field{Key: "status", Value: c.status},
		object.Field{Key: "lastTransitionTime", Value: at},
		object.Field{Key: "reason", Value: c.reason}, object.Field{Key: "message", Value: c.message},
	)
}

// isTrue reports whether a condition stands at True.
func isTrue(o object.Object, typ string) bool {
	for _, v := range o.List("status", "conditions").All() {
		m, _ := v.(*object.Map)
		if c := object.New(m); c.Str("type") == typ {
			return c.Str("status") == "True"
		}
	}
	return false
}
