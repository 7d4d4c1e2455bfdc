package peers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/informer"
	"github.com/reconcile-playground/reconcile/core/object"
)

// resyncPeriod is how often theirs tells its handlers everything again.
const resyncPeriod = 10 * time.Minute

// informerOp is what comes next from the server: an event where there is a
// watch, an answer where one is asked for. Before it time passes, unless the
// informers wait before they ask again.
type informerOp struct {
	Pass time.Duration
	// Event is used by a watch: a type, or "close", or "repeat" for the last one.
	Event string
	Name  string
	// Keep lets the object of an event have the version that is cached.
	Keep bool
	// Items says for each object of a list: 0 gone, 1 as cached, 2 changed.
	Items [3]int
	// Refusal is the error that a request or a watch gets, "" for none.
	Refusal string
}

var anyInformerOp = rapid.Custom(func(t *rapid.T) informerOp {
	events := []string{"ADDED", "MODIFIED", "MODIFIED", "DELETED", "BOOKMARK", "repeat", "close", "ERROR"}
	op := informerOp{
		Pass:    rapid.SampledFrom([]time.Duration{0, 0, 0, 0, time.Second, 7 * time.Minute}).Draw(t, "pass"),
		Event:   rapid.SampledFrom(events).Draw(t, "event"),
		Name:    rapid.SampledFrom(objectNames).Draw(t, "name"),
		Keep:    rapid.IntRange(0, 5).Draw(t, "keep") == 0,
		Refusal: rapid.SampledFrom([]string{"", "", "", "expired", "gone", "too large", "too many", "internal", "down"}).Draw(t, "refusal"),
	}
	for i := range op.Items {
		op.Items[i] = rapid.IntRange(0, 2).Draw(t, "item")
	}
	return op
})

var (
	objectNames = []string{"a", "b", "c"}
	refusals    = map[string]*apierrors.StatusError{
		"expired":   apierrors.NewResourceExpired("the version is too old"),
		"gone":      apierrors.NewGone("the version is gone"),
		"too many":  apierrors.NewTooManyRequests("slow down", 1),
		"internal":  apierrors.NewInternalError(errors.New("drawn")),
		"down":      apierrors.NewServiceUnavailable("down"),
		"too large": tooLarge(),
	}
)

