package words

import "fmt"

// Lessons is what the page says around a lesson or an incident. The texts of
// the panels that are loaded later stand in panels.en.json.
type Lessons interface {
	// LessonTab names the tab of a kind of scenario: lesson, incident or another.
	LessonTab(kind string) string
	// Lesson says what to do at a step of a lesson: lesson and incident at the
	// beginning, grading, again, next and over, and in a run that shows what was found;
	// with Do added, the name of the button.
	Lesson(step string) string
	// StoryAct names an act; StoryEnd says whether what an incident is about came about;
	// StoryLeft after which step the run went another way; WithCure names the button
	// that plays the story with a cure.
	StoryAct(n, all int) string
	StoryEnd(happens bool) string
	StoryLeft(step int) string
	WithCure(title string) string
	// Checks says how many checks hold.
	Checks(held, all int) string
	// Learned says in the library how far one has come with a lesson.
	Learned(passed bool, held, all int) string
	ScriptDoubts() string
	Priority(n int) string
}

func (*english) LessonTab(kind string) string {
	switch kind {
	case "lesson":
		return "Lesson"
	case "incident":
		return "Incident"
	}
	return "Story"
}

func (*english) Lesson(step string) string {
	switch step {
	case "lesson":
		return "Read the tasks below, step through what the script does now, then edit it, roll it out and have it graded."
	case "lessonDo":
		return "Edit the script"
	case "incidentDo":
		return "Run it"
	case "playDo":
		return "Play the story"
	case "act":
		return "Next act"
	case "storyAgain":
		return "Play it again"
	case "left":
		return "Look around and try what you like; the acts go on from where you left them."
	case "leftDo":
		return "Back to the story"
	case "read":
		return "Read it"
	case "incident":
		return "Read the story below, run it and see what goes wrong; then switch a cure on and run it again."
	case "story":
		return "Read the story below and play its acts; then switch a cure on and play them again."
	case "grading":
		return "Grading."
	case "gradingNote":
		return "The lesson's life is played with your script, and judged by what it does."
	case "again":
		return "Each that does not hold says what was expected and what happened, and shows the run. Mend the script and have it graded again."
	case "againDo":
		return "Grade it again"
	case "shown":
		return "This run shows what was found."
	case "shownText":
		return "Go back through its steps to see what led to it, or let it go on. Your own run is kept meanwhile."
	case "shownDo":
		return "Back to my run"
	case "next":
		return "It comes next: this lesson is solved."
	case "nextDo":
		return "Go to the next lesson"
	case "over":
		return "It is solved, and was the last lesson. Take the script along to a real cluster, or open an incident."
	}
	return "See the grade"
}

func (*english) StoryAct(n, all int) string { return fmt.Sprintf("Act %d of %d.", n, all) }

func (*english) StoryEnd(happens bool) string {
	if happens {
		return "It happened."
	}
	return "It did not happen."
}

func (*english) StoryLeft(step int) string {
	return fmt.Sprintf("You went your own way after step %d.", step)
}

func (*english) WithCure(title string) string { return "Try: " + title }

func (*english) Checks(held, all int) string { return fmt.Sprintf("%d of %d checks hold.", held, all) }

func (*english) Learned(passed bool, held, all int) string {
	switch {
	case passed:
		return "✓ solved"
	case all > 0:
		return fmt.Sprintf("%d of %d checks", held, all)
	}
	return "begun"
}

func (*english) ScriptDoubts() string  { return "It runs, but this is doubtful:" }
func (*english) Priority(n int) string { return fmt.Sprintf("priority %d", n) }
