package words

import (
	"fmt"
	"strconv"
)

func (*english) SpeedOf(s float64) string { return strconv.FormatFloat(s, 'g', -1, 64) + "×" }
func (*english) PlayUntil() string        { return "Play until" }
func (*english) UntilName(until string) string {
	switch until {
	case "change":
		return "an object changes"
	case "finding":
		return "something is found wrong"
	case "stopped":
		return "you stop it: timers too"
	}
	return "nothing is left to do"
}
func (*english) Predict() string { return "Predict each step first" }
func (*english) PredictTitle(kind string) string {
	switch kind {
	case "version":
		return "Will a resourceVersion change?"
	case "queued":
		return "Will a key be queued?"
	}
	return "What comes after this call?"
}
func (*english) Answer(kind, answer string) string {
	switch kind + " " + answer {
	case "ends another":
		return "Another call"
	case "ends done":
		return "The pass ends, and its key is not queued again"
	case "ends at-once":
		return "It ends in an error: again with backoff"
	case "ends later":
		return "It ends, and asks to be called again later"
	case "queued at-once":
		return "Yes, ready at once"
	case "queued later":
		return "Yes, but it has to wait for the pass in hand"
	case "queued already":
		return "It is in the queue already, and stays there once"
	}
	switch answer {
	case "yes":
		return "Yes"
	case "no":
		return "No"
	}
	return answer
}
func (*english) SkipQuestion() string { return "Just show it" }
func (*english) ScoreOf(right, asked int) string {
	if asked == 0 {
		return "Nothing predicted yet."
	}
	return fmt.Sprintf("%d of %d right.", right, asked)
}
func (w *english) Judged(right bool, kind, truth string, score, asked int) string {
	s := "Not so"
	if right {
		s = "Right"
	}
	return s + ": " + w.PredictTitle(kind) + " " + w.Answer(kind, truth) + ". " + w.ScoreOf(score, asked)
}

func (*english) Findings() string { return "Findings" }
func (*english) FindingsOf(n int) string {
	if n == 0 {
		return "Findings"
	}
	return fmt.Sprintf("Findings (%d)", n)
}

func (*english) QueueKeys() string { return "Keys" }

func (*english) PlotsTitle() string   { return "Plots" }
func (*english) PlotsInWords() string { return "The plots in words" }
func (*english) PlotNames() []string {
	return []string{"Keys in the queue", "Passes of each key", "Writes", "Delay after an error"}
}
func (*english) PlotSeries() []string {
	return []string{"ready", "waiting", "changed something", "changed nothing", "delay, s"}
}
func (*english) PlotQueue(peak, waiting int) string {
	return fmt.Sprintf("At most %s ready at one time; %d waiting now.", count(peak, "key was", "keys were"), waiting)
}
func (*english) PlotWrites(effective, noOp int) string {
	return fmt.Sprintf("%s changed something, %d changed nothing.", count(effective, "write", "writes"), noOp)
}
func (*english) PlotPasses(key string, n int) string {
	return key + ": " + count(n, "pass", "passes") + "."
}
func (*english) PlotBackoff(n int, longest float64) string {
	if n == 0 {
		return "No pass ended in an error."
	}
	return fmt.Sprintf("%s ended in an error; the longest wait was %s s.", count(n, "pass", "passes"), strconv.FormatFloat(longest, 'g', 3, 64))
}

func (*english) CuresTitle() string { return "Cures to switch on" }
func (*english) NoCure() string     { return "As it is, broken" }
