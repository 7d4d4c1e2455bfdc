// Package app is what the page knows and how that changes: a Model, the
// messages that it takes, and the effects that it asks for. It draws nothing
// (web/view does) and touches no browser (web/dom does), so every behaviour of
// the page is tested natively, message by message.
//
// Update is called from one goroutine. Models and messages hold values of the
// engine's wire and of core, which are immutable.
package app
