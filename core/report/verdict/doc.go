// Package verdict prints what was proved within which bounds, and how a
// reconciler was graded: for a terminal, as JSON, as Markdown and as JUnit.
//
// Both have the scenario, the seed and the versions, so that anyone can play
// again what they show.
package verdict
