package adapter

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// Options say what a manager would be told.
type Options struct {
	// UserAgent is what the clients call themselves; the field manager of their
	// writes is the part before the slash. Empty means "manager".
	UserAgent string
	// Uncached are objects of the kinds that are read from the server even where
	// the controller reads from its cache, as client.CacheOptions has it.
	Uncached []client.Object
	// RandomNames makes k8s.io/apimachinery's util/rand a function of the run, for
	// a reconciler that makes up names with it; objects so named get the
	// generateName that the server would give them. It costs: states are then told
	// apart by when they are.
	RandomNames bool
}

// Manager is what a reconciler takes from controller-runtime's manager. It
// serves passes alone: a call outside of one is an error.
type Manager struct {
	passes  passes
	options Options
	server  *apiserver.Server
	scheme  *runtime.Scheme
	mapper  meta.RESTMapper
	cached  client.Client
	live    client.Client
	reads   *cacheReader
	// Now is the virtual time; it also has Since. See k8s.io/utils/clock.
	clock
}

// Reconciler is a reconciler of controller-runtime in this project's world.
type Reconciler struct {
	manager    *Manager
	reconciler reconcile.Reconciler
}

// New makes a reconciler for the controllers of a scenario: build is called once
// and returns it. The scheme knows its types; what is served, in which versions
// and whether in namespaces, is asked of the scenario's cluster as it begins.
func New(s *scenario.Scenario, scheme *runtime.Scheme, o Options, build func(*Manager) (reconcile.Reconciler, error)) (*Reconciler, error) {
	m, err := newManager(s, scheme, o)
	if err != nil {
		return nil, err
	}
	r, err := build(m)
	if err != nil {
		return nil, err
	}
	return &Reconciler{m, r}, nil
}

func newManager(s *scenario.Scenario, scheme *runtime.Scheme, o Options) (*Manager, error) {
	if o.UserAgent == "" {
		o.UserAgent = "manager"
	}
	world := s.World()
	defer world.Release()
	m := &Manager{options: o, server: world.Server(), scheme: scheme}
	m.clock = clock{&m.passes}
	httpClient := &http.Client{Transport: &transport{m}}
	config := &rest.Config{
		Host: "http://cluster", QPS: -1,
		ContentConfig:             rest.ContentConfig{ContentType: runtime.ContentTypeJSON},
		WarningHandlerWithContext: warnings{m},
	}
	var err error
	if m.mapper, err = apiutil.NewDynamicRESTMapper(config, httpClient); err != nil {
		return nil, err
	}
	options := client.Options{HTTPClient: httpClient, Scheme: scheme, Mapper: m.mapper, Log: logr.New(log.NullLogSink{})}
	if m.live, err = client.New(config, options); err != nil {
		return nil, err
	}
	m.reads = &cacheReader{m: m, indexes: map[indexKey]client.IndexerFunc{}, decoded: map[decodedKey]runtime.Object{}}
	options.Cache = &client.CacheOptions{Reader: m.reads, DisableFor: o.Uncached}
	m.cached, err = client.New(config, options)
	return m, err
}

// GetClient returns the client that reads from the cache, as far as the
// scenario's controller does (reads: cache), and from the server what it does not
// watch. Unstructured objects are read from the server. What it writes goes to
// the server.
func (m *Manager) GetClient() client.Client { return m.cached }

// GetAPIReader returns the reader that always asks the server.
func (m *Manager) GetAPIReader() client.Reader { return m.live }

// GetScheme returns the scheme.
func (m *Manager) GetScheme() *runtime.Scheme { return m.scheme }

// GetRESTMapper maps the kinds that the scenario's cluster serves as it begins.
func (m *Manager) GetRESTMapper() meta.RESTMapper { return m.mapper }

// GetFieldIndexer makes fields known by which lists from the cache may select.
func (m *Manager) GetFieldIndexer() client.FieldIndexer { return m.reads }

// GetEventRecorderFor returns a recorder whose events are lines in the log of
// the pass. Events are no part of what is proved: the real one sends them from
// a goroutine of its own, and drops what it cannot send.
func (m *Manager) GetEventRecorderFor(string) record.EventRecorder { return recorder{&m.passes} }

// warnings puts the server's warnings into the log of the pass.
type warnings struct{ m *Manager }

// HandleWarningHeaderWithContext implements rest.WarningHandlerWithContext.
func (w warnings) HandleWarningHeaderWithContext(ctx context.Context, code int, _, text string) {
	if p := w.m.passes.of(ctx); p != nil && code == 299 {
		p.wire.Log("warning: " + text)
	}
}

// recorder logs events.
type recorder struct{ passes *passes }

// Event implements record.EventRecorder.
func (r recorder) Event(_ runtime.Object, kind, reason, message string) {
	if p := r.passes.of(context.Background()); p != nil {
		p.wire.Log(fmt.Sprintf("event %s %s: %s", kind, reason, message))
	}
}

// Eventf implements record.EventRecorder.
func (r recorder) Eventf(o runtime.Object, kind, reason, format string, args ...any) {
	r.Event(o, kind, reason, fmt.Sprintf(format, args...))
}

// AnnotatedEventf implements record.EventRecorder.
func (r recorder) AnnotatedEventf(o runtime.Object, _ map[string]string, kind, reason, format string, args ...any) {
	r.Event(o, kind, reason, fmt.Sprintf(format, args...))
}

// passes are those that are under way, by their goroutines.
type passes struct{ byGoroutine sync.Map }
