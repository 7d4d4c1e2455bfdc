package engine

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// The limit rises with what is held, and stays.
func TestGiveRoom(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 20))
	held := make([]byte, 16<<20)
	runtime.GC()
	GiveRoom()
	raised := debug.SetMemoryLimit(-1)
	if raised < int64(len(held)) {
		t.Errorf("the limit is %d with %d bytes held", raised, len(held))
	}
	runtime.KeepAlive(held)
	held = nil
	runtime.GC()
	GiveRoom()
	if got := debug.SetMemoryLimit(-1); got != raised {
		t.Errorf("the limit fell from %d to %d", raised, got)
	}
}
