package view

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdown(t *testing.T) {
	const in = "# Title\n\nOne line,\nand another.\n\n## Part\n\n| A | B |\n| --- | --- |\n| x\\|y | 1<br>2 \\[0\\] `a b` |\n| &lt;img&gt; | <img src=x> |\n\n- one\n- two\n```\n# not a title\n```\nend"
	const want = `div class=report
  h3 "Title"
  p "One line, and another."
  h3 "Part"
  table
    tr
      th scope=col "A"
      th scope=col "B"
    tr
      th scope=row "x|y"
      td
        "1"
        br
        "2 [0] "
        code "a b"
    tr
      th scope=row "<img>"
      td "<img src=x>"
  ul class=md-list
    li "one"
    li "two"
  pre class=mono "# not a title"
  p "end"
`
	got := Print(markdown(in))
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestMarkdownTakesAnything(t *testing.T) {
	for _, s := range []string{"", "#", "#####", "|", "||", "```", "- ", "\\", "`", "a\\", "<br>", "| a\n"} {
		markdown(s)
	}
}
