package managedfields

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/merge"

	"github.com/reconcile-playground/reconcile/core/api"
)

// conflictStatus is 409 for an apply that wants to change what others own: one
// cause for each field, in the order of owners, then fields. The real server
// gives the owners in any order. Models NewConflictError.
func (m *managed) conflictStatus(conflicts merge.Conflicts) *api.Status {
	paths := map[string][]string{}
	for _, c := range conflicts {
		paths[c.Manager] = append(paths[c.Manager], c.Path.String())
	}
	status := &api.Status{Status: api.Failure, Code: 409, Reason: api.ReasonConflict, Details: &api.Details{}}
	var lines []string
	for _, id := range slices.Sorted(maps.Keys(paths)) {
		who := m.owners[id].text()
		lines = append(lines, "conflicts with "+who+":")
		for _, path := range paths[id] {
			lines = append(lines, "- "+path)
			status.Details.Causes = append(status.Details.Causes, api.Cause{Reason: "FieldManagerConflict", Message: "conflict with " + who, Field: path})
		}
	}
	status.Message = fmt.Sprintf("Apply failed with %d conflicts: %s", len(conflicts), strings.Join(lines, "\n"))
	if len(conflicts) == 1 {
		only := status.Details.Causes[0]
		status.Message = "Apply failed with 1 conflict: " + only.Message + ": " + only.Field
	}
	return status
}

// text names an owner in a conflict. Models printManager.
func (o owner) text() string {
	s := fmt.Sprintf("%q", o.manager)
	if o.subresource != "" {
		s += fmt.Sprintf(" with subresource %q", o.subresource)
	}
	if o.operation == opUpdate {
		s += " using " + o.apiVersion
	}
	return s
}
