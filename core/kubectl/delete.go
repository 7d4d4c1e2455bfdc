package kubectl

import (
	"bufio"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// deleting is how objects are deleted. Models delete.DeleteOptions.
type deleting struct {
	*call
	policy         string
	grace          int64
	timeout        time.Duration
	wait, force    bool
	ignoreNotFound bool
	output         string
	// warnScope warns of an object outside of namespaces, once.
	warnScope bool
	dry       dry
	// asked are the objects that the user agreed to; nil without asking.
	asked map[string]bool
}

// week is how long a wait without a limit lasts.
const week = 168 * time.Hour

// deleting reads the flags that delete, apply and replace share.
func (c *call) deleting() (*deleting, error) {
	policy, err := c.cascade()
	if err != nil {
		return nil, err
	}
	f := c.flags
	return &deleting{call: c, policy: policy, grace: f.Int("grace-period"), timeout: f.Duration("timeout"), wait: f.Bool("wait"),
		force: f.Bool("force"), ignoreNotFound: f.Bool("ignore-not-found"), output: f.Text("output")}, nil
}

func (c *call) deleteCommand() error {
	d, err := c.deleting()
	if err != nil {
		return err
	}
	f := c.flags
	everywhere := f.Bool("all-namespaces")
	d.warnScope = c.explicit && !everywhere
	if (f.Bool("all") || f.Text("selector") != "" || f.Text("field-selector") != "") && !f.Given("ignore-not-found") {
		d.ignoreNotFound = true
	}
	if f.Bool("now") {
		if d.grace != -1 {
			return errorf("--now and --grace-period cannot be specified together")
		}
		d.grace = 1
	}
	d.settleGrace()
	if d.dry, err = c.dryRunOr(); err != nil {
		return err
	}
	if raw := f.Text("raw"); raw != "" {
		return d.raw(raw)
	}
	q := c.query()
	q.bare, q.all, q.allNamespaces = true, f.Bool("all"), everywhere
	r := q.do()
	if r.err != nil {
		return r.err
	}
	if err := d.validate(); err != nil {
		return err
	}
	if f.Bool("interactive") {
		if done, err := d.ask(q); done || err != nil {
			return err
		}
	}
	return d.result(r)
}

func (d *deleting) settleGrace() {
	if d.grace == 0 && !d.force {
		d.grace = 1
	}
	if d.force && d.grace < 0 {
		d.grace = 0
	}
}

func (d *deleting) validate() error {
	f := d.flags
	switch {
	case d.output != "" && d.output != "name":
		return errorf("unexpected -o output mode: %v. We only support '-o name'", d.output)
	case f.Bool("all") && f.Text("selector") != "":
		return errorf("cannot set --all and --selector at the same time")
	case f.Bool("all") && f.Text("field-selector") != "":
		return errorf("cannot set --all and --field-selector at the same time")
	case d.grace > 0 && d.force:
		return errorf("--force and --grace-period greater than 0 cannot be specified together")
	}
	if d.grace == 0 && d.force {
		d.complain("Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.\n")
	}
	return nil
}

func (d *deleting) raw(raw string) error {
	files := d.flags.List("filename")
	switch {
	case len(files) > 1:
		return errorf("--raw can only use a single local file or stdin")
	case d.flags.Bool("recursive"):
		return errorf("--raw and --recursive are mutually exclusive")
	case d.output != "":
		return errorf("--raw and --output are mutually exclusive")
	}
	if _, err := url.ParseRequestURI(raw); err != nil {
		return errorf("--raw must be a valid URL path: %v", err)
	}
	return d.call.raw("DELETE", raw, files)
}

// ask shows what would be deleted. done says that nothing is to be.
func (d *deleting) ask(q *query) (done bool, err error) {
	again := d.call.query()
	again.bare, again.all, again.allNamespaces = q.bare, q.all, q.allNamespaces
	r := again.do()
	if d.ignoreNotFound {
		r.ignore = isNotFound
	}
	infos, err := r.infos()
	if err != nil {
		return true, err
	}
	if len(infos) == 0 {
		fmt.Fprint(d.out, "No resources found\n")
		return true, nil
	}
	d.asked = map[string]bool{}
	fmt.Fprintf(d.out, "You are about to delete the following %d resource(s):\n", len(infos))
	for _, i := range infos {
		fmt.Fprintf(d.out, "%s/%s\n", i.mapping.kindName(), i.name)
		d.asked[i.mapping.GroupResource()+"/"+i.namespace+"/"+i.name] = true
	}
	fmt.Fprint(d.out, "Do you want to continue? (y/N): ")
	answer := ""
	if d.env.Stdin != nil {
		answer, _ = bufio.NewReader(d.env.Stdin).ReadString('\n')
	}
	if !strings.EqualFold(strings.TrimSpace(answer), "y") {
		fmt.Fprint(d.out, "deletion is cancelled\n")
		return true, nil
	}
	return false, nil
}

// result deletes the objects of a result and waits until they are gone.
func (d *deleting) result(r *result) error {
	if d.ignoreNotFound {
		r.ignore = isNotFound
	}
	var gone []*info
	uids := map[*info]string{}
	err := r.each(func(i *info) error {
		if d.asked != nil && !d.asked[i.mapping.GroupResource()+"/"+i.namespace+"/"+i.name] {
			return nil
		}
		gone = append(gone, i)
		if d.warnScope && !i.mapping.Namespaced {
			d.complain("Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n")
			d.warnScope = false
		}
		if d.dry == dryClient {
			d.say(i)
			return nil
		}
		uid, err := d.delete(i)
		uids[i] = uid
		return err
	})
	if err != nil {
		return err
	}
	if len(gone) == 0 {
		fmt.Fprint(d.out, "No resources found\n")
		return nil
	}
	if !d.wait || d.dry != dryNone {
		return nil
	}
	return d.await(gone, uids)
}

// delete sends one DELETE; it returns the uid of what it was about.
func (d *deleting) delete(i *info) (string, error) {
	body := object.NewMap(object.Field{Key: "apiVersion", Value: "v1"}, object.Field{Key: "kind", Value: "DeleteOptions"},
		object.Field{Key: "propagationPolicy", Value: d.policy})
	if d.grace >= 0 {
		body = body.With("gracePeriodSeconds", d.grace)
	}
	if d.dry == dryServer {
		body = body.With("dryRun", object.Strings("All"))
	}
	req := i.mapping.target(i.namespace, i.name)
	req.Verb, req.Body = api.Delete, body
	err := i.unnamed()
	var resp api.Response
	if err == nil {
		resp = d.do(req)
		err = resp.Err()
	}
	if err != nil {
		return "", withSource("deleting", i.source, err)
	}
	d.say(i)
	if resp.Status != nil && resp.Status.Details != nil {
		return resp.Status.Details.UID, nil
	}
	return resp.Object.UID(), nil
}

func (d *deleting) say(i *info) {
	if d.output == "name" {
		fmt.Fprintf(d.out, "%s/%s\n", i.mapping.kindName(), i.name)
		return
	}
	operation := "deleted"
	if d.grace == 0 {
		operation = "force deleted"
	}
	if i.mapping.Namespaced {
		operation += " from " + i.namespace + " namespace"
	}
	switch d.dry {
	case dryClient:
		operation += " (dry run)"
	case dryServer:
		operation += " (server dry run)"
	}
	fmt.Fprintf(d.out, "%s %q %s\n", i.mapping.kindName(), i.name, operation)
}

// await waits until objects are gone.
func (d *deleting) await(gone []*info, uids map[*info]string) error {
	timeout := d.timeout
	if timeout == 0 {
		timeout = week
	}
	w := &waiting{call: d.call, timeout: timeout}
	w.begin()
	for _, i := range gone {
		if _, err := w.isDeleted(i, uids[i]); err != nil {
			if isReason(err, api.ReasonForbidden) || isReason(err, api.ReasonMethodNotAllowed) {
				return nil
			}
			return err
		}
	}
	return nil
}
