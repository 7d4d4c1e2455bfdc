package kubectl

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// condition tells of an object whether it is as waited for. Models
// wait.ConditionFunc.
type condition struct {
	// word is "create" or "delete"; empty where check decides.
	word  string
	check func(o object.Object) (bool, error)
}

// waiting is one run of a wait. Models wait.WaitOptions.
type waiting struct {
	*call
	timeout time.Duration
	printer printer
	start   time.Time
}

func (w *waiting) begin() { w.start = w.env.Client.Now() }

// left is how long the wait may still last.
func (w *waiting) left() time.Duration { return w.timeout - w.env.Client.Now().Sub(w.start) }

const timedOut = "timed out waiting for the condition"

func (w *waiting) timeoutError(i *info) error {
	return errorf("%s on %s/%s", timedOut, i.mapping.Resource, i.name)
}

func (c *call) wait() error {
	w := &waiting{call: c, timeout: c.flags.Duration("timeout")}
	var err error
	if w.printer, err = c.operationPrinter("condition met", false); err != nil {
		return err
	}
	conditions, err := c.conditions(c.flags.List("for"))
	if err != nil {
		return err
	}
	if w.timeout < 0 {
		w.timeout = week
	}
	w.begin()
	if slices.ContainsFunc(conditions, func(x condition) bool { return x.word == "create" }) {
		if err := w.untilCreated(); err != nil {
			return err
		}
	}
	return w.run(conditions)
}

func (c *call) conditions(texts []string) ([]condition, error) {
	var out []condition
	for _, text := range texts {
		lower := strings.ToLower(text)
		switch {
		case lower == "delete" || lower == "create":
			out = append(out, condition{word: lower})
		case strings.HasPrefix(text, "condition="):
			name, value, ok := strings.Cut(text[len("condition="):], "=")
			if !ok {
				value = "true"
			}
			out = append(out, condition{check: func(o object.Object) (bool, error) { return hasCondition(o, name, value), nil }})
		case strings.HasPrefix(text, "jsonpath="):
			check, err := pathCondition(text[len("jsonpath="):])
			if err != nil {
				return nil, err
			}
			out = append(out, condition{check: check})
		default:
			return nil, errorf("unrecognized condition: %q", text)
		}
	}
	if out == nil {
		return nil, errorf("unrecognized condition: %q", texts)
	}
	return out, nil
}

// hasCondition reports whether status.conditions says so of the present
// generation.
func hasCondition(o object.Object, name, value string) bool {
	for _, v := range o.List("status", "conditions").All() {
		m, ok := v.(*object.Map)
		c := object.New(m)
		status, has := c.At("status")
		if !ok || !has || !strings.EqualFold(c.Str("type"), name) {
			continue
		}
		generation, known := o.Int("metadata", "generation")
		observed, seen := c.Int("observedGeneration")
		if !seen {
			observed, seen = o.Int("status", "observedGeneration")
		}
		if known && seen && observed < generation {
			return false
		}
		text, _ := status.(string)
		return strings.EqualFold(text, value)
	}
	return false
}

// pathCondition reads {.path}=value.
func pathCondition(text string) (func(object.Object) (bool, error), error) {
	seg := splitEquals(text)
	if len(seg) > 2 {
		return nil, errorf("jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'")
	}
	relaxed, err := relaxedPath(seg[0])
	if err != nil {
		return nil, err
	}
	want := ""
	if len(seg) == 2 {
		if want = strings.Trim(seg[1], `'"`); want == "" {
			return nil, errorf("jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3")
		}
	}
	if relaxed == "" {
		return nil, errorf("jsonpath expression cannot be empty")
	}
	path, err := compilePath(relaxed)
	if err != nil {
		return nil, err
	}
	return func(o object.Object) (bool, error) { return pathIs(path, o, want) }, nil
}

func pathIs(path *object.JSONPath, o object.Object, want string) (bool, error) {
	found, err := path.Find(o.Root(), true)
	switch {
	case err != nil:
		return false, err
	case len(found) == 0 || len(found[0]) == 0:
		return false, nil
	case len(found) > 1:
		return false, errorf("given jsonpath expression matches more than one list")
	case len(found[0]) > 1:
		return false, errorf("given jsonpath expression matches more than one value")
	case want == "":
		return true, nil
	}
	switch v := found[0][0].(type) {
	case *object.Map, *object.List:
		return false, errorf("jsonpath leads to a nested object or list which is not supported")
	default:
		return strings.TrimSpace(fmt.Sprint(v)) == strings.TrimSpace(want), nil
	}
}

