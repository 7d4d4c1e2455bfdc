package engine

import (
	"encoding/json"
	"errors"

	"github.com/reconcile-playground/reconcile/core/scenario"
)

// Inspection says what a text holds that load would take.
type Inspection struct {
	// Title is the scenario's.
	Title string `json:"title"`
	// Cluster says that it is an exported cluster, of so many steps; else it is a
	// scenario document.
	Cluster bool `json:"cluster,omitempty"`
	Steps   int  `json:"steps,omitempty"`
}

// inspect reads a text as load would and changes nothing. Its errors are those
// of load, but for what only running scripts would show.
func inspect(text string) (any, error) {
	if len(text) == 0 || text[0] != '{' {
		return inspectDocument(text, Inspection{})
	}
	x, err := readExport([]byte(text))
	if err != nil {
		return nil, err
	}
	return inspectDocument(x.Scenario, Inspection{Cluster: true, Steps: len(x.Choices)})
}

func inspectDocument(text string, i Inspection) (any, error) {
	if _, err := scenario.Parse([]byte(text)); err != nil && !errors.Is(err, scenario.ErrNoScripts) {
		return nil, err
	}
	i.Title = scenario.HeadOf([]byte(text)).Title
	return i, nil
}

// readExport reads an exported cluster and holds it against its checksum.
func readExport(text []byte) (x exported, err error) {
	if err := json.Unmarshal(text, &x); err != nil {
		return x, badInput("the file is no exported cluster: %s", jsonFault(err, len(text)))
	}
	if x.Format != exportFormat {
		return x, badInput("the file's format is %q; this version reads %q", x.Format, exportFormat)
	}
	if sum := x.sum(); sum != x.Sum {
		return x, badInput("the file is damaged: its checksum is %s and should be %s", sum, x.Sum)
	}
	for i, b := range x.Branches {
		if b.At < 0 || b.At > len(b.Choices) {
			return x, badInput("the file is damaged: branch %d leaves at step %d, and has %d", i+1, b.At, len(b.Choices))
		}
	}
	return x, nil
}

// jsonFault says in plain words what is wrong with a text of so many bytes.
func jsonFault(err error, length int) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && int(syntax.Offset) >= length:
		return "it ends too early, as if only a part of it had been saved"
	case errors.As(err, &kind) && kind.Field != "":
		return "what stands at " + kind.Field + " is something else than there should be"
	}
	return "it is not written as one"
}
