package kubectl_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/collector"
	"github.com/reconcile-playground/reconcile/core/kubectl"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/rest"
	"github.com/reconcile-playground/reconcile/core/rules"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// transcript is one recorded file.
type transcript struct {
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Setup     []object.Object `json:"setup"`
	Commands  []*command      `json:"commands"`
}

// command is one run of kubectl, or a request made beside it.
type command struct {
	Args              []string  `json:"args"`
	Stdin             string    `json:"stdin"`
	Stdout            string    `json:"stdout"`
	Stderr            string    `json:"stderr"`
	Code              *int      `json:"code"`
	KilledAfterSecond float64   `json:"killedAfterSeconds"`
	Environment       bool      `json:"environment"`
	API               *request  `json:"api"`
	During            []*during `json:"during"`
}

type during struct {
	AfterSeconds float64  `json:"afterSeconds"`
	API          *request `json:"api"`
}

type request struct {
	Method      string          `json:"method"`
	Path        string          `json:"path"`
	ContentType string          `json:"contentType"`
	Body        json.RawMessage `json:"body"`
}

// answer is what a command gave.
type answer struct {
	stdout, stderr string
	code           *int
}

// loadTranscripts reads every file of a folder.
func loadTranscripts(dir string) ([]*transcript, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no transcripts in %s", dir)
	}
	var out []*transcript
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		t := &transcript{}
		if err := json.Unmarshal(text, t); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		t.Name = strings.TrimSuffix(filepath.Base(f), ".json")
		out = append(out, t)
	}
	return out, nil
}

// cluster is a server with its collector, on a clock of its own; it is the
// kubectl.Client of a replay.
type cluster struct {
	server    *apiserver.Server
	collector *collector.Collector
	observed  int64
	now       time.Time
	// due are the requests that are made while a command runs.
	due []*during
	// began is when the command began; killed, after how long it ends.
	began  time.Time
	killed time.Duration
	err    error
}

// killedError ends a command that would run for ever.
type killedError struct{}

// celRules are evaluated in every replay: the recordings share definitions, and
// some have rules.
var celRules = sync.OnceValue(func() *rules.Evaluator {
	e, err := rules.New()
	if err != nil {
		panic(err)
	}
	return e
})

func newCluster() *cluster {
	server := apiserver.New(1, start)
	server.SetRules(celRules())
	return &cluster{server: server, collector: collector.New(), now: start}
}

// Do implements kubectl.Client.
func (c *cluster) Do(req api.Request) api.Response {
	resp := c.server.Do(c.now, req)
	c.settle()
	return resp
}

// Cloud makes the cluster the collector's api.Doer; it is never called.
func (c *cluster) Cloud(api.CloudRequest) api.CloudResponse { panic("no cloud is called") }

// Now implements kubectl.Client.
func (c *cluster) Now() time.Time { return c.now }

// Sleep implements kubectl.Client.
func (c *cluster) Sleep(d time.Duration) {
	until := c.now.Add(d)
	for len(c.due) > 0 {
		at := c.began.Add(time.Duration(c.due[0].AfterSeconds * float64(time.Second)))
		if at.After(until) {
			break
		}
		c.now = at
		if err := c.request(c.due[0].API); err != nil {
			c.err = err
		}
		c.due = c.due[1:]
	}
	c.now = until
	if c.killed > 0 && c.now.Sub(c.began) >= c.killed {
		panic(killedError{})
	}
}

// Await implements kubectl.Client.
func (c *cluster) Await(d time.Duration) bool {
	c.Sleep(d)
	return true
}

// Events implements kubectl.Client.
func (c *cluster) Events(req api.Request, after int64) ([]api.WatchEvent, error) {
	return c.server.Watching(req, after), nil
}

type doer struct{ *cluster }

// Do lets the collector work without a settle of its own.
func (d doer) Do(req api.Request) api.Response { return d.server.Do(d.now, req) }

// settle lets the collector work until it has nothing left to do.
func (c *cluster) settle() {
	for range 1000 {
		for _, change := range c.server.Changes(c.observed) {
			c.collector.Observe(collector.Change{Type: change.Type, GVR: change.GVR, Object: change.Object})
			c.observed = change.Revision
		}
		item, ok := c.collector.Next()
		if !ok {
			return
		}
		c.collector.Step(item, doer{c})
	}
	panic("the collector does not come to rest")
}

func (c *cluster) setup(objects []object.Object) error {
	for _, o := range objects {
		res, ok := c.server.ResourceForKind(o.GVK().Group, o.Kind())
		if !ok {
			return fmt.Errorf("setup: no kind %s", o.GVK())
		}
		if err := c.Do(api.Request{Verb: api.Create, GVR: res.GVR, Namespace: o.Namespace(), Body: o.Root()}).Err(); err != nil {
			return fmt.Errorf("setup: %w", err)
		}
	}
	return nil
}

func (c *cluster) request(r *request) error {
	h := rest.HTTPRequest{Method: r.Method, Path: r.Path, ContentType: r.ContentType, Accept: "application/json", UserAgent: "recorder/1.0"}
	if len(r.Body) > 0 && string(r.Body) != "null" {
		h.Body = r.Body
	}
	if h.ContentType == "-" {
		h.ContentType = ""
	}
	req, _, status := rest.Decode(h)
	if status != nil {
		return status
	}
	return c.Do(req).Err()
}

// run runs one command.
func (c *cluster) run(cmd *command) (got answer) {
	var stdout, stderr bytes.Buffer
	c.began, c.due, c.killed = c.now, cmd.During, time.Duration(cmd.KilledAfterSecond*float64(time.Second))
	defer func() {
		got.stdout, got.stderr = stdout.String(), stderr.String()
		c.now = c.now.Add(1100 * time.Millisecond)
		if _, killed := recover().(killedError); killed {
			got.code = nil
		}
	}()
	env := &kubectl.Env{Client: c, Stdin: strings.NewReader(cmd.Stdin), Stdout: &stdout, Stderr: &stderr,
		ReadFile: func(name string) ([]byte, error) {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}}
	code := kubectl.Run(env, cmd.Args...)
	got.code = &code
	return got
}

// replay plays a transcript against a cluster of its own: the answers, and the
// first difference.
func replay(t *transcript) ([]answer, error) {
	c := newCluster()
	if err := c.setup(t.Setup); err != nil {
		return nil, err
	}
	known := newTokens()
	var answers []answer
	for i, cmd := range t.Commands {
		if cmd.API != nil {
			if err := c.request(cmd.API); err != nil {
				return nil, fmt.Errorf("command %d: %w", i+1, err)
			}
			answers = append(answers, answer{})
			continue
		}
		got := c.run(cmd)
		if c.err != nil {
			return nil, c.err
		}
		answers = append(answers, got)
		if err := known.compareCommand(cmd, got); err != nil {
			return answers, fmt.Errorf("command %d, kubectl %s: %w", i+1, strings.Join(cmd.Args, " "), err)
		}
	}
	return answers, nil
}

// TestTranscripts replays recordings of a real kubectl: those of testdata, or of
// the folder that RECONCILE_KUBECTL names.
func TestTranscripts(t *testing.T) {
	dirs := []string{"testdata/transcripts", "testdata/transcripts2"}
	if dir, given := os.LookupEnv("RECONCILE_KUBECTL"); given {
		dirs = []string{dir}
	}
	var list []*transcript
	for _, dir := range dirs {
		more, err := loadTranscripts(dir)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, more...)
	}
	for _, tr := range list {
		t.Run(tr.Name, func(t *testing.T) {
			if _, err := replay(tr); err != nil {
				t.Error(err)
			}
		})
	}
}
