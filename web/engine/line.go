package engine

import (
	"fmt"
	"strings"

	"github.com/reconcile-playground/reconcile/core/sim"
)

// maxQueued is how many of the keys that an event queued its line names.
const maxQueued = 6

// eventLine words an event for the timeline and the log, in Kubernetes' terms.
func eventLine(ev sim.Event) EventLine {
	a, err := sim.ParseAction(ev.Action)
	if err != nil {
		a = sim.Action{Verb: ev.Action}
	}
	l := EventLine{N: ev.N, At: ev.At, Lane: lane(a.Verb)}
	var parts []string
	queued := 0
	for _, f := range ev.Facts {
		l.take(f)
		if f.Kind == sim.FactQueued {
			// A list queues as many keys as there are objects.
			if queued++; queued > maxQueued {
				continue
			}
		}
		if s := factText(f); s != "" {
			parts = append(parts, s)
		}
	}
	if queued > maxQueued {
		parts = append(parts, fmt.Sprintf("and %d more", queued-maxQueued))
	}
	if a.Verb == "fault" {
		l.Lane, l.Level = faultLane(a.Arg(0)), "fault"
	}
	head := headline(a, ev)
	l.Text = strings.Join(append([]string{head}, parts...), " · ")
	return l
}

// take notes what a fact says about the line as a whole.
func (l *EventLine) take(f sim.Fact) {
	if f.Key != "" && l.Key == "" {
		l.Key = f.Key
	}
	if f.Pass != 0 {
		l.Pass = f.Pass
	}
	switch f.Kind {
	case sim.FactWrite:
		l.Writes++
	case sim.FactStarted:
		l.Started = true
	case sim.FactEnded:
		l.Ended = true
		switch f.Outcome {
		case "backoff", "dropped":
			l.Level = "warning"
		case sim.NotSent, sim.LandedThenDied:
			l.Outcome = string(f.Outcome)
		}
	case sim.FactRefused:
		l.Level = "warning"
	case sim.FactProcess:
		if f.Verb == "crashed" {
			l.Level = "fault"
		}
	case sim.FactCall:
		if f.Pass == 0 {
			return
		}
		switch f.Outcome {
		case sim.Conflict, sim.Refused, sim.Failed, sim.LostReply, sim.LandedThenDied, sim.NotSent:
			l.Outcome = string(f.Outcome)
		}
		switch f.Outcome {
		case sim.Conflict, sim.Refused, sim.Failed:
			l.Level = "warning"
		case sim.LostReply, sim.LandedThenDied, sim.NotSent:
			l.Level = "fault"
		}
	}
}

// faultLane is where a fault shows: at the controller's copy for those of
// deliveries, else at the server.
func faultLane(kind string) string {
	switch kind {
	case "stale", "relist", "duplicate":
		return "cache"
	}
	return "server"
}

func lane(verb string) string {
	switch verb {
	case "deliver", "list":
		return "cache"
	case "start":
		return "worker"
	case "call":
		return "server"
	case "tick", "advance":
		return "clock"
	case "gc", "namespace", "crd":
		return "collector"
	case "resync":
		return "queue"
	case "crash", "restart", "reload":
		return "worker"
	}
	return "user"
}

// headline is the action in words.
func headline(a sim.Action, ev sim.Event) string {
	switch a.Verb {
	case "apply":
		return "apply"
	case "fault":
		return strings.Join(append([]string{"fault", a.Arg(0)}, a.Args[min(2, len(a.Args)):]...), " ")
	case "shell":
		return "$ " + a.Arg(0)
	case "deploy":
		return "deploy " + a.Arg(1)
	case "delete", "recreate", "finalize", "unfinalize", "patch", "cloud", "reload", "advance", "crash", "restart", "resync", "gc", "namespace", "crd":
		return strings.Join(append([]string{a.Verb}, a.Args...), " ")
	case "tick":
		return "time passes"
	case "start":
		return "start " + a.Arg(1)
	case "call":
		return "call of " + a.Arg(1)
	case "list":
		return "list " + a.Arg(1)
	}
	return a.Verb
}

// factText words one fact; "" for one that goes without saying.
func factText(f sim.Fact) string {
	switch f.Kind {
	case sim.FactWrite:
		switch f.Verb {
		case "created":
			return fmt.Sprintf("%s created rv %s", f.Ref, f.After)
		case "deleted":
			return fmt.Sprintf("%s deleted rv %s", f.Ref, f.After)
		}
		return fmt.Sprintf("%s rv %s → %s", f.Ref, f.Before, f.After)
	case sim.FactCall:
		return callText(f)
	case sim.FactCloud:
		return "cloud " + f.Ref + " " + f.Verb
	case sim.FactCached:
		if f.Verb == "LIST" {
			return f.Text + " → cache at rv " + f.After
		}
		return fmt.Sprintf("%s %s rv %s → cache", f.Verb, f.Ref, f.After)
	case sim.FactQueued:
		if f.Delay > 0 {
			return fmt.Sprintf("queued %s in %s", f.Key, f.Delay)
		}
		return "queued " + f.Key
	case sim.FactFiltered:
		return fmt.Sprintf("%s kept back by %s", f.Ref, f.Text)
	case sim.FactDue:
		return "due " + f.Key
	case sim.FactEnded:
		if f.Outcome == sim.NotSent || f.Outcome == sim.LandedThenDied {
			return f.Text + ": " + string(f.Outcome)
		}
		s := "requeue " + string(f.Outcome)
		if f.Delay > 0 {
			s += " " + f.Delay.String()
		}
		if f.Text != "" {
			s += ": " + f.Text
		}
		return s
	case sim.FactRefused:
		return "refused: " + f.Text
	}
	return ""
}

func callText(f sim.Fact) string {
	verb := f.Verb
	if f.Resource == "status" {
		verb += " status"
	}
	s := verb + " " + f.Ref
	if f.Outcome != "" {
		s += ": " + string(f.Outcome)
	}
	if f.Text != "" {
		s += " (" + f.Text + ")"
	}
	return s
}
