package apiserver

import "encoding/binary"

// generator makes the values that the real server draws at random. It is a
// pure function of its seed and of how much was drawn before. Models
// uuid.NewRandom and k8s.io/apiserver/pkg/storage/names.
type generator struct {
	Seed  uint64 `json:"seed"`
	Drawn uint64 `json:"drawn"`
}

// next is SplitMix64.
func (g *generator) next() uint64 {
	g.Drawn++
	z := g.Seed + g.Drawn*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

const digits = "0123456789abcdef"

// uid draws a version 4 UUID.
func (g *generator) uid() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], g.next())
	binary.BigEndian.PutUint64(b[8:], g.next())
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	text := make([]byte, 0, 36)
	for i, c := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			text = append(text, '-')
		}
		text = append(text, digits[c>>4], digits[c&15])
	}
	return string(text)
}

// suffixAlphabet is that of apimachinery's rand.String: no vowels, nothing
// that is easily misread.
const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789"

// suffix draws the five characters that follow a generateName.
func (g *generator) suffix() string {
	n := g.next()
	b := make([]byte, 5)
	for i := range b {
		b[i] = suffixAlphabet[n%uint64(len(suffixAlphabet))]
		n /= uint64(len(suffixAlphabet))
	}
	return string(b)
}

// maxGeneratedNameLength leaves room for the suffix in a name of 63 characters.
const maxGeneratedNameLength = 63 - 5

// name makes a name of a generateName.
func (g *generator) name(base string) string {
	if len(base) > maxGeneratedNameLength {
		base = base[:maxGeneratedNameLength]
	}
	return base + g.suffix()
}
