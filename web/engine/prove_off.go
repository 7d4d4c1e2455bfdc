//go:build js && !scripts

package engine

// prove is what the larger module does.
func (e *Engine) prove(int64, string) error {
	return &Error{Message: "this build explores no runs", Reason: ReasonScripts}
}
