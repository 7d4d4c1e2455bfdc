package engine

import (
	"runtime/debug"
	"runtime/metrics"
)

// GiveRoom raises the limit of memory (GOMEMLIMIT) to a quarter above what was held
// when the collector last looked. Below what is held, the limit would have it run
// all the time. It never lowers the limit.
func GiveRoom() {
	held := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(held)
	if least := int64(held[0].Value.Uint64()) / 4 * 5; least > debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(least)
	}
}
