package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
)

// errorf makes an error of kubectl itself.
func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }

// exit is the end of a run with a code and a text as it is.
type exit struct {
	code int
	text string
}

// Error returns the text.
func (e *exit) Error() string { return e.text }

// aggregate is several errors. Models apimachinery's errors.Aggregate.
type aggregate []error

// Error prints each text once: one alone, several in brackets.
func (a aggregate) Error() string {
	var texts []string
	for _, err := range a {
		if t := err.Error(); !slices.Contains(texts, t) {
			texts = append(texts, t)
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// all makes one error of many; nil of none.
func all(errs []error) error {
	var out aggregate
	for _, err := range errs {
		if err != nil {
			out = append(out, err)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// flat takes aggregates inside aggregates apart; a single error stands alone.
func flat(err error) error {
	var out aggregate
	var walk func(error)
	walk = func(err error) {
		if a, ok := err.(aggregate); ok {
			for _, e := range a {
				walk(e)
			}
			return
		}
		if err != nil {
			out = append(out, err)
		}
	}
	walk(err)
	switch len(out) {
	case 0:
		return nil
	case 1:
		return out[0]
	}
	return out
}

// without drops the errors that ignore says yes to.
func without(err error, ignore func(error) bool) error {
	a, ok := err.(aggregate)
	if !ok {
		if err != nil && ignore(err) {
			return nil
		}
		return err
	}
	var left []error
	for _, e := range a {
		left = append(left, without(e, ignore))
	}
	return all(left)
}

// usage is a complaint about how a command is used. Models cmdutil.UsageErrorf.
func (c *call) usage(format string, args ...any) error {
	return errorf("%s\nSee '%s -h' for help and examples", fmt.Sprintf(format, args...), c.cmd.path())
}

// withSource says in which file the object of an error stands. Models
// cmdutil.AddSourceToErr.
func withSource(verb, source string, err error) error {
	if source == "" || err == nil {
		return err
	}
	if s, ok := err.(*api.Status); ok {
		t := *s
		t.Message = fmt.Sprintf("error when %s %q: %v", verb, source, s.Message)
		return &t
	}
	return errorf("error when %s %q: %v", verb, source, err)
}

func isReason(err error, reason string) bool {
	var s *api.Status
	return errors.As(err, &s) && s.Reason == reason
}

func isNotFound(err error) bool { return isReason(err, api.ReasonNotFound) }

// report prints an error and returns the exit code. Models cmdutil.checkErr.
func (c *call) report(err error) int {
	if a, ok := err.(aggregate); ok && len(a) == 1 {
		err = a[0]
	}
	if err == nil {
		return 0
	}
	code := 1
	if c.cmd != nil && c.cmd.errorCode != 0 {
		code = c.cmd.errorCode
	}
	text := ""
	switch e := err.(type) {
	case *exit:
		code, text = e.code, e.text
	case aggregate:
		for _, one := range e {
			text += plain(one) + "\n"
		}
	case *api.Status:
		text = statusText(e)
	default:
		text = e.Error()
		if !strings.HasPrefix(text, "error: ") {
			text = "error: " + text
		}
	}
	if text != "" {
		c.complain(strings.TrimSuffix(text, "\n") + "\n")
	}
	return code
}

// plain is one error of several.
func plain(err error) string {
	if s, ok := err.(*api.Status); ok {
		return serverText(s)
	}
	return err.Error()
}

// serverText is a refusal of the server; code 0 is no answer at all.
func serverText(s *api.Status) string {
	switch {
	case s.Code == 0:
		return s.Message
	case s.Reason == "Unauthorized":
		return "error: You must be logged in to the server (" + s.Message + ")"
	case s.Reason != "":
		return "Error from server (" + s.Reason + "): " + s.Message
	}
	return "Error from server: " + s.Message
}

// statusText is a refusal that stands alone: one of validation names its
// causes.
func statusText(s *api.Status) string {
	if s.Reason != api.ReasonInvalid {
		return serverText(s)
	}
	text := "The request is invalid"
	d := s.Details
	switch {
	case d == nil:
		if s.Message != "" {
			text += ": " + s.Message
		}
		return text
	case d.Kind != "" || d.Name != "":
		text = fmt.Sprintf("The %s %q is invalid", d.Kind, d.Name)
	case s.Message != "" && len(d.Causes) == 0:
		text += ": " + s.Message
	}
	var causes []string
	for _, cause := range d.Causes {
		if t := cause.Field + ": " + cause.Message; !slices.Contains(causes, t) {
			causes = append(causes, t)
		}
	}
	switch len(causes) {
	case 0:
		return text
	case 1:
		return text + ": " + causes[0]
	}
	return text + ": \n* " + strings.Join(causes, "\n* ")
}
