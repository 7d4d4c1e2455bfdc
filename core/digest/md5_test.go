package digest

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"testing"
)

func TestOldDigests(t *testing.T) {
	for n := range 300 {
		data := bytes.Repeat([]byte{byte(n), 'x', 7}, n)[:n]
		if MD5(data) != md5.Sum(data) {
			t.Fatalf("MD5 of %d bytes differs", n)
		}
		if SHA1(data) != sha1.Sum(data) {
			t.Fatalf("SHA-1 of %d bytes differs", n)
		}
	}
}
