// Package script makes reconcilers of bash scripts, the contract of docs/scripts.md: called
// with the key alone, kubectl, jq, cloud and the small tools on the PATH, a
// decision in JSON at the end of standard output. It also runs the lines of the
// user's terminal.
//
// A pass is a pure function of the process's memory (its files), the key, and
// the answers to its calls. Everything runs on the goroutine of the pass.
package script
