package sim

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/patch"
)

// ignoresStatus reports whether a write to the main resource carries a status
// other than the stored one, where status is a subresource: the server takes no
// notice of it.
func (w *World) ignoresStatus(req api.Request) bool {
	res, ok := w.resource(req.GVR)
	if !ok || !res.HasStatus || req.Subresource != "" || req.Verb != api.Update && req.Verb != api.Patch {
		return false
	}
	if req.Verb == api.Patch && req.PatchType == api.JSONPatch {
		ops, _ := req.Body.(*object.List)
		for _, op := range ops.All() {
			m, _ := op.(*object.Map)
			if path, _ := m.Get("path"); strings.HasPrefix(str(path), "/status") {
				return true
			}
		}
		return false
	}
	body, _ := req.Body.(*object.Map)
	sent, has := body.Get("status")
	if !has || sent == nil {
		return false
	}
	stored, _ := w.stored(req).At("status")
	if req.Verb == api.Patch {
		sent = patch.Merge(stored, sent)
	}
	return !object.Equal(stored, sent)
}

func str(v any) string {
	s, _ := v.(string)
	return s
}
