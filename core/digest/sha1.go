package digest

import (
	"encoding/binary"
	"math/bits"
)

// blocks calls work with each block of data, padded as SHA-1, SHA-256 and MD5 do:
// a one, zeros, and the length in bits, written by length.
func blocks(data []byte, length func([]byte, uint64) []byte, work func(block []byte)) {
	rest := data
	for ; len(rest) >= blockSize; rest = rest[blockSize:] {
		work(rest[:blockSize])
	}
	end := append(make([]byte, 0, 2*blockSize), rest...)
	end = append(end, 0x80)
	for len(end)%blockSize != blockSize-8 {
		end = append(end, 0)
	}
	for end = length(end, uint64(len(data))*8); len(end) > 0; end = end[blockSize:] {
		work(end[:blockSize])
	}
}

// SHA1 returns the SHA-1 digest of data, as FIPS 180-4 defines it.
func SHA1(data []byte) [20]byte {
	h := [5]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}
	blocks(data, binary.BigEndian.AppendUint64, func(block []byte) {
		var w [80]uint32
		for i := range w {
			if i < 16 {
				w[i] = binary.BigEndian.Uint32(block[4*i:])
			} else {
				w[i] = bits.RotateLeft32(w[i-3]^w[i-8]^w[i-14]^w[i-16], 1)
			}
		}
		a, b, c, d, e := h[0], h[1], h[2], h[3], h[4]
		for i := range w {
			var f, k uint32
			switch i / 20 {
			case 0:
				f, k = b&c|^b&d, 0x5a827999
			case 1:
				f, k = b^c^d, 0x6ed9eba1
			case 2:
				f, k = b&c|b&d|c&d, 0x8f1bbcdc
			default:
				f, k = b^c^d, 0xca62c1d6
			}
			a, b, c, d, e = bits.RotateLeft32(a, 5)+f+e+k+w[i], a, bits.RotateLeft32(b, 30), c, d
		}
		for i, v := range [5]uint32{a, b, c, d, e} {
			h[i] += v
		}
	})
	var sum [20]byte
	for i, v := range h {
		binary.BigEndian.PutUint32(sum[4*i:], v)
	}
	return sum
}
