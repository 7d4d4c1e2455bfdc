package kubectl

import (
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
)

// replacing is one run of kubectl replace.
type replacing struct {
	*call
	deleting   *deleting
	dry        dry
	validation string
	printer    printer
}

func (c *call) replaceCommand() error {
	r := &replacing{call: c}
	var err error
	if r.validation, err = c.validation(); err != nil {
		return err
	}
	if r.dry, err = c.dryRunOr(); err != nil {
		return err
	}
	if r.printer, err = c.operationPrinter("replaced", false); err != nil {
		return err
	}
	if r.deleting, err = c.deleting(); err != nil {
		return err
	}
	files := c.flags.List("filename")
	d := r.deleting
	d.ignoreNotFound = true
	if d.grace == 0 {
		d.grace, d.wait = 1, true
	}
	switch {
	case len(files) == 0 && c.flags.Text("kustomize") == "":
		return errorf("must specify one of -f and -k")
	case d.grace >= 0 && !d.force:
		return errorf("--grace-period must have --force specified")
	case d.timeout != 0 && !d.force:
		return errorf("--timeout must have --force specified")
	case d.force && r.dry != dryNone:
		return errorf("--dry-run can not be used when --force is set")
	}
	switch raw := c.flags.Text("raw"); {
	case raw != "" && len(files) != 1:
		return errorf("--raw can only use a single local file or stdin")
	case raw != "" && c.flags.Text("output") != "":
		return errorf("--raw and --output are mutually exclusive")
	case raw != "":
		return c.raw("PUT", raw, files)
	case d.force:
		return r.byForce()
	}
	return r.run()
}

func (r *replacing) write() write {
	return write{manager: r.flags.Text("field-manager"), validation: r.validation, dryRun: r.dry == dryServer}
}

func (r *replacing) run() error {
	q := r.query()
	q.strict, q.subresource = r.validation != "Ignore", r.flags.Text("subresource")
	return q.do().each(func(i *info) error {
		i.object = annotated(i.object, r.flags.Bool("save-config"), false)
		if r.dry == dryClient {
			return r.printer.print(r.out, "", i.object)
		}
		root, err := r.replace(i, r.write())
		if err != nil {
			return withSource("replacing", i.source, err)
		}
		i.refresh(root)
		return r.printer.print(r.out, "", i.object)
	})
}

// byForce deletes the objects and creates them anew.
func (r *replacing) byForce() error {
	q := r.query()
	q.bare = true
	infos, err := q.do().infos()
	if err != nil {
		return err
	}
	again := &result{q: q, visit: func(f func(*info) error) error {
		var errs []error
		for _, i := range infos {
			one := *i
			one.source = ""
			if err := f(&one); err != nil {
				errs = append(errs, err)
			}
		}
		return few(errs)
	}}
	if err := r.deleting.result(again); err != nil {
		return err
	}
	if err := r.untilGone(infos); err != nil {
		return err
	}
	for _, i := range infos {
		i.object = annotated(i.object, r.flags.Bool("save-config"), false)
		root, err := r.create(i, r.write())
		if err != nil {
			return err
		}
		i.refresh(root)
		if err := r.printer.print(r.out, "", i.object); err != nil {
			return err
		}
	}
	if len(infos) == 0 {
		return errorf("no objects passed to replace")
	}
	return nil
}

func (r *replacing) untilGone(infos []*info) error {
	w := &waiting{call: r.call, timeout: r.deleting.timeout}
	if w.timeout == 0 {
		w.timeout = 5 * time.Minute
	}
	w.begin()
	for _, i := range infos {
		for {
			probe := *i
			err := r.get(&probe, api.Request{Live: true})
			if isNotFound(err) {
				break
			}
			if err != nil {
				return err
			}
			pause := min(time.Second, w.left())
			if pause <= 0 {
				return errorf(timedOut)
			}
			r.sleep(pause)
		}
	}
	return nil
}
