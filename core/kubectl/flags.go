package kubectl

import (
	"strconv"

	"github.com/reconcile-playground/reconcile/core/kubectl/flag"
)

func boolean(name, short, usage string) *flag.Flag {
	return &flag.Flag{Name: name, Short: short, Kind: flag.Bool, Default: "false", Usage: usage}
}

func truthy(name, usage string) *flag.Flag {
	return &flag.Flag{Name: name, Kind: flag.Bool, Default: "true", Usage: usage}
}

func text(name, short, value, usage string) *flag.Flag {
	return &flag.Flag{Name: name, Short: short, Default: value, Usage: usage}
}

func number(name, value, usage string) *flag.Flag {
	return &flag.Flag{Name: name, Kind: flag.Int, Default: value, Usage: usage}
}

func duration(name, value, usage string) *flag.Flag {
	return &flag.Flag{Name: name, Kind: flag.Duration, Default: value, Usage: usage}
}

func list(name, short, usage string) *flag.Flag {
	return &flag.Flag{Name: name, Short: short, Kind: flag.Strings, Usage: usage}
}

func array(name, usage string) *flag.Flag {
	return &flag.Flag{Name: name, Kind: flag.Array, Usage: usage}
}

func bare(f *flag.Flag, value string) *flag.Flag {
	f.Bare = value
	return f
}

// globalFlags are those of every command. What has no meaning here is taken and
// left alone.
var globalFlags = flag.Set{
	boolean("help", "h", "Print this text."),
	text("namespace", "n", "", "The namespace to work in; default where it is not given."),
	boolean("warnings-as-errors", "", "End with an error where the server warned."),
	text("as", "", "", "Has no effect here."),
	array("as-group", "Has no effect here."),
	text("as-uid", "", "", "Has no effect here."),
	array("as-user-extra", "Has no effect here."),
	text("cache-dir", "", "", "Has no effect here."),
	text("certificate-authority", "", "", "Has no effect here."),
	text("client-certificate", "", "", "Has no effect here."),
	text("client-key", "", "", "Has no effect here."),
	text("cluster", "", "", "Has no effect here."),
	text("context", "", "", "There is one context, "+contextName+"."),
	boolean("disable-compression", "", "Has no effect here."),
	boolean("insecure-skip-tls-verify", "", "Has no effect here."),
	text("kubeconfig", "", "", "Has no effect here."),
	text("kuberc", "", "", "Has no effect here."),
	duration("log-flush-frequency", "5s", "Has no effect here."),
	boolean("match-server-version", "", "Has no effect here."),
	text("password", "", "", "Has no effect here."),
	text("profile", "", "none", "Has no effect here."),
	text("profile-output", "", "profile.pprof", "Has no effect here."),
	text("proxy-url", "", "", "Has no effect here."),
	text("request-timeout", "", "0", "Has no effect here."),
	text("server", "s", "", "Has no effect here."),
	text("tls-server-name", "", "", "Has no effect here."),
	text("token", "", "", "Has no effect here."),
	text("user", "", "", "Has no effect here."),
	text("username", "", "", "Has no effect here."),
	{Name: "v", Short: "v", Kind: flag.Int, Default: "0", Usage: "Has no effect here."},
	text("vmodule", "", "", "Has no effect here."),
}

func fileFlags() flag.Set {
	return flag.Set{
		list("filename", "f", "Files or folders with the objects; - is standard input."),
		text("kustomize", "k", "", "Is refused here."),
		boolean("recursive", "R", "Go into folders of folders."),
	}
}

func printFlags() flag.Set {
	return flag.Set{
		text("output", "o", "", "Form of the output: json, yaml, kyaml, name, jsonpath=..., go-template=... and others."),
		text("template", "", "", "Template of jsonpath or go-template."),
		truthy("allow-missing-template-keys", "A key that is missing is no error."),
		boolean("show-managed-fields", "", "Print metadata.managedFields too."),
	}
}

func selectorFlag() *flag.Flag {
	return text("selector", "l", "", "Label selector, such as app=x,tier!=y.")
}

func fieldSelectorFlag() *flag.Flag {
	return text("field-selector", "", "", "Field selector, such as metadata.name=a.")
}

func allNamespacesFlag() *flag.Flag {
	return boolean("all-namespaces", "A", "Look into all namespaces.")
}

func dryRunFlag() *flag.Flag {
	return bare(text("dry-run", "", "none", "none, client or server: do not store anything."), "unchanged")
}

func validateFlag() *flag.Flag {
	return bare(text("validate", "", "strict", "strict, warn or ignore: what to do about fields that are not known."), "strict")
}

func managerFlag(name string) *flag.Flag {
	return text("field-manager", "", name, "Who the fields are recorded to be from.")
}

func subresourceFlag() *flag.Flag {
	return text("subresource", "", "", "Work on a subresource, such as status.")
}

func recordFlag() *flag.Flag {
	f := boolean("record", "", "")
	f.Hidden = true
	return f
}

func deleteFlags(wait bool) flag.Set {
	return flag.Set{
		bare(text("cascade", "", "background", "background, foreground or orphan: what happens to dependents."), "background"),
		boolean("force", "", "Do not wait for an orderly end."),
		number("grace-period", "-1", "Seconds for an orderly end."),
		duration("timeout", "0s", "How long to wait."),
		{Name: "wait", Kind: flag.Bool, Default: strconv.FormatBool(wait), Usage: "Wait until the objects are gone."},
	}
}

// dry is how far a command goes.
type dry int

const (
	dryNone dry = iota
	dryClient
	dryServer
)

func (c *call) dryRun() dry {
	d, _ := c.dryRunOr()
	return d
}

// dryRunOr reads --dry-run.
func (c *call) dryRunOr() (dry, error) {
	switch value := c.flags.Text("dry-run"); value {
	case "", "none":
		return dryNone, nil
	case "client", "unchanged":
		return dryClient, nil
	case "server":
		return dryServer, nil
	default:
		on, err := strconv.ParseBool(value)
		if err != nil {
			return dryNone, errorf(`Invalid dry-run value (%v). Must be "none", "server", or "client".`, value)
		}
		if on {
			return dryClient, nil
		}
		return dryNone, nil
	}
}

// validation reads --validate: Strict, Warn or Ignore.
func (c *call) validation() (string, error) {
	switch value := c.flags.Text("validate"); value {
	case "strict":
		return "Strict", nil
	case "warn":
		return "Warn", nil
	case "ignore":
		return "Ignore", nil
	default:
		on, err := strconv.ParseBool(value)
		if err != nil {
			return "", errorf("invalid - validate option %q; must be one of: strict (or true), warn, ignore (or false)", value)
		}
		if on {
			return "Strict", nil
		}
		return "Ignore", nil
	}
}

// cascade reads --cascade.
func (c *call) cascade() (string, error) {
	switch value := c.flags.Text("cascade"); value {
	case "background":
		return "Background", nil
	case "foreground":
		return "Foreground", nil
	case "orphan":
		return "Orphan", nil
	default:
		on, err := strconv.ParseBool(value)
		if err != nil {
			return "", errorf(`invalid cascade value (%v). Must be "background", "foreground", or "orphan"`, value)
		}
		now, word := "Orphan", "orphan"
		if on {
			now, word = "Background", "background"
		}
		c.complain("warning: --cascade=" + value + " is deprecated (boolean value) and can be replaced with --cascade=" + word + ".\n")
		return now, nil
	}
}
