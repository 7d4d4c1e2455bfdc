package controller

import (
	"fmt"
	"strconv"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
)

// Call is one call of a pass. Exactly one of API, Cloud and Sleep is set; what
// they point to is never changed.
type Call struct {
	API   *api.Request
	Cloud *api.CloudRequest
	// Sleep is for how long the pass waits; its answer is that this time is over.
	Sleep time.Duration
	// Await says that what sleeps waits for a change, without an end of its own.
	Await bool
	// Events says that API is a watch, of which the events after the revision
	// After are wanted.
	Events bool
	After  int64
	// FromCache says that the process's own cache answered: nothing was sent.
	FromCache bool
	// Line is where in the reconciler the call stands, such as "webapp.go:41".
	Line string
	// At is the virtual time at which it was made.
	At time.Time
}

// String prints the call as one line: "get webapps/default/plain (cache)".
func (c Call) String() string {
	switch {
	case c.Cloud != nil:
		return c.Cloud.String()
	case c.API == nil:
		return "sleep " + c.Sleep.String()
	}
	r := c.API
	s := string(r.Verb) + " " + r.Resource
	for _, part := range []string{r.Namespace, r.Name, r.Subresource, r.Path} {
		if part != "" {
			s += "/" + part
		}
	}
	if c.Events {
		s += " after " + strconv.FormatInt(c.After, 10)
	}
	if c.FromCache {
		s += " (cache)"
	}
	return s
}

// Wakes returns when the sleep that the call is ends; false for another call.
func (c Call) Wakes() (time.Time, bool) { return c.At.Add(c.Sleep), c.Sleep > 0 }

// Free reports whether the call is answered at once and counts for nothing.
func (c Call) Free() bool { return c.API != nil && c.API.Verb == api.Discover }

// Writes reports whether the call may change the cluster or the cloud.
func (c Call) Writes() bool {
	if c.Cloud != nil {
		return c.Cloud.Verb.Writes()
	}
	return c.API != nil && c.API.Verb.Writes()
}

// Reply is the answer to a call: of these the one that was asked. That to Events
// is Events, or API where it is an error.
type Reply struct {
	API    api.Response
	Cloud  api.CloudResponse
	Events []api.WatchEvent
	// Interrupted cuts a sleep short: the pass is to end.
	Interrupted bool
}

// Exchange is a call with its answer.
type Exchange struct {
	Call
	Reply Reply
	// Now is the virtual time after the answer.
	Now time.Time
}

// Env is what a pass sees of its process without parking.
type Env struct {
	// Now is the virtual time.
	Now time.Time
	// Read answers a request from the process's caches, or reports false for
	// one that has to go to the server. nil sends them all there.
	Read func(api.Request) (api.Response, bool)
	// Discover answers requests with that verb. nil has them answered as calls.
	Discover func(api.Request) api.Response
	// Memory and Seed are what Wire says; those of Start hold for the pass.
	Memory any
	Seed   uint64
	// Memo, where there is one, is that of the world; that of Start holds for the
	// pass.
	Memo *Memo
}

// answer answers what needs nobody else: discovery, and what the cache has.
func (e Env) answer(c *Call) (api.Response, bool) {
	req := c.API
	switch {
	case req == nil || c.Events || req.Verb.Writes():
		return api.Response{}, false
	case req.Verb == api.Discover && e.Discover != nil:
		return e.Discover(*req), true
	case e.Read == nil || req.Live:
		return api.Response{}, false
	}
	resp, ok := e.Read(*req)
	c.FromCache = ok
	return resp, ok
}

// wire is the reconcile.Wire of one run of a pass's coroutine.
type wire struct {
	pass *Pass
	env  Env
	// yield parks the coroutine at a call; it reports false for a stop.
	yield func(Call) bool
	// reply answers the call at which it is parked.
	reply Reply
	// replay holds the recorded exchanges that are still to be gone through.
	replay []Exchange
	now    time.Time
	line   string
	// running: the coroutine has control. dead: it is being unwound.
	running, dead bool
	// interrupted: a sleep was cut short.
	interrupted bool
}

