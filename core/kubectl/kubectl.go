package kubectl

import (
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/kubectl/flag"
)

// Client is how kubectl reaches the API server.
type Client interface {
	// Do makes one request. Those with Verb api.Discover cost nothing.
	Do(api.Request) api.Response
	// Now is the virtual time.
	Now() time.Time
	// Sleep lets virtual time pass.
	Sleep(time.Duration)
	// Await is Sleep for a watch without an end of its own. It reports false where
	// the watch is to end.
	Await(time.Duration) bool
	// Events returns the events after a revision of the watch that a request
	// begins, in order; none where nothing happened yet. An error is the
	// *api.Status of an ERROR event.
	Events(api.Request, int64) ([]api.WatchEvent, error)
}

// Env is what one run of kubectl sees of the world.
type Env struct {
	Client         Client
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// ReadFile reads a file for -f and its like; errors are those of io/fs.
	ReadFile func(name string) ([]byte, error)
	// ReadDir lists the names of a folder's files; nil where there are no folders.
	ReadDir func(name string) ([]string, error)
	// Getenv reads a variable of the environment; it may be nil.
	Getenv func(string) string
	// Edit shows a text to the user and returns what it became; nil refuses.
	Edit func(text string) (string, error)
	// UserAgent is what requests carry; empty for kubectl's own.
	UserAgent string
}

// version is the kubectl that is modelled.
const version = "v1.37.2"

// userAgent is what kubectl calls itself.
const userAgent = "kubectl/" + version + " (linux/amd64) kubernetes/client"

// Run runs one command line, args without the word kubectl, and returns the
// exit code.
func Run(env *Env, args ...string) int {
	c := &call{env: env, out: &output{w: env.Stdout}}
	code := c.main(args)
	c.out.flush()
	return code
}

// call is one run of a command.
type call struct {
	env   *Env
	out   *output
	cmd   *command
	flags *flag.Values
	// args are the words after the command's name that are no flags.
	args []string
	// namespace is the one that holds for the command; explicit, whether the
	// command line names it.
	namespace string
	explicit  bool
	found     *mapper
	warned    []string
	stdinRead bool
}

// output gathers what is written until something else must be seen after it.
type output struct {
	w   io.Writer
	buf []byte
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.buf = append(o.buf, p...)
	if len(o.buf) > 1<<16 {
		o.flush()
	}
	return len(p), nil
}

// WriteString is Write.
func (o *output) WriteString(s string) (int, error) {
	o.buf = append(o.buf, s...)
	return len(s), nil
}

// sleep lets time pass; what was printed can be seen meanwhile.
func (c *call) sleep(d time.Duration) {
	c.out.flush()
	c.env.Client.Sleep(d)
}

func (o *output) flush() {
	if len(o.buf) > 0 {
		_, _ = o.w.Write(o.buf)
		o.buf = o.buf[:0]
	}
}

// complain writes to standard error.
func (c *call) complain(text string) {
	c.out.flush()
	_, _ = io.WriteString(c.env.Stderr, text)
}

// warn prints a warning of the server, each text once.
func (c *call) warn(texts []string) {
	for _, text := range texts {
		seen := false
		for _, w := range c.warned {
			seen = seen || w == text
		}
		if !seen {
			c.warned = append(c.warned, text)
			c.complain("Warning: " + text + "\n")
		}
	}
}

func (c *call) getenv(name string) string {
	if c.env.Getenv == nil {
		return ""
	}
	return c.env.Getenv(name)
}

func (c *call) readFile(name string) ([]byte, error) {
	if c.env.ReadFile == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return c.env.ReadFile(name)
}

// readStdin reads all of standard input.
func (c *call) readStdin() ([]byte, error) {
	if c.env.Stdin == nil || c.stdinRead {
		return nil, nil
	}
	c.stdinRead = true
	return io.ReadAll(c.env.Stdin)
}

// main finds the command, reads its flags and runs it.
func (c *call) main(args []string) int {
	cmd, words, err := find(root(), args)
	if err != nil {
		return c.report(err)
	}
	c.cmd = cmd
	if cmd.refused && !slices.Contains(words, "--help") && !slices.Contains(words, "-h") {
		return c.report(cmd.refusal())
	}
	c.flags, err = flag.Parse(cmd.flags, words)
	if err != nil {
		return c.report(cmd.flagError(err))
	}
	c.args = c.flags.Args
	if c.flags.Given("record") {
		c.complain("Flag --record has been deprecated, --record will be removed in the future\n")
	}
	if c.flags.Bool("help") {
		c.help(cmd)
		return 0
	}
	if missing := cmd.missing(c.flags); len(missing) > 0 {
		return c.report(errorf(`required flag(s) "%s" not set`, strings.Join(missing, `", "`)))
	}
	if err := c.global(); err != nil {
		return c.report(err)
	}
	if cmd.run == nil {
		c.help(cmd)
		return 0
	}
	if err := cmd.run(c); err != nil {
		return c.report(err)
	}
	return c.report(c.warningsAsErrors())
}

func (c *call) global() error {
	c.explicit = c.flags.Given("namespace") && c.flags.Text("namespace") != ""
	c.namespace = "default"
	if c.explicit {
		c.namespace = c.flags.Text("namespace")
	}
	if name := c.flags.Text("context"); name != "" && name != contextName {
		return errorf("context %q does not exist", name)
	}
	if name := c.flags.Text("cluster"); name != "" && name != contextName {
		return errorf("cluster %q does not exist", name)
	}
	if name := c.flags.Text("user"); name != "" && name != contextName {
		return errorf("auth info %q does not exist", name)
	}
	if t := c.flags.Text("request-timeout"); t != "0" && t != "" {
		if _, err := time.ParseDuration(t); err != nil && strings.Trim(t, "0123456789") != "" {
			return errorf("Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)")
		}
	}
	return nil
}

// requestTimeout is after what time a request ends; 0 is never. A watch is one
// request.
func (c *call) requestTimeout() time.Duration {
	text := c.flags.Text("request-timeout")
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(seconds) * time.Second
	}
	d, _ := time.ParseDuration(text)
	return d
}

func (c *call) warningsAsErrors() error {
	switch n := len(c.warned); {
	case n == 0 || !c.flags.Bool("warnings-as-errors"):
		return nil
	case n == 1:
		return errorf("1 warning received")
	default:
		return errorf("%d warnings received", n)
	}
}