func tooLarge() *apierrors.StatusError {
	err := apierrors.NewTimeoutError("Too large resource version", 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	return err
}

// refused is the same error as ours gets it.
func refused(err *apierrors.StatusError) *api.Status {
	s := &api.Status{Status: api.Failure, Code: int(err.ErrStatus.Code), Reason: string(err.ErrStatus.Reason), Message: err.ErrStatus.Message}
	if err.ErrStatus.Details != nil {
		s.Details = &api.Details{}
		for _, c := range err.ErrStatus.Details.Causes {
			s.Details.Causes = append(s.Details.Causes, api.Cause{Reason: string(c.Type), Message: c.Message})
		}
	}
	return s
}

// asked is a request of client-go's informer that waits for its answer.
type asked struct {
	verb    string
	options metav1.ListOptions
	answer  chan answered
}

type answered struct {
	list  *unstructured.UnstructuredList
	watch chan watch.Event
	err   error
}

// informers are ours and client-go's, with one server that the sequence plays.
type informers struct {
	ours   *informer.Informer
	theirs toolscache.SharedIndexInformer
	// streams: theirs gets its lists as the first events of a watch.
	streams bool
	asks    chan asked
	done    <-chan struct{}

	revision int
	events   chan watch.Event
	last     watch.Event
	opened   time.Time
	brought  bool
	resync   time.Time

	mine  []string
	lock  sync.Mutex
	heard []string
}

func (i *informers) IsWatchListSemanticsUnSupported() bool { return !i.streams }

func (i *informers) ask(verb string, options metav1.ListOptions) (answered, error) {
	a := asked{verb, options, make(chan answered)}
	select {
	case i.asks <- a:
	case <-i.done:
		return answered{}, context.Canceled
	}
	select {
	case got := <-a.answer:
		return got, got.err
	case <-i.done:
		return answered{}, context.Canceled
	}
}

func (i *informers) List(options metav1.ListOptions) (runtime.Object, error) {
	got, err := i.ask("list", options)
	return got.list, err
}

func (i *informers) Watch(options metav1.ListOptions) (watch.Interface, error) {
	got, err := i.ask("watch", options)
	if err != nil {
		return nil, err
	}
	return watch.NewProxyWatcher(got.watch), nil
}

// expect waits for what ours wants to ask, and returns theirs, which must be the
// same. Theirs waits before it asks if ours does; for how long is up to chance.
func (i *informers) expect(verb, version string) (asked, error) {
	synctest.Wait()
	if i.ours.Backoff() > 0 {
		select {
		case a := <-i.asks:
			return a, fmt.Errorf("client-go asks to %s at once, ours waits %v", a.verb, i.ours.Backoff())
		default:
		}
		i.sleep(2 * 30 * time.Second)
	}
	select {
	case a := <-i.asks:
		if a.verb != verb || a.options.ResourceVersion != version {
			return a, fmt.Errorf("client-go asks to %s from %q, ours to %s from %q", a.verb, a.options.ResourceVersion, verb, version)
		}
		return a, nil
	default:
		return asked{}, fmt.Errorf("client-go does not ask to %s from %q", verb, version)
	}
}

// sleep lets time pass, with the resyncs that are due in it.
func (i *informers) sleep(d time.Duration) {
	end := time.Now().Add(d)
	for s := i.ours.State(); (s == informer.Watching || s == informer.NeedsWatch) && !i.resync.After(end); i.resync = i.resync.Add(resyncPeriod) {
		time.Sleep(time.Until(i.resync))
		synctest.Wait()
		i.hear(i.ours.Resync())
	}
	time.Sleep(time.Until(end))
	synctest.Wait()
}

// note is one call of a handler.
func note(what string, old, new metav1.Object, more ...bool) string {
	var words []string
	name := ""
	for _, o := range []metav1.Object{old, new} {
		if o == nil {
			words = append(words, "-")
			continue
		}
		name = o.GetName()
		words = append(words, o.GetResourceVersion()+fmt.Sprint(o.GetLabels()))
	}
	return fmt.Sprintln(name, what, words, more)
}

func (i *informers) hear(notes []informer.Notification) {
	for _, n := range notes {
		switch n.Type {
		case informer.Add:
			i.mine = append(i.mine, note("add", nil, unwrapped(n.New), n.InitialList))
		case informer.Delete:
			i.mine = append(i.mine, note("delete", unwrapped(n.Old), nil, n.FinalStateUnknown))
		default:
			i.mine = append(i.mine, note("update", unwrapped(n.Old), unwrapped(n.New)))
		}
	}
}

func (i *informers) told(line string) {
	i.lock.Lock()
	defer i.lock.Unlock()
	i.heard = append(i.heard, line)
}

// listen is the handler of theirs.
func (i *informers) listen() toolscache.ResourceEventHandler {
	return toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(o any, initial bool) { i.told(note("add", nil, o.(metav1.Object), initial)) },
		UpdateFunc: func(old, new any) {
			i.told(note("update", old.(metav1.Object), new.(metav1.Object)))
		},
		DeleteFunc: func(o any) {
			gone, unknown := o.(toolscache.DeletedFinalStateUnknown)
			if unknown {
				o = gone.Obj
			}
			i.told(note("delete", o.(metav1.Object), nil, unknown))
		},
	}
}

// version makes an object at a new revision.
func (i *informers) version(name string) *unstructured.Unstructured {
	i.revision++
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	o.SetNamespace("default")
	o.SetName(name)
	o.SetResourceVersion(strconv.Itoa(i.revision))
	o.SetLabels(map[string]string{"n": strconv.Itoa(i.revision % 2)})
	return o
}