var _ reconcile.Wire = (*wire)(nil)

// stopped unwinds a coroutine that nobody waits for any more.
type stopped struct{}

// Do implements api.Doer.
func (w *wire) Do(req api.Request) api.Response {
	return w.exchange(Call{API: &req, Line: w.line, At: w.now}).API
}

// Cloud implements api.Doer.
func (w *wire) Cloud(req api.CloudRequest) api.CloudResponse {
	return w.exchange(Call{Cloud: &req, Line: w.line, At: w.now}).Cloud
}

// Now implements api.Doer.
func (w *wire) Now() time.Time {
	w.pass.clocked = true
	return w.now
}

// Sleep implements reconcile.Wire.
func (w *wire) Sleep(d time.Duration) {
	w.sleep(Call{Sleep: d})
}

// Await implements reconcile.Interruptible.
func (w *wire) Await(d time.Duration) { w.sleep(Call{Sleep: d, Await: true}) }

// Interrupted implements reconcile.Interruptible.
func (w *wire) Interrupted() bool { return w.interrupted }

func (w *wire) sleep(c Call) {
	if c.Sleep <= 0 || w.interrupted {
		return
	}
	c.Line, c.At = w.line, w.now
	w.interrupted = w.exchange(c).Interrupted
}

// Events implements reconcile.Wire.
func (w *wire) Events(req api.Request, after int64) ([]api.WatchEvent, error) {
	req.Verb = api.Watch
	reply := w.exchange(Call{API: &req, Events: true, After: after, Line: w.line, At: w.now})
	return reply.Events, reply.API.Err()
}

// Memory implements reconcile.Wire.
func (w *wire) Memory() any { return w.pass.memory }

// Uses implements reconcile.Attentive.
func (w *wire) Uses(part string) {
	if !w.dead {
		w.pass.use(part)
	}
}

// Remember implements reconcile.Wire.
func (w *wire) Remember(update func(any) any) {
	if !w.dead {
		w.pass.updates = append(w.pass.updates, update)
	}
}

// Seed implements reconcile.Wire.
func (w *wire) Seed() uint64 {
	w.pass.clocked, w.pass.seeded = true, true
	return w.pass.seed
}

// At implements reconcile.Wire.
func (w *wire) At(line string) { w.line = line }

// Log implements reconcile.Wire.
func (w *wire) Log(line string) {
	if !w.dead {
		w.pass.log = append(w.pass.log, line)
	}
}

func (w *wire) exchange(c Call) Reply {
	switch {
	case w.dead:
		panic(stopped{})
	case !w.running:
		panic("controller: a call was made while its pass is parked: from another goroutine?")
	case len(w.replay) > 0:
		return w.again(c)
	}
	if resp, ok := w.env.answer(&c); ok {
		reply := Reply{API: resp}
		w.pass.record(Exchange{Call: c, Reply: reply, Now: w.now})
		return reply
	}
	w.running = false
	if !w.yield(c) {
		w.dead = true
		panic(stopped{})
	}
	w.running = true
	return w.reply
}

// again answers a call from the record, which it must match.
func (w *wire) again(c Call) Reply {
	e := w.replay[0]
	if c.FromCache = e.FromCache; !c.same(e.Call) {
		panic(divergence{len(w.pass.exchanges) - len(w.replay) + 1, e.Call, c.String()})
	}
	w.replay = w.replay[1:]
	w.now = e.Now
	return e.Reply
}

// same reports whether two calls ask the same of the same.
func (c Call) same(d Call) bool {
	return c.String() == d.String() && (c.API == nil || object.Equal(c.API.Body, d.API.Body))
}

// divergence is the mistake of a reconciler that asks something else when it
// gets the same answers.
type divergence struct {
	n   int
	was Call
	now string
}

func (d divergence) Error() string {
	return fmt.Sprintf("the reconciler is not deterministic: with the same answers, call %d was %q and is now %q", d.n, d.was, d.now)
}
