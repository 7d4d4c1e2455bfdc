package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Action is one thing that can happen next, or one input of the user's: a verb
// and its arguments. It prints on one line and parses back; the printed name
// is what a choice is.
//
//	list PROCESS RESOURCE        an informer's LIST is served
//	deliver PROCESS RESOURCE     the next watch event on the wire reaches the cache
//	start PROCESS KEY            a worker takes a key from the queue
//	call PROCESS KEY             the API or cloud call that the pass waits for is served
//	wake PROCESS KEY             a pass has slept long enough
//	gc REF | namespace NAME | crd NAME
//	                             the collector does its next piece of work
//	tick                         time passes to the next timer
//	advance DURATION             time passes
//	crash PROCESS, restart PROCESS
//	resync PROCESS               the handlers of all watched objects hear of them again
//	reload                       the page was reloaded: crash and restart of all
//	fault KIND ARGS...           a fault, see FaultKinds
//	apply YAML                   the user's kubectl apply
//	delete REF [cascade=POLICY]  the user's kubectl delete
//	recreate REF                 and creates it again as soon as its name is free
//	patch REF JSON               the user's merge patch
//	unfinalize REF NAME          the user takes a finalizer off by hand
//	deploy PROCESS NAME TEXT     the user rolls out another program of a controller
//	workers PROCESS N            the user has so many keys worked on at a time
//	shell LINE [STDIN]           the user's terminal runs a line
//	wake terminal                the line has slept long enough
//	interrupt                    the user ends the line that the terminal is busy with
//	cloud TYPE delete ID         someone deletes a thing in the cloud
type Action struct {
	Verb string
	Args []string
}

// Verbs are the verbs of actions.
var Verbs = []string{
	"list", "deliver", "start", "call", "wake", "gc", "namespace", "crd", "tick", "advance", "crash", "restart",
	"resync", "reload", "fault", "apply", "delete", "recreate", "patch", "finalize", "unfinalize", "deploy", "workers", "shell", "interrupt", "cloud",
}

// Act builds an action.
func Act(verb string, args ...string) Action { return Action{verb, args} }

// String prints the action; words that hold white space, quotes or nothing are
// quoted as Go strings.
func (a Action) String() string {
	var b strings.Builder
	b.WriteString(quoteWord(a.Verb))
	for _, arg := range a.Args {
		b.WriteByte(' ')
		b.WriteString(quoteWord(arg))
	}
	return b.String()
}

// Equal reports whether two actions print the same.
func (a Action) Equal(b Action) bool { return a.Verb == b.Verb && slices.Equal(a.Args, b.Args) }

// Arg returns argument i, "" where there is none.
func (a Action) Arg(i int) string {
	if i < len(a.Args) {
		return a.Args[i]
	}
	return ""
}

// ParseAction reads what String prints. The verb is not checked here: World's
// Step refuses one that it does not know.
func ParseAction(s string) (Action, error) {
	words, err := splitWords(s)
	if err != nil {
		return Action{}, err
	}
	if len(words) == 0 || words[0] == "" {
		return Action{}, fmt.Errorf("an empty line is no action")
	}
	a := Action{Verb: words[0]}
	if len(words) > 1 {
		a.Args = words[1:]
	}
	return a, nil
}

func quoteWord(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '"' || r == '\\' || r == '|' || !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// splitWords splits at spaces; a word may be, or end in, a quoted Go string.
func splitWords(s string) ([]string, error) {
	var words []string
	rest := strings.TrimLeft(s, " ")
	for rest != "" {
		end := strings.IndexAny(rest, " \"")
		switch {
		case end < 0:
			words, rest = append(words, rest), ""
		case rest[end] == ' ':
			words, rest = append(words, rest[:end]), strings.TrimLeft(rest[end:], " ")
		default:
			quoted, err := strconv.QuotedPrefix(rest[end:])
			if err != nil {
				return nil, fmt.Errorf("column %d: a quoted word does not end", len(s)-len(rest)+end+1)
			}
			text, _ := strconv.Unquote(quoted)
			words = append(words, rest[:end]+text)
			rest = rest[end+len(quoted):]
			if rest != "" && rest[0] != ' ' {
				return nil, fmt.Errorf("column %d: a space is missing after a quoted word", len(s)-len(rest)+1)
			}
			rest = strings.TrimLeft(rest, " ")
		}
	}
	return words, nil
}