func (i *informers) cached(name string) (*unstructured.Unstructured, bool) {
	o, ok := i.ours.Get(object.Key{Namespace: "default", Name: name})
	if !ok {
		return nil, false
	}
	return unwrapped(o), true
}

// list answers the list that ours and theirs ask for.
func (i *informers) list(op informerOp) error {
	verb, req := "list", i.ours.ListRequest()
	if i.streams {
		verb = "watch"
		if req.ResourceVersion == "0" {
			req.ResourceVersion = "" // theirs streams the newest at first
		}
	}
	a, err := i.expect(verb, req.ResourceVersion)
	if err != nil {
		return err
	}
	if op.Refusal != "" && (!i.streams || op.Refusal == "expired" && req.ResourceVersion != "") {
		a.answer <- answered{err: refusals[op.Refusal]}
		s := refused(refusals[op.Refusal])
		if _, err := i.ours.Listed(api.Response{Code: s.Code, Status: s}); err == nil {
			return errors.New("ours takes a refusal for a list")
		}
		return nil
	}
	list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMapList"}}
	for n, name := range objectNames {
		if o, ok := i.cached(name); op.Items[n] == 1 && ok {
			list.Items = append(list.Items, *o)
		} else if op.Items[n] > 0 {
			list.Items = append(list.Items, *i.version(name))
		}
	}
	i.revision++
	list.SetResourceVersion(strconv.Itoa(i.revision))
	mine := &api.ObjectList{ResourceVersion: list.GetResourceVersion()}
	for _, o := range list.Items {
		mine.Items = append(mine.Items, object.FromMap(o.Object))
	}
	notes, err := i.ours.Listed(api.Response{Code: 200, List: mine})
	i.hear(notes)
	i.resync = time.Now().Add(resyncPeriod)
	if !i.streams {
		a.answer <- answered{list: list}
		return err
	}
	i.open(a)
	for _, o := range list.Items {
		i.events <- watch.Event{Type: watch.Added, Object: &o}
	}
	end := i.version("")
	end.SetResourceVersion(list.GetResourceVersion())
	end.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	i.events <- watch.Event{Type: watch.Bookmark, Object: end}
	return i.ours.Watched(api.Response{Code: 200})
}

// open answers a watch, which begins.
func (i *informers) open(a asked) {
	i.events = make(chan watch.Event, 100)
	i.opened, i.brought = time.Now(), false
	a.answer <- answered{watch: i.events}
}

// watch answers the watch that ours and theirs ask for.
func (i *informers) watch(op informerOp) error {
	a, err := i.expect("watch", i.ours.WatchRequest().ResourceVersion)
	if err != nil {
		return err
	}
	if op.Refusal != "" {
		a.answer <- answered{err: refusals[op.Refusal]}
		s := refused(refusals[op.Refusal])
		if i.ours.Watched(api.Response{Code: s.Code, Status: s}) == nil {
			return errors.New("ours takes a refusal for a watch")
		}
		return nil
	}
	i.open(a)
	return i.ours.Watched(api.Response{Code: 200})
}

// send makes the server send something, or close the watch.
func (i *informers) send(op informerOp) {
	ev := watch.Event{Type: watch.EventType(op.Event)}
	switch cached, ok := i.cached(op.Name); {
	case op.Event == "close":
		if !i.brought {
			i.sleep(time.Second) // less would be an error for theirs
		}
		close(i.events)
		i.ours.Closed()
		return
	case op.Event == "ERROR":
		err, ok := refusals[op.Refusal]
		if !ok {
			err = refusals["expired"]
		}
		ev.Object = &err.ErrStatus
		i.events <- ev
		i.hear(i.ours.Deliver(api.WatchEvent{Type: api.Error, Object: refused(err).Object()}))
		return
	case op.Event == "repeat":
		if ev = i.last; ev.Object == nil {
			return
		}
	case ok && op.Keep && op.Event != "BOOKMARK":
		ev.Object = cached
	default:
		ev.Object = i.version(op.Name)
	}
	i.last, i.brought = ev, true
	i.events <- ev
	i.hear(i.ours.Deliver(api.WatchEvent{Type: api.EventType(ev.Type), Object: object.FromMap(ev.Object.(*unstructured.Unstructured).Object)}))
}

