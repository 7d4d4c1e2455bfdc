package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/script"
)

// reconcileScript is what a script is called where it runs.
const reconcileScript = "reconcile.sh"

// readScript reads a script for a scenario.
func readScript(name, text string) (scenario.Script, error) {
	p, err := script.Compile(name, text)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// openWith opens a scenario, with another script for its first controller where a file is given; - is
// standard input.
func openWith(name, file string, stdin io.Reader) (*scenario.Scenario, error) {
	s, err := open(name)
	if err != nil || file == "" {
		return s, err
	}
	var text []byte
	if file == "-" {
		text, err = io.ReadAll(stdin)
	} else {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, err
	}
	member := s.Controllers[0].Script
	if member == "" {
		member = reconcileScript
	}
	with, err := s.WithScript(member, string(text))
	return with, inScript(err, file)
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
