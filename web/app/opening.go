package app

// Opening is the engine's command by which another run is being opened in place of what there is, "openLink" while
// a link is read, too; empty where none is. Until it is open or has failed nothing is done to what there is: an act
// would reach whichever of the two is there by then.
func (m *Model) Opening() string {
	if m.linkFound != "" || m.linkReading {
		return "openLink"
	}
	last, method := int64(0), ""
	for id, p := range m.pending {
		if otherRun(p.method) && id > last {
			last, method = id, p.method
		}
	}
	return method
}

// waits is what an act comes to while another run is being opened: it is told to
// wait. ok is false for what may go on.
func (m *Model) waits(msg Msg) (effects []Effect, ok bool) {
	if m.Opening() == "" {
		return nil, false
	}
	switch msg := msg.(type) {
	case Step, StepCall, Run, Play, Predicted, Advance, Inject, Crash, Restart, Rerun, Delete, Unfinalize, PickScenario, Reset, Load, TakeOver,
		Back, Forward, Seek, SeekTo, Fork, Branch, OldBranch, NextAct, StoryAgain, BackToStory, SwitchCure, BackToMine, TakeUp,
		Apply, ApplyFiles, AddFile, MakeFile, AddScript, RemoveFile, Revert, RunLine, Prove, Proving, Grade, StartTour, DoNext:
		return []Effect{m.wait()}, true
	case Edited:
		return append(m.edited(msg.Text), m.wait()), true
	case SaveFile:
		// What was typed is stored where it fails, and not into what is being opened.
		return []Effect{After{saveAfter, msg}}, true
	case PlayTick, Leaving:
		m.Playing = false
		return nil, true
	}
	return nil, false
}

func (m *Model) wait() Effect { return m.toast("", m.Words.OpeningWait()) }

// openingGuide says what is being opened, and how far what it needs is loaded.
func (m *Model) openingGuide() Guide {
	percent := -1
	for _, n := range m.Notices {
		if n.Code == "scripts-loading" {
			percent = n.N
		}
	}
	title, text := m.Words.Opening(m.Opening(), percent)
	return Guide{Title: title, Text: text}
}