func (i *informers) act(op informerOp) error {
	if i.ours.Backoff() == 0 {
		i.sleep(op.Pass)
	}
	var err error
	switch i.ours.State() {
	case informer.NeedsList:
		err = i.list(op)
	case informer.NeedsWatch:
		err = i.watch(op)
	default:
		i.send(op)
	}
	if err != nil {
		return err
	}
	return i.agree()
}

// agree compares what both told their handlers, object by object, and what both
// have.
func (i *informers) agree() error {
	synctest.Wait()
	i.lock.Lock()
	mine, heard := i.mine, i.heard
	i.mine, i.heard = nil, nil
	i.lock.Unlock()
	byName := func(a, b string) int { return cmp.Compare(a[:1], b[:1]) }
	slices.SortStableFunc(mine, byName)
	slices.SortStableFunc(heard, byName)
	if !slices.Equal(mine, heard) {
		return fmt.Errorf("client-go says\n%sours\n%s", strings.Join(heard, ""), strings.Join(mine, ""))
	}
	for _, name := range objectNames {
		theirs, known, _ := i.theirs.GetStore().GetByKey("default/" + name)
		ours, ok := i.cached(name)
		if ok != known || ok && !object.FromMap(ours.Object).Equal(object.FromMap(theirs.(*unstructured.Unstructured).Object)) {
			return fmt.Errorf("%s is cached as %v, in client-go as %v", name, ours, theirs)
		}
	}
	if a, b := i.ours.ResourceVersion(), i.theirs.LastSyncResourceVersion(); a != b {
		return fmt.Errorf("ours stands at version %s, client-go at %s", a, b)
	}
	if a, b := i.ours.HasSynced(), i.theirs.HasSynced(); a != b {
		return fmt.Errorf("ours has synced: %t, client-go: %t", a, b)
	}
	return nil
}

// launched makes both informers, which last as long as ctx.
func launched(ctx context.Context, streams bool) (*informers, error) {
	i := &informers{streams: streams, asks: make(chan asked), done: ctx.Done(), revision: 10}
	i.ours = informer.New(informer.Spec{GVR: object.GVR{Version: "v1", Resource: "configmaps"}})
	i.theirs = toolscache.NewSharedIndexInformer(i, &unstructured.Unstructured{}, resyncPeriod, toolscache.Indexers{})
	if err := i.theirs.SetWatchErrorHandler(func(*toolscache.Reflector, error) {}); err != nil {
		return nil, err
	}
	if _, err := i.theirs.AddEventHandler(i.listen()); err != nil {
		return nil, err
	}
	go i.theirs.RunWithContext(ctx)
	return i, nil
}

// informed plays ops on both informers.
func informed(streams bool, ops []informerOp) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	i, err := launched(ctx, streams)
	if err != nil {
		return err
	}
	for n, op := range ops {
		state := i.ours.State()
		if err := i.act(op); err != nil {
			return fmt.Errorf("operation %d, when ours %s: %w", n, state, err)
		}
	}
	return nil
}

// TestInformer: whatever a server answers and sends, ours tells its handlers the
// same of each object, in the same order, as client-go's shared informer, has the
// same in its cache, and asks for the same next: lists, events that repeat or
// come for what is not known, bookmarks, watches that end, errors of all kinds,
// and resyncs.
func TestInformer(t *testing.T) {
	for _, streams := range []bool{false, true} {
		name := "list and watch"
		if streams {
			name = "streamed list"
		}
		t.Run(name, func(t *testing.T) {
			compared(t, anyInformerOp, 60, func(ops []informerOp) error { return informed(streams, ops) })
		})
	}
}
