// Package shell runs bash scripts: the language of bash 5.2 on the syntax trees
// of mvdan.cc/sh/v3, without a process, a goroutine or a clock of its own.
//
// A run is a function of its text, its Config and what its programs answer. A
// subshell is a copy of the state; the stages of a pipeline take turns: a
// producer runs until its pipe is full or it ends, then the one that reads goes
// on. So output is the same, byte for byte, wherever it runs.
//
// What would need another process at the same time (&, coproc, >( )) is refused
// when the text is parsed; so is what bash means otherwise than the syntax tree
// says. Budgets end a run with a Stop.
//
// It models execute_cmd.c, subst.c, arrayfunc.c and builtins/*.def of bash 5.2.
package shell
