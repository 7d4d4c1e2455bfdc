package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/reconcile-playground/reconcile/core/scenario"
)

// reconcileScript is what a script is called where it runs.
const reconcileScript = "reconcile.sh"

// openWith opens a scenario, with another script for its first controller where a file is given; - is
// standard input.
func openWith(name, script string, stdin io.Reader) (*scenario.Scenario, error) {
	s, err := open(name)
	if err != nil || script == "" {
		return s, err
	}
	var text []byte
	if script == "-" {
		text, err = io.ReadAll(stdin)
	} else {
		text, err = os.ReadFile(script)
	}
	if err != nil {
		return nil, err
	}
	member := s.Controllers[0].Script
	if member == "" {
		member = reconcileScript
	}
	with, err := s.WithScript(member, string(text))
	return with, inScript(err, script)
}

// inScript words an error about a script with the place in the file that it came from.
func inScript(err error, file string) error {
	var at interface{ Position() (line, col int) }
	if err == nil || !errors.As(err, &at) {
		return err
	}
	line, col := at.Position()
	place := file + ":" + strconv.Itoa(line)
	if col > 0 {
		place += ":" + strconv.Itoa(col)
	}
	message := at.(error).Error()
	var reason interface{ Text() string }
	if errors.As(err, &reason) {
		message = reason.Text()
	}
	return fmt.Errorf("%s: %s", place, message)
}
