package adapter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/log"
	theirs "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
)

// pass is one run of Reconcile.
type pass struct {
	wire reconcile.Wire
	// goroutine is the number of the one that it runs on.
	goroutine int64
	// began is the time of the host.
	began time.Time
	// random holds where names are made up; calls counts what they are drawn from.
	random bool
	seed   uint64
	calls  uint64
	// misused is what the reconciler did that cannot be replayed.
	misused error
}

type passKey struct{}

// of returns the pass that a context belongs to, or that runs on this goroutine;
// nil where there is none.
func (ps *passes) of(ctx context.Context) *pass {
	if p, ok := ctx.Value(passKey{}).(*pass); ok {
		return p
	}
	p, _ := ps.byGoroutine.Load(goroutine())
	found, _ := p.(*pass)
	return found
}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	p := &pass{wire: reconcile.WireFrom(ctx), goroutine: goroutine(), began: time.Now(), random: r.manager.options.RandomNames}
	if p.random {
		p.seed = p.wire.Seed()
		p.draw()
	}
	r.manager.passes.byGoroutine.Store(p.goroutine, p)
	defer r.manager.passes.byGoroutine.Delete(p.goroutine)
	ctx = context.WithValue(ctx, passKey{}, p)
	ctx = log.IntoContext(ctx, p.logger())
	result, err := r.reconciler.Reconcile(ctx, theirs.Request{NamespacedName: types.NamespacedName{Namespace: req.Namespace, Name: req.Name}})
	if p.misused != nil {
		return reconcile.Result{}, p.misused
	}
	if errors.Is(err, theirs.TerminalError(nil)) {
		err = reconcile.TerminalError(errors.Unwrap(err))
	}
	return reconcile.Result{Requeue: result.Requeue, RequeueAfter: result.RequeueAfter, Priority: result.Priority}, err
}

// logger writes into the record of the pass.
func (p *pass) logger() logr.Logger {
	return funcr.New(func(prefix, args string) {
		p.wire.Log(strings.TrimSpace(prefix + " " + args))
	}, funcr.Options{})
}

// errForeignGoroutine says why a call was not made.
var errForeignGoroutine = errors.New("adapter: a call from a goroutine that Reconcile started: its place among the others would not be the same in another run; make calls one after another, on Reconcile's own")

// do makes one call of the pass.
func (p *pass) do(req api.Request) (api.Response, error) {
	if goroutine() != p.goroutine {
		p.misused = errForeignGoroutine
		return api.Response{}, p.misused
	}
	if body := p.retimed(req.Body); body != nil {
		req.Body = body
	}
	if p.random && req.Verb == api.Create {
		req.Body = marked(req.Object())
	}
	p.wire.At(caller())
	resp := p.wire.Do(req)
	if p.random {
		p.draw()
	}
	return resp, nil
}

// draw makes the names that come next a function of the run: between two calls
// other passes may draw.
func (p *pass) draw() {
	p.calls++
	rand.Seed(int64(p.seed + p.calls*0x9e3779b97f4a7c15))
}

// madeUp is a name that ends in what rand.String makes.
var madeUp = regexp.MustCompile(`^(.*-)[bcdfghjklmnpqrstvwxz2456789]{5,10}$`)

// marked is an object with a made-up name that says so, as one whose name the
// server makes up does: what is compared is then not the name.
func marked(o object.Object) *object.Map {
	name := madeUp.FindStringSubmatch(o.Name())
	if name == nil || o.Str("metadata", "generateName") != "" {
		return o.Root()
	}
	return o.Set(name[1], "metadata", "generateName").Root()
}

// goroutine is the number of the one that asks.
func goroutine() int64 {
	var buf [64]byte
	text := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	n, _ := strconv.ParseInt(string(text[:max(0, bytes.IndexByte(text, ' '))]), 10, 64)
	return n
}

// callers caches what caller found out of a stack.
var callers sync.Map

// between are the packages whose functions stand between a reconciler and the
// wire.
var between = []string{
	"github.com/reconcile-playground/reconcile/core/peers/adapter.(*",
	"sigs.k8s.io/controller-runtime/", "k8s.io/client-go/", "k8s.io/apimachinery/", "net/http.", "runtime.", "context.", "sync.",
}

// caller says where the reconciler made the call.
func caller() string {
	var stack [48]uintptr
	n := runtime.Callers(3, stack[:])
	if line, ok := callers.Load(stack); ok {
		return line.(string)
	}
	line := ""
	for frames := runtime.CallersFrames(stack[:n]); ; {
		frame, more := frames.Next()
		if !standsBetween(frame.Function) {
			line = fmt.Sprintf("%s:%d", path.Base(frame.File), frame.Line)
			break
		}
		if !more {
			break
		}
	}
	callers.Store(stack, line)
	return line
}

func standsBetween(function string) bool {
	for _, p := range between {
		if strings.HasPrefix(function, p) {
			return true
		}
	}
	return false
}
