package script

import (
	"fmt"

	"github.com/reconcile-playground/reconcile/core/script/tool"
)

// kubectl is not here yet: it comes with its own package.
func (s *session) kubectl(p *tool.Proc) int {
	fmt.Fprintln(p.Stderr, "kubectl: not available")
	return 127
}
