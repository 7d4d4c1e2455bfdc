// Package scenario reads scenario documents: a txtar archive in, a world out.
// A document holds everything that a run needs but the choices, so that a
// document and a list of choices are a run.
//
// The parts of an archive:
//
//	(comment)          the story, in words, for people
//	scenario.yaml      settings: see Settings
//	cluster/*.yaml     objects that the cluster holds from the beginning
//	files/*            what the editor shows: manifests to apply
//	scripts/*          reconcilers in bash, see UseScripts
//	download/*         files to take away, which the scenario does not use
//	start              choices made when the scenario is opened, one a line
//	life               the user's actions that follow, one a line
//	desired.yaml       what is wanted of the state
//	steps              a test: commands with their expected output (see RunSteps)
//	steps/CURE         the test of the scenario with a cure switched on
//
// In the lines of start and steps a file's name stands for its text: apply
// plain.yaml is the choice apply "apiVersion: ...".
package scenario
