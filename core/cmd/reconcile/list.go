package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/reconcile-playground/reconcile/core/scenario"
)

// listSchema names the format of list's JSON.
const listSchema = "reconcile.list/v1"

// listed is one scenario of the list.
type listed struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	Kind  string   `json:"kind,omitempty"`
	Story string   `json:"story"`
	Files []string `json:"files"`
}

// list is the subcommand that lists the scenarios of the library.
func list(args []string, _ io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("list", flag.ContinueOnError)
	format := flags.String("format", "text", "text or json")
	if status, done := parseFlags(flags, args, stdout, stderr); done {
		return status
	}
	all := []listed{}
	for _, h := range scenario.Heads() {
		l := listed{Name: h.Name, Title: h.Title, Kind: h.Kind, Story: h.Story, Files: []string{}}
		s, err := scenario.Load(h.Name)
		if err != nil && !errors.Is(err, scenario.ErrNoScripts) {
			fmt.Fprintf(stderr, "reconcile list: %s: %v\n", h.Name, err)
			return exitUsage
		}
		if err == nil {
			for _, f := range s.Files {
				l.Files = append(l.Files, f.Name)
			}
		}
		all = append(all, l)
	}
	switch *format {
	case "text":
		for _, l := range all {
			fmt.Fprintf(stdout, "%s\n    %s\n    %s\n", l.Name, l.Title, strings.ReplaceAll(l.Story, "\n", "\n    "))
		}
		return exitClean
	case "json":
		enc := json.NewEncoder(stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(map[string]any{"schema": listSchema, "scenarios": all}); err != nil {
			fmt.Fprintf(stderr, "reconcile list: %v\n", err)
			return exitUsage
		}
		return exitClean
	}
	fmt.Fprintf(stderr, "reconcile list: --format is text or json, not %q\n", *format)
	return exitUsage
}
