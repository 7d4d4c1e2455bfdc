package shell

import (
	"fmt"
	"strings"
)

// set is the builtin: options and positional parameters.
func set(s *sh, args []string) int {
	if len(args) == 1 {
		return s.listVars()
	}
	for i := 1; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			s.params = args[i+1:]
			return 0
		case a == "-":
			s.opts.xtrace = false
			if i+1 < len(args) {
				s.params = args[i+1:]
			}
			return 0
		case len(a) < 2 || a[0] != '-' && a[0] != '+':
			s.params = args[i:]
			return 0
		}
		on := a[0] == '-'
		for _, c := range []byte(a[1:]) {
			if c != 'o' {
				if !s.setLetter(c, on) {
					return 2
				}
				continue
			}
			if i+1 == len(args) {
				return s.listOptions(on)
			}
			i++
			if !s.setOption(args[i], on) {
				return 2
			}
		}
	}
	return 0
}

func (s *sh) setLetter(c byte, on bool) bool {
	for _, o := range optionTable {
		if o.letter == c {
			*o.at(&s.opts) = on
			return true
		}
	}
	switch {
	case strings.IndexByte("hBbH", c) >= 0 && (c != 'B' || on):
		return true
	case strings.IndexByte("mntvkpB", c) >= 0:
		s.e.stop("refused", "line %d: set -%c is not supported", s.line, c)
	}
	s.errorf("set: -%c: invalid option", c)
	fmt.Fprintln(s.stderr(), "set: usage: set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]")
	return false
}

func (s *sh) setOption(name string, on bool) bool {
	for _, o := range optionTable {
		if o.name == name {
			*o.at(&s.opts) = on
			return true
		}
	}
	if wordIn("hashall braceexpand interactive-comments notify nolog history histexpand emacs vi ignoreeof", name) {
		return true
	}
	if wordIn("monitor noexec onecmd verbose keyword privileged posix", name) {
		if !on {
			return true
		}
		s.e.stop("refused", "line %d: set -o %s is not supported", s.line, name)
	}
	s.errorf("set: %s: invalid option name", name)
	return false
}

var allOptions = strings.Fields("allexport braceexpand emacs errexit errtrace functrace hashall histexpand history ignoreeof interactive-comments keyword monitor noclobber noexec noglob nolog notify nounset onecmd physical pipefail posix privileged verbose vi xtrace")

func (s *sh) listOptions(table bool) int {
	for _, name := range allOptions {
		on := wordIn("braceexpand hashall interactive-comments", name)
		for _, o := range optionTable {
			if o.name == name {
				on = *o.at(&s.opts)
			}
		}
		state, sign := "off", "+"
		if on {
			state, sign = "on", "-"
		}
		if table {
			fmt.Fprintf(s.stdout(), "%-15s\t%s\n", name, state)
		} else {
			fmt.Fprintf(s.stdout(), "set %so %s\n", sign, name)
		}
	}
	return 0
}

func (s *sh) listVars() int {
	for _, name := range sortedKeys(s.vars) {
		v := s.lookup(name)
		switch {
		case v == nil || !v.set:
		case v.array():
			fmt.Fprintf(s.stdout(), "%s=%s\n", name, v.body(quoteElem))
		default:
			fmt.Fprintf(s.stdout(), "%s=%s\n", name, quoteListed(v.str))
		}
	}
	return 0
}

// shoptNames are the options of shopt that are done here; the others of bash
// change nothing that a script can see, or are refused.
var shoptNames = strings.Fields("dotglob extglob failglob globstar inherit_errexit lastpipe nocaseglob nocasematch nullglob patsub_replacement shift_verbose xpg_echo")

var shoptIdle = strings.Fields("autocd cdspell checkhash checkjobs checkwinsize cmdhist complete_fullquote direxpand dirspell execfail extquote force_fignore globasciiranges globskipdots gnu_errfmt histappend histreedit histverify hostcomplete huponexit interactive_comments lithist login_shell mailwarn no_empty_cmd_completion noexpand_translation progcomp progcomp_alias promptvars restricted_shell sourcepath varredir_close")

func shopt(s *sh, args []string) int {
	o := optReader{s: s, name: "shopt", flags: "suqpo", args: args[1:], usage: "shopt [-pqsu] [-o] [optname ...]"}
	var on, off, quiet, setO bool
	for o.next() {
		on, off, quiet, setO = on || o.opt == 's', off || o.opt == 'u', quiet || o.opt == 'q', setO || o.opt == 'o'
	}
	if o.failed {
		return 2
	}
	status := 0
	for _, name := range o.args {
		switch {
		case setO && (on || off):
			if !s.setOption(name, on) {
				status = 1
			}
		case setO:
			status = max(status, s.showOption(name, quiet))
		case !wordIn(strings.Join(shoptNames, " "), name):
			status = max(status, s.otherShopt(name, on, off))
		case on || off:
			s.shopts[name] = on
		default:
			status = max(status, s.showShopt(name, quiet))
		}
	}
	if len(o.args) == 0 {
		s.e.stop("refused", "line %d: shopt without a name is not supported", s.line)
	}
	return status
}

func (s *sh) otherShopt(name string, on, off bool) int {
	idle := wordIn(strings.Join(shoptIdle, " "), name)
	if !idle && wordIn("expand_aliases extdebug compat31 compat32 compat40 compat41 compat42 compat43 compat44 cdable_vars assoc_expand_once localvar_inherit localvar_unset", name) {
		if off {
			return 0
		}
		s.e.stop("refused", "line %d: shopt %s is not supported", s.line, name)
	}
	if !idle {
		s.errorf("shopt: %s: invalid shell option name", name)
		return 1
	}
	if on || off {
		return 0
	}
	return 1
}

func (s *sh) showShopt(name string, quiet bool) int { return s.showState(name, s.shopts[name], quiet) }

// showOption is shopt -o with a name.
func (s *sh) showOption(name string, quiet bool) int {
	if !wordIn(strings.Join(allOptions, " "), name) {
		s.errorf("shopt: %s: invalid option name", name)
		return 1
	}
	return s.showState(name, s.unaryTest("-o", name), quiet)
}

func (s *sh) showState(name string, on, quiet bool) int {
	state := "off"
	if on {
		state = "on"
	}
	if !quiet {
		fmt.Fprintf(s.stdout(), "%-15s\t%s\n", name, state)
	}
	return int(truth(!on))
}
