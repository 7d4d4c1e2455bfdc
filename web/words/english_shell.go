package words

import "strconv"

func (*english) Terminal() string      { return "Terminal" }
func (*english) TerminalLog() string   { return "What the lines printed" }
func (*english) TerminalInput() string { return "A line to run" }
func (*english) TerminalHint() string {
	return "Enter runs it, Shift+Enter begins another line, Tab completes it, the arrows go through what was run; Shift+Tab and Escape leave."
}
func (*english) TerminalMore() string {
	return "It goes on: Enter begins another line until the here-document or the quote is closed; Ctrl+Enter runs it as it is."
}
func (*english) TerminalNone() string {
	return "kubectl, jq, cloud and small tools, at the same cluster, as a user beside the controller. Try: kubectl get webapps"
}
func (*english) TerminalRun() string { return "Run the line" }
func (*english) TerminalEdit() string {
	return "It is in the editor: apply it there, and what you have changed is sent as a patch."
}
func (*english) TerminalCut() string { return "Only the end is shown." }
func (*english) TerminalCode(code int) string {
	return "exit status " + strconv.Itoa(code)
}
func (*english) TerminalStopped(why string) string {
	switch why {
	case "reader":
		return "You stopped it."
	case "quiet":
		return "It was stopped: the world has come to rest, and there is nothing more to see."
	case "spinning":
		return "It was stopped: the controller works on one object over and over, and the world does not come to rest."
	}
	return "It was stopped: it ran for ten minutes of the world's time."
}
func (*english) NewScript() string { return "Script" }
func (*english) NewScriptHint() string {
	return "Write the reconciler yourself, in bash with kubectl and jq"
}
func (*english) RollOut() string    { return "Roll out" }
func (*english) ScriptRuns() string { return "runs" }
