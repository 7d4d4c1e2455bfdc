package app

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/web/engine"
)

// Methods are the methods of window.reconcile that the page answers. Those
// that are null here belong to what is not built in.
var Methods = []string{
	"load", "apply", "delete", "setScript", "enabled", "step", "stepCall", "runToQuiet", "advance", "crash", "restart",
	"inject", "seek", "fork", "kubectl", "state", "report", "prove", "grade", "link",
}

// called takes a call of window.reconcile.
func (m *Model) called(c Called) []Effect {
	if m.linkReading {
		m.held = append(m.held, c)
		return nil
	}
	arg := func(i int) string {
		if i == 0 && c.Text != "" {
			return c.Text
		}
		var s string
		if i < len(c.Args) && json.Unmarshal(c.Args[i], &s) != nil {
			return string(c.Args[i])
		}
		return s
	}
	var cmd engine.Command
	switch c.Method {
	case "load":
		cmd = engine.Command{Method: "load", Text: arg(0)}
	case "apply":
		cmd = engine.Command{Method: "apply", Text: arg(0)}
	case "delete":
		cmd = engine.Command{Method: "delete", Ref: arg(0), Policy: arg(1)}
	case "step":
		cmd = engine.Command{Method: "step", Action: arg(0)}
	case "setScript":
		cmd = engine.Command{Method: "setScript", Text: arg(0)}
	case "kubectl":
		cmd = engine.Command{Method: "kubectl", Text: arg(0)}
	case "prove":
		cmd = engine.Command{Method: "prove", Text: arg(0)}
	case "grade":
		cmd = engine.Command{Method: "grade", Name: arg(0)}
	case "inject":
		cmd = engine.Command{Method: "inject", Name: arg(0)}
	case "runToQuiet":
		cmd = engine.Command{Method: "run"}
	case "advance":
		cmd = engine.Command{Method: "advance", Duration: arg(0)}
	case "enabled", "stepCall", "crash", "restart", "fork", "state", "link":
		cmd = engine.Command{Method: c.Method}
	case "report":
		cmd = engine.Command{Method: "report", Format: arg(0)}
		if cmd.Format == "" {
			cmd.Format = "json"
		}
	case "seek":
		cmd = engine.Command{Method: "seek"}
		if len(c.Args) == 0 || json.Unmarshal(c.Args[0], &cmd.N) != nil {
			return []Effect{Reject{c.Token, "seek takes the number of a step", "BadInput"}}
		}
	default:
		return []Effect{Reject{c.Token, c.Method + " is not implemented here", "NotImplemented"}}
	}
	p := pending{token: c.Token}
	var effects []Effect
	switch cmd.Method {
	case "state", "enabled", "report", "link", "prove", "grade":
	default:
		p.act = true
		effects = m.dropEvidence()
	}
	if cmd.Method == "run" {
		m.Running, m.Ran = true, 0
	}
	return append(effects, m.send(cmd, p))
}

// answer answers the caller.
func (m *Model) answer(p pending, r engine.Reply) Effect {
	if r.Error != nil {
		message := r.Error.Message
		if marks := r.Error.Marks; p.method == "setScript" && len(marks) > 0 {
			message = fmt.Sprintf("%s:%d:%d: %s", engine.ScriptName, marks[0].Line, marks[0].Col, message)
		}
		return Reject{p.token, message, r.Error.Reason}
	}
	if p.method == "link" {
		return PackLink{p.token, textOf(r.Result)}
	}
	if p.method == "state" {
		return Resolve{p.token, withStorage(r.Result, m.Storage.State)}
	}
	return Resolve{p.token, r.Result}
}

// withStorage adds what only the page knows to the engine's state.
func withStorage(state json.RawMessage, storage string) json.RawMessage {
	text := strings.TrimSuffix(strings.TrimSpace(string(state)), "}")
	if !strings.HasPrefix(text, "{") {
		return state
	}
	return json.RawMessage(text + `,"storage":` + strconv.Quote(storage) + "}")
}
