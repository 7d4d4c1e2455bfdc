//go:build !js

package shell_test

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// A signal that is ignored where the tests were started (by nohup) is so for bash
// too, which lists it as a trap. One that is caught here has its own meaning there.
var hangups = sync.OnceFunc(func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) })
