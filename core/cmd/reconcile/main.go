// Command reconcile is the playground in a terminal: the same core as the page's, plus a static server
// for the page itself.
//
// Exit status: 0 nothing found; 1 findings, on standard output; 2 usage or input at fault, with where and
// what on standard error.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
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
		{"serve", "[--addr 127.0.0.1:8080] [--dir dist]", "serve the page", serve},
	}
}

func main() {
	os.Exit(dispatch(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
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
		fmt.Fprintf(w, "  reconcile %s %s\n        %s\n", c.name, c.usage, c.short)
	}
}
