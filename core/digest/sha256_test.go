package digest

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

// Every length around the ends of the first blocks, against the standard library.
func TestSHA256(t *testing.T) {
	data := bytes.Repeat([]byte("reconcile \x00\xff"), 30)
	for n := range len(data) {
		if got, want := SHA256(data[:n]), sha256.Sum256(data[:n]); got != want {
			t.Errorf("%d bytes: got %x, want %x", n, got, want)
		}
	}
}

func FuzzSHA256(f *testing.F) {
	f.Add([]byte("abc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := SHA256(data), sha256.Sum256(data); got != want {
			t.Errorf("got %x, want %x", got, want)
		}
	})
}
