// Command reconcile is the playground in a terminal: the same core as the page's, plus a static server
// for the page itself.
//
// Exit status: 0 nothing found; 1 findings, on standard output; 2 usage or input at fault, with where and
// what on standard error.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/reconcile-playground/reconcile/core/jq"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/rules"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/script"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Exit statuses of every subcommand.
const (
	exitClean    = 0
	exitFindings = 1
	exitUsage    = 2
)

// A subcommand is one word after "reconcile". Its run gets the arguments after that word and returns an
// exit status.
type subcommand struct {
	name  string
	usage string
	short string
	run   func(args []string, stdin io.Reader, stdout, stderr io.Writer) int
}

// subcommands holds every subcommand, in the order that help prints them.
func subcommands() []subcommand {
	return []subcommand{
		{"run", runUsage, "run a scenario to quiet, make one full pass and a second one, and report", run},
		{"list", "[--format text|json]", "list the scenarios that come with it", list},
		{"serve", "[--addr 127.0.0.1:8080] [--dir dist]", "serve the page", serve},
		{"prove", proveUsage, "play the life of a scenario once for each fault at each place, and judge every run", prove},
		{"grade", gradeUsage, "play the life of a lesson without faults and judge the whole desired state", grade},
	}
}

func main() {
	if err := register(); err != nil {
		fmt.Fprintln(os.Stderr, "reconcile:", err)
		os.Exit(exitUsage)
	}
	os.Exit(dispatch(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// register names what evaluates rules, runs scripts and evaluates checks.
func register() error {
	evaluator, err := rules.New()
	if err != nil {
		return err
	}
	sim.UseRules(evaluator)
	scenario.UseScripts(readScript, script.Shell)
	checks := new(jq.Checks)
	judge.UseExpressions(checks.Compile)
	judge.UseGuards(checks.Guards)
	return nil
}

// dispatch runs the subcommand that args name.
func dispatch(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	all := subcommands()
	if len(args) == 0 {
		printUsage(stderr, all)
		return exitUsage
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		printUsage(stdout, all)
		return exitClean
	}
	at := slices.IndexFunc(all, func(c subcommand) bool { return c.name == args[0] })
	if at < 0 {
		fmt.Fprintf(stderr, "reconcile: unknown command %q\n", args[0])
		printUsage(stderr, all)
		return exitUsage
	}
	return all[at].run(args[1:], stdin, stdout, stderr)
}

func printUsage(w io.Writer, all []subcommand) {
	fmt.Fprintln(w, "usage:")
	for _, c := range all {
		line := "reconcile " + c.name
		if c.usage != "" {
			line += " " + c.usage
		}
		fmt.Fprintf(w, "  %s\n        %s\n", line, c.short)
	}
	fmt.Fprintln(w, "exit status: 0 nothing found, 1 findings, 2 usage or input at fault")
}

// parseFlags parses a subcommand's flags, which take no arguments beside them. It reports the exit status
// where that ends the command: after --help, or a mistake.
func parseFlags(flags *flag.FlagSet, args []string, stdout, stderr io.Writer) (status int, done bool) {
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		printFlags(stdout, flags)
		return exitClean, true
	case err != nil:
		fmt.Fprintf(stderr, "reconcile %s: %v\n", flags.Name(), err)
		printFlags(stderr, flags)
		return exitUsage, true
	}
	return 0, false
}

func printFlags(w io.Writer, flags *flag.FlagSet) {
	fmt.Fprintf(w, "usage of reconcile %s:\n", flags.Name())
	flags.SetOutput(w)
	flags.PrintDefaults()
}