// splitEquals splits at single equal signs.
func splitEquals(s string) []string {
	var out []string
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '=' && i+1 < len(s) && s[i+1] == '=':
			b.WriteString("==")
			i++
		case s[i] == '=':
			out = append(out, b.String())
			b.Reset()
		default:
			b.WriteByte(s[i])
		}
	}
	return append(out, b.String())
}

// query finds the objects to wait for.
func (w *waiting) query() *result {
	q := w.call.query()
	q.all, q.allNamespaces, q.latest = w.flags.Bool("all"), w.flags.Bool("all-namespaces"), true
	return q.do()
}

// untilCreated waits until any of the objects is there.
func (w *waiting) untilCreated() error {
	for {
		found := false
		err := w.query().each(func(*info) error {
			found = true
			return nil
		})
		switch {
		case err != nil && !isNotFound(err):
			return err
		case err == nil && found:
			return nil
		}
		pause := min(500*time.Millisecond, w.left())
		if pause <= 0 {
			return errorf(timedOut)
		}
		w.sleep(pause)
	}
}

func (w *waiting) run(conditions []condition) error {
	r := w.query()
	forDelete := slices.ContainsFunc(conditions, func(x condition) bool { return x.word == "delete" })
	if forDelete {
		r.ignore = isNotFound
	}
	count := 0
	err := r.each(func(i *info) error {
		count++
		for _, x := range conditions {
			last, err := w.one(i, x)
			if err != nil {
				return err
			}
			if err := w.printer.print(w.out, "", last); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && count == 0 && !forDelete {
		return errorf("no matching resources found")
	}
	return err
}

// one waits for one condition of an object, and returns it as it is then.
func (w *waiting) one(i *info, x condition) (*object.Map, error) {
	switch x.word {
	case "create":
		return i.object, nil
	case "delete":
		return w.isDeleted(i, "")
	}
	if w.timeout == 0 {
		o, err := w.fresh(i)
		if err != nil {
			return nil, err
		}
		ok, err := x.check(o)
		if err == nil && !ok {
			err = errorf("condition not met for %s", i.objectName())
		}
		return o.Root(), err
	}
	return w.until(i, func(o object.Object, gone bool) (bool, error) {
		if gone {
			return false, nil
		}
		return x.check(o)
	}, func() (bool, error) {
		return true, api.NewNotFound(i.mapping.GVR, i.name)
	})
}

func (w *waiting) fresh(i *info) (object.Object, error) {
	req := i.mapping.target(i.namespace, i.name)
	req.Verb, req.Live = api.Get, true
	resp := w.do(req)
	return resp.Object, resp.Err()
}

// isDeleted waits until an object is gone, or another has its name.
func (w *waiting) isDeleted(i *info, uid string) (*object.Map, error) {
	if w.timeout > 0 && w.left() <= 0 {
		return nil, errorf("context deadline exceeded")
	}
	o, err := w.fresh(i)
	switch {
	case isNotFound(err):
		return i.object, nil
	case err != nil:
		return i.object, err
	case uid != "" && o.UID() != uid:
		return o.Root(), nil
	case w.timeout == 0:
		return o.Root(), errorf("condition not met for %s", i.objectName())
	}
	other := false
	if _, err := w.until(i, func(now object.Object, gone bool) (bool, error) { return gone || other, nil }, func() (bool, error) {
		return true, nil
	}); err != nil {
		return nil, err
	}
	return o.Root(), nil
}

// until lists the object and watches it, until check is content. missing decides
// where the list does not have it.
func (w *waiting) until(i *info, check func(o object.Object, gone bool) (bool, error), missing func() (bool, error)) (*object.Map, error) {
	if w.left() <= 0 {
		return nil, w.timeoutError(i)
	}
	req := i.mapping.target(i.namespace, "")
	req.Verb, req.FieldSelector, req.Live = api.List, "metadata.name="+i.name, true
	resp := w.do(req)
	if err := resp.Err(); err != nil {
		return nil, err
	}
	after := listRevision(resp)
	if resp.List == nil || len(resp.List.Items) == 0 {
		if done, err := missing(); done {
			return i.object, err
		}
	} else {
		o := resp.List.Items[0]
		if done, err := check(o, false); done || err != nil {
			return o.Root(), err
		}
	}
	req.Verb, req.UserAgent = api.Watch, userAgent
	waited := time.Duration(0)
	for {
		events, err := w.env.Client.Events(req, after)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			after = max(after, e.Revision)
			if done, err := check(e.Object, e.Type == api.Deleted); done || err != nil {
				return e.Object.Root(), err
			}
		}
		pause := min(nextLook(waited), w.left())
		if pause <= 0 {
			return nil, w.timeoutError(i)
		}
		w.sleep(pause)
		waited += pause
	}
}
