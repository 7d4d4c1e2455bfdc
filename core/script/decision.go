package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
)

// decide reads what a script that exited with 0 decided: the last JSON value that
// ends its standard output, where that is an object.
func decide(out string) (reconcile.Result, []string, error) {
	out = strings.TrimSpace(out)
	value, ok := lastValue(out)
	if !ok {
		return reconcile.Result{}, outdone(out), looksLikeJSON(out)
	}
	v, err := object.DecodeJSON([]byte(value))
	m, isObject := v.(*object.Map)
	if err != nil || !isObject {
		return reconcile.Result{}, nil, nil
	}
	var r reconcile.Result
	var warnings, unknown []string
	for key, v := range m.All() {
		switch key {
		case "requeueAfter":
			if r.RequeueAfter, err = duration(v); err != nil {
				return reconcile.Result{}, nil, err
			}
		case "reason":
			text, ok := v.(string)
			if !ok {
				return reconcile.Result{}, nil, fmt.Errorf("the decision's reason is %s: it must be a string", object.EncodeJSON(v))
			}
			r.Reason = text
		default:
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		warnings = append(warnings, fmt.Sprintf("the JSON at the end of the output is taken for the decision, which knows requeueAfter and reason, and not %s", strings.Join(unknown, ", ")))
	}
	return r, warnings, nil
}

// outdone warns of a line that reads as a decision and has other output after it.
func outdone(out string) []string {
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "{") {
			continue
		}
		v, err := object.DecodeJSON([]byte(line))
		m, isObject := v.(*object.Map)
		if err != nil || !isObject {
			continue
		}
		if _, decides := m.Get("requeueAfter"); decides {
			return []string{fmt.Sprintf("%s is not the last of the output, so it is no decision: print it at the very end", line)}
		}
	}
	return nil
}

func duration(v any) (time.Duration, error) {
	text, ok := v.(string)
	if !ok {
		return 0, fmt.Errorf("the decision's requeueAfter is %s: it must be a duration in a string, such as \"30s\"", object.EncodeJSON(v))
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("the decision's requeueAfter %q is no duration: write \"30s\", \"1m30s\" or \"500ms\"", text)
	}
	if d <= 0 {
		return 0, fmt.Errorf("the decision's requeueAfter %q is not positive: leave it away where nothing is to be asked again", text)
	}
	return d, nil
}

// lastValue returns the JSON object or list that ends a text.
func lastValue(text string) (string, bool) {
	if !strings.HasSuffix(text, "}") && !strings.HasSuffix(text, "]") {
		return "", false
	}
	for at := 0; at < len(text); {
		i := strings.IndexAny(text[at:], "{[")
		if i < 0 {
			return "", false
		}
		at += i
		d := json.NewDecoder(strings.NewReader(text[at:]))
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			at++
			continue
		}
		if at += int(d.InputOffset()); at == len(text) {
			return string(raw), true
		}
	}
	return "", false
}

// looksLikeJSON is the error of a last line that was meant to be a decision.
func looksLikeJSON(out string) error {
	last := out[strings.LastIndexByte(out, '\n')+1:]
	if last = strings.TrimSpace(last); last == "" || last[0] != '{' && last[0] != '}' {
		return nil
	}
	return errors.New("the last line of the output looks like JSON and is none: " + last)
}
