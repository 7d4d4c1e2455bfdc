package kubectl

import (
	"fmt"
	"sort"
	"strings"

	"github.com/reconcile-playground/reconcile/core/kubectl/columns"
	"github.com/reconcile-playground/reconcile/core/kubectl/flag"
)

// help prints what a command does and its flags.
func (c *call) help(cmd *command) {
	w := columns.Plain(c.out)
	if cmd.long != "" {
		w.WriteString(cmd.long)
	} else {
		w.WriteString(strings.TrimSuffix(cmd.short, ".") + ".\n\n")
	}
	if len(cmd.aliases) > 0 {
		w.WriteString("Aliases:\n" + strings.Join(append([]string{cmd.name}, cmd.aliases...), ", ") + "\n\n")
	}
	if len(cmd.subs) > 0 {
		w.WriteString("Available Commands:\n")
		for _, s := range cmd.subs {
			fmt.Fprintf(w, "  %-11s\t %s\n", s.name, s.short)
		}
		w.WriteString("\n")
	}
	if len(cmd.own) > 0 {
		w.WriteString("Options:\n")
		printFlagList(w, cmd.own)
		w.WriteString("\n")
	}
	use := cmd.path()
	switch {
	case cmd.use != "":
		use += " " + cmd.use
	case len(cmd.subs) > 0:
		use += " [command]"
	}
	w.WriteString("Usage:\n  " + strings.TrimSuffix(use, " [options]") + " [options]\n")
	if len(cmd.subs) > 0 {
		w.WriteString("\nUse \"" + cmd.path() + " <command> --help\" for more information about a given command.")
	}
	w.WriteString("\n")
	w.WriteString("Use \"kubectl options\" for a list of global command-line options (applies to all commands).\n")
	w.Flush()
}

func printFlagList(w *columns.Writer, flags flag.Set) {
	sorted := append(flag.Set{}, flags...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].Name < sorted[j].Name })
	for _, f := range sorted {
		if f.Hidden {
			continue
		}
		name := "    --" + f.Name
		if f.Short != "" {
			name = "-" + f.Short + ", --" + f.Name
		}
		w.WriteString("    " + name + "\t " + f.Usage + "\n")
	}
}

// group is a command that has only others below it.
func (c *call) group() error {
	if len(c.args) > 0 {
		return c.usage("unknown command %q", strings.Join(c.args, " "))
	}
	out := c.out
	c.out = &output{w: c.env.Stderr}
	c.help(c.cmd)
	c.out.flush()
	c.out = out
	return &exit{code: 1}
}

func (c *call) helpCommand() error {
	cmd, left, err := find(root(), c.args)
	if err != nil || len(left) > 0 && len(cmd.subs) > 0 {
		c.complain("Unknown help topic " + quoteWords(c.args) + "\n")
		cmd = root()
	}
	c.help(cmd)
	return nil
}

func quoteWords(words []string) string { return "[`" + strings.Join(words, "` `") + "`]" }

func (c *call) options() error {
	w := columns.Plain(c.out)
	w.WriteString("The following options can be passed to any command:\n\n")
	printFlagList(w, globalFlags)
	return w.Flush()
}
