package digest

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// MD5 returns the MD5 digest of data, as RFC 1321 defines it.
func MD5(data []byte) [16]byte {
	shifts := [4][4]int{{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}
	h := [4]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}
	blocks(data, binary.LittleEndian.AppendUint64, func(block []byte) {
		a, b, c, d := h[0], h[1], h[2], h[3]
		for i := range 64 {
			var f uint32
			word := i
			switch i / 16 {
			case 0:
				f = b&c | ^b&d
			case 1:
				f, word = d&b|^d&c, 5*i+1
			case 2:
				f, word = b^c^d, 3*i+5
			default:
				f, word = c^(b|^d), 7*i
			}
			f += a + sines[i] + binary.LittleEndian.Uint32(block[word%16*4:])
			a, d, c, b = d, c, b, b+bits.RotateLeft32(f, shifts[i/16][i%4])
		}
		for i, v := range [4]uint32{a, b, c, d} {
			h[i] += v
		}
	})
	var sum [16]byte
	for i, v := range h {
		binary.LittleEndian.PutUint32(sum[4*i:], v)
	}
	return sum
}

// sines are the constants of the rounds: the whole parts of 2^32 |sin(i+1)|.
var sines = func() (k [64]uint32) {
	for i := range k {
		k[i] = uint32(math.Abs(math.Sin(float64(i+1))) * (1 << 32))
	}
	return k
}()
