package tool

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/strftime"
)

func init() {
	register(map[string]Program{"date": date, "sleep": sleep, "timeout": timeout})
}

var dateGrammar = grammar{short: "d:f:I::r:Rs:u", long: []string{"date=d:", "iso-8601=I?", "reference=r:", "rfc-email=R", "rfc-2822=R", "rfc-3339:",
	"set=s:", "universal=u", "utc=u"}}

func date(p *Proc) int {
	opts, rest, status, ok := p.options(dateGrammar)
	if !ok {
		return status
	}
	if zone, set := p.Getenv("TZ"); set && !among([]string{"", "UTC", "UTC0", "GMT", "Z", "Etc/UTC", "Universal"}, strings.TrimPrefix(zone, ":")) {
		if _, utc := flagged(opts, "u"); !utc {
			return p.complain("the time zone %q is not known here: only UTC is", zone)
		}
	}
	t, layout := p.Now().UTC(), "%a %b %e %H:%M:%S %Z %Y"
	for _, o := range opts {
		switch o.name {
		case "d":
			var good bool
			if t, good = parseDate(o.arg, p.Now().UTC()); !good {
				return p.complain("invalid date ‘%s’", o.arg)
			}
		case "r":
			st, err := p.Files.Stat(p.abs(o.arg))
			if err != nil {
				return p.complain("%s: %s", o.arg, reason(err))
			}
			t = st.ModTime().UTC()
		case "I", "rfc-3339":
			l, good := isoLayout(o)
			if !good {
				return p.misuse(dateGrammar, fmt.Sprintf("invalid argument ‘%s’ for ‘--iso-8601’", o.arg))
			}
			layout = l
		case "R":
			layout = "%a, %d %b %Y %H:%M:%S %z"
		case "s":
			return p.complain("cannot set date: Operation not permitted")
		case "f":
			return p.complain("option -f is not supported here")
		}
	}
	if len(rest) > 0 {
		format, isFormat := strings.CutPrefix(rest[0], "+")
		switch {
		case !isFormat:
			return p.complain("cannot set date: Operation not permitted")
		case len(rest) > 1:
			return p.misuse(dateGrammar, fmt.Sprintf("extra operand ‘%s’", rest[1]))
		}
		layout = format
	}
	out := p.sink()
	out.str(strftime.Format(t, layout))
	return out.done(0)
}

func flagged(opts []option, name string) (arg string, ok bool) {
	for _, o := range opts {
		if o.name == name {
			arg, ok = o.arg, true
		}
	}
	return arg, ok
}

func isoLayout(o option) (string, bool) {
	if o.name == "I" {
		for _, word := range []string{"date", "hours", "minutes", "seconds", "ns"} {
			if o.arg != "" && strings.HasPrefix(word, o.arg) {
				o.arg = word
			}
		}
		l, ok := map[string]string{"": "%Y-%m-%d", "date": "%Y-%m-%d", "hours": "%Y-%m-%dT%H%:z", "minutes": "%Y-%m-%dT%H:%M%:z",
			"seconds": "%Y-%m-%dT%H:%M:%S%:z", "ns": "%Y-%m-%dT%H:%M:%S,%N%:z"}[o.arg]
		return l, ok
	}
	l, ok := map[string]string{"date": "%Y-%m-%d", "seconds": "%Y-%m-%d %H:%M:%S%:z", "ns": "%Y-%m-%d %H:%M:%S.%N%:z"}[o.arg]
	return l, ok
}

// parseSeconds reads sleep's and timeout's durations: 1.5, 2s, 3m, 4h, 5d.
func parseSeconds(s string) (time.Duration, bool) {
	unit := time.Second
	if s != "" {
		if u, ok := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[s[len(s)-1]]; ok {
			s, unit = s[:len(s)-1], u
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= 0) {
		return 0, false
	}
	if limit := float64(1<<62) / float64(unit); f > limit {
		f = limit
	}
	return time.Duration(f * float64(unit)), true
}

func sleep(p *Proc) int {
	_, rest, status, ok := p.options(grammar{})
	if !ok {
		return status
	}
	if len(rest) == 0 {
		return p.missing(grammar{})
	}
	var sum time.Duration
	for _, word := range rest {
		d, good := parseSeconds(word)
		if !good {
			return p.misuse(grammar{}, fmt.Sprintf("invalid time interval ‘%s’", word))
		}
		if sum += d; sum < 0 {
			sum = 1<<63 - 1
		}
	}
	if p.Sleep == nil {
		return p.complain("there is no clock to wait on here")
	}
	p.Sleep(sum)
	return 0
}

func timeout(p *Proc) int {
	g := grammar{short: "+fk:s:v", long: []string{"foreground=f", "kill-after=k:", "signal=s:", "preserve-status", "verbose=v"}, status: 125}
	opts, rest, status, ok := p.options(g)
	if !ok {
		return status
	}
	if len(rest) < 2 {
		fmt.Fprintln(p.Stderr, "Try 'timeout --help' for more information.")
		return 125
	}
	d, good := parseSeconds(rest[0])
	if !good {
		return p.misuse(g, fmt.Sprintf("invalid time interval ‘%s’", rest[0]))
	}
	if p.Run == nil || p.Deadline == nil {
		p.complain("no other program can be run here")
		return 125
	}
	if !p.found(rest[1], "failed to run command ‘%s’: No such file or directory") {
		return 127
	}
	run := func() int { return p.run(rest[1:]) }
	if d == 0 {
		return run()
	}
	code, timedOut := p.Deadline(d, run)
	if !timedOut {
		return code
	}
	if signal, given := flagged(opts, "s"); given && (signal == "KILL" || signal == "9" || signal == "SIGKILL") {
		return 137
	}
	if _, preserve := flagged(opts, "preserve-status"); preserve {
		return 143
	}
	return 124
}

// run runs another program in p's place.
func (p *Proc) run(args []string) int {
	child := *p
	child.Args = args
	return p.Run(child)
}
