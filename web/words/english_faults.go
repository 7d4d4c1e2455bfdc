package words

func (*english) Fault() string { return "Fault" }
func (*english) FaultHint() string {
	return "Make something go wrong at the call or the delivery that is next"
}
func (*english) FaultArmed(kind string) string {
	return "Armed: " + kind
}
func (*english) FaultArmedNote(kind string) string {
	return kind + " hits the next call or delivery that it can hit."
}
func (*english) Disarm() string { return "Disarm" }
func (*english) FaultAtCall(of, call string) string {
	if of != "" {
		return "At the call that " + of + " waits for: " + call
	}
	return "At the call that waits: " + call
}
func (*english) FaultToArm(waits bool) string {
	if waits {
		return "Arm one for the next call that it can hit:"
	}
	return "No call waits. Arm one for the next call that it can hit:"
}
func (*english) FaultAtDelivery() string { return "On the way to the cache" }
func (*english) FaultWhy(kind string) string {
	switch kind {
	case "crash-before":
		return "the controller dies, the call is not sent"
	case "crash-after":
		return "the call lands, then the controller dies"
	case "lost-reply":
		return "the call lands, its reply is lost"
	case "refused":
		return "503: the server does nothing"
	case "conflict":
		return "someone else writes the object just before"
	case "edit":
		return "the user changes spec just before"
	case "delete":
		return "the user deletes the object just before"
	case "recreate":
		return "deleted, and created again under its name"
	case "cloud-error":
		return "the cloud fails and does nothing"
	case "cloud-lost-reply":
		return "the cloud does it, its reply is lost"
	case "stale":
		return "the cache does not move for that many deliveries"
	case "relist":
		return "the watch is dropped, too old to go on: list again"
	case "duplicate":
		return "the next event is delivered twice"
	case "order":
		return "no fault: something else happens first"
	case "workers":
		return "no fault: a second worker makes a pass in between"
	case "resync":
		return "no fault: the controller is told of everything again"
	}
	return ""
}
func (*english) OutcomeWhy(outcome string) string {
	switch outcome {
	case "refused":
		return "Nothing was stored, and the caller knows it: trying again is safe."
	case "not-sent":
		return "The controller died first: nothing was stored, and nobody knows of it."
	case "lost-reply":
		return "It was stored, but the caller got an error: trying again does it a second time, unless it looks first."
	case "landed-then-died":
		return "It was stored, and who knew of it is gone: only the cluster still tells."
	case "conflict":
		return "Someone else wrote the object since it was read: nothing was stored."
	}
	return ""
}
