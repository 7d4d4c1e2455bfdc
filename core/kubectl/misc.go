package kubectl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/kubectl/columns"
	"github.com/reconcile-playground/reconcile/core/object"
)

// The one cluster that there is.
const (
	contextName = "playground"
	serverHost  = "playground.invalid"
)

func (c *call) currentContext() error {
	fmt.Fprintln(c.out, contextName)
	return nil
}

func (c *call) getClusters() error {
	fmt.Fprintf(c.out, "NAME\n%s\n", contextName)
	return nil
}

func (c *call) getUsers() error { return c.getClusters() }

// useContext takes the one context that there is.
func (c *call) useContext() error {
	if len(c.args) != 1 {
		c.help(c.cmd)
		return errorf("Unexpected args: [%s]", strings.Join(c.args, " "))
	}
	if c.args[0] != contextName {
		return errorf("no context exists with the name: %q", c.args[0])
	}
	fmt.Fprintf(c.out, "Switched to context %q.\n", contextName)
	return nil
}

func (c *call) getContexts() error {
	missing := slices.DeleteFunc(slices.Clone(c.args), func(name string) bool { return name == contextName })
	if c.flags.Text("output") == "name" {
		fmt.Fprintln(c.out, contextName)
		return nil
	}
	w := columns.Table(c.out)
	if !c.flags.Bool("no-headers") {
		w.WriteString("CURRENT\tNAME\tCLUSTER\tAUTHINFO\tNAMESPACE\n")
	}
	if len(c.args) == 0 || len(missing) < len(c.args) {
		w.WriteString(strings.Join([]string{"*", contextName, contextName, contextName, ""}, "\t") + "\n")
	}
	if err := w.Flush(); err != nil || len(missing) == 0 {
		return err
	}
	return errorf("context %s not found", missing[0])
}

func (c *call) configView() error {
	if len(c.args) > 0 {
		return c.usage("unexpected arguments: %v", c.args)
	}
	root := object.FromMap(map[string]any{"apiVersion": "v1", "kind": "Config", "current-context": contextName,
		"clusters": []any{map[string]any{"name": contextName, "cluster": map[string]any{"server": "https://" + serverHost}}},
		"contexts": []any{map[string]any{"name": contextName, "context": map[string]any{"cluster": contextName, "user": contextName}}},
		"users":    []any{map[string]any{"name": contextName, "user": map[string]any{}}}}).Root()
	p := c.dataPrinter(c.flags.Text("output"))
	if p == nil {
		p = &yamlPrinter{}
	}
	return p.print(c.out, "", root)
}

func (c *call) clusterInfo() error {
	fmt.Fprintf(c.out, "Kubernetes control plane is running at https://%s\n\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n", serverHost)
	return nil
}

func (c *call) whoami() error {
	w := columns.Table(c.out)
	w.WriteString("ATTRIBUTE\tVALUE\nUsername\tkubernetes-admin\nGroups\t[system:masters system:authenticated]\n")
	return w.Flush()
}

var (
	resourceVerbs = strings.Fields("get list watch create update patch delete deletecollection use bind impersonate * approve sign escalate attest")
	pathVerbs     = strings.Fields("get put post head options delete patch *")
)

// canI answers as a server does that allows everything.
func (c *call) canI() error {
	f := c.flags
	if f.Bool("list") {
		return errorf("--list is not part of this kubectl: everything is allowed here")
	}
	if len(c.args) != 2 {
		return errorf("you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.")
	}
	verb, what := c.args[0], c.args[1]
	if strings.HasPrefix(what, "/") {
		if f.Text("subresource") != "" {
			return errorf("--subresource can not be used with NonResourceURL")
		}
		if !slices.Contains(pathVerbs, verb) {
			c.complain("Warning: verb '" + verb + "' is not a known verb\n\n")
		}
	} else if err := c.checkAccess(verb, what); err != nil {
		return err
	}
	if f.Bool("no-headers") {
		return errorf("--no-headers cannot be set without --list specified")
	}
	if !f.Bool("quiet") {
		fmt.Fprintln(c.out, "yes")
	}
	return nil
}

func (c *call) checkAccess(verb, what string) error {
	m, err := c.mapper()
	if err != nil {
		return err
	}
	name, _, _ := strings.Cut(what, "/")
	r, err := m.resource(strings.ToLower(name))
	switch {
	case name == "*":
		r = &resource{Namespaced: true}
	case err != nil:
		word, group, grouped := strings.Cut(name, ".")
		if !grouped {
			c.complain("Warning: the server doesn't have a resource type '" + word + "'\n\n")
		} else {
			c.complain("Warning: the server doesn't have a resource type '" + word + "' in group '" + group + "'\n\n")
		}
		r = &resource{Namespaced: true}
	}
	if c.flags.Bool("all-namespaces") {
		return nil
	}
	if !r.Namespaced {
		if r.Group == "" {
			c.complain("Warning: resource '" + r.Resource + "' is not namespace scoped\n\n")
		} else {
			c.complain("Warning: resource '" + r.Resource + "' is not namespace scoped in group '" + r.Group + "'\n\n")
		}
	}
	if !slices.Contains(resourceVerbs, verb) {
		c.complain("Warning: verb '" + verb + "' is not a known verb\n\n")
	}
	return nil
}
