//go:build !linux

package peers

import "time"

var began = time.Now()

// clock is the time since the start.
func clock() time.Duration { return time.Since(began) }
