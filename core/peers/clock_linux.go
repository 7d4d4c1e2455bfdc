package peers

import (
	"time"

	"golang.org/x/sys/unix"
)

// clock is how long this thread has been at work: what else the machine does
// meanwhile does not count.
func clock() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
