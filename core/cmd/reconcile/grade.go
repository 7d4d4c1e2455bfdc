package main

import (
	"flag"
	"fmt"
	"io"

	gradepkg "github.com/reconcile-playground/reconcile/core/grade"
	"github.com/reconcile-playground/reconcile/core/report/verdict"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

const gradeUsage = "--lesson NAME [--script FILE] [--format text|json|md|junit]"

// grade is the subcommand that plays the life of a lesson without faults and judges it.
func grade(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("grade", flag.ContinueOnError)
	lesson := flags.String("lesson", "", "`NAME` of a lesson, such as lab or lab-1, or a FILE.txtar")
	script := flags.String("script", "", "`FILE` with the reconciler in bash; - is standard input; the lesson's solution where none is given")
	format := flags.String("format", "text", "text, json, md or junit")
	show := flags.Int("show", 0, "print the choices of finding `N` and nothing else: reconcile run --choices - plays them")
	if status, done := parseFlags(flags, args, stdout, stderr); done {
		return status
	}
	m, err := gradeLesson(*lesson, *script, *format, stdin)
	if err != nil {
		return refused(stdout, stderr, "grade", *format, *lesson, err)
	}
	if *show > 0 {
		return printChoices(stdout, stderr, "grade", m.Findings, *show)
	}
	return printAccount(stdout, *format, !m.Passed, map[string]func() []byte{"text": m.Text, "json": m.JSON, "md": m.Markdown, "junit": m.JUnit})
}

func gradeLesson(lesson, script, format string, stdin io.Reader) (*verdict.Mark, error) {
	if lesson == "" {
		return nil, fmt.Errorf("--lesson is missing: the name of a lesson, such as lab or lab-1")
	}
	if err := checkFormat(format); err != nil {
		return nil, err
	}
	s, err := openLesson(lesson, script, stdin)
	if err != nil {
		return nil, err
	}
	g, err := gradepkg.Run(s)
	if err != nil {
		return nil, err
	}
	again := "reconcile grade --lesson " + shellWord(lesson)
	if script == "-" {
		again += " --script " + reconcileScript
	} else if script != "" {
		again += " --script " + shellWord(script)
	}
	return verdict.Graded(s, g, verdict.Again{Command: again, Run: "reconcile run" + subjectWords(lesson, script), Note: savedFirst(script)}), nil
}

// openLesson opens a lesson with a script, or with its solution.
func openLesson(lesson, script string, stdin io.Reader) (*scenario.Scenario, error) {
	s, err := openWith(lesson, script, stdin)
	if err != nil || script != "" || s.Solution == "" {
		return s, err
	}
	return s.Solved()
}
