package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/reconcile-playground/reconcile/core/cloud"
	"github.com/reconcile-playground/reconcile/core/object"
)

// fingerprint is what a tree is but for the names in it: those stand in tokens,
// in order.
type fingerprint struct {
	sum    digest
	tokens []token
}

// token is a name that somebody drew: what it is matters only in that it is the
// same as, or another than, those elsewhere.
type token struct {
	kind tokenKind
	text string
}

type tokenKind uint8

const (
	uid tokenKind = iota + 1
	version
	moment
	item
	address
)

func fingerprintOf(m *object.Map) fingerprint {
	p := printer{sum: newDigest()}
	p.value(m, 0)
	return p.fingerprint()
}

// printer walks a tree.
type printer struct {
	sum    digest
	tokens []token
}

func (p *printer) fingerprint() fingerprint { return fingerprint{p.sum, p.tokens} }

// value takes in a value; depth is 1 inside of metadata, 0 for the root.
func (p *printer) value(v any, depth int) {
	switch v := v.(type) {
	case nil:
		p.sum.word('0')
	case bool:
		if v {
			p.sum.word('t')
		} else {
			p.sum.word('f')
		}
	case int64:
		p.sum.word('i')
		p.sum.word(uint64(v))
	case float64:
		p.sum.word('d')
		p.sum.word(math.Float64bits(v))
	case string:
		p.sum.word('s')
		p.text(v)
	case *object.List:
		p.sum.word('l')
		p.sum.word(uint64(v.Len()))
		for _, x := range v.All() {
			p.value(x, -1)
		}
	case *object.Map:
		p.sum.word('m')
		p.sum.word(uint64(v.Len()))
		for k, x := range v.All() {
			p.sum.text(k)
			switch {
			case depth == 1 && k == "resourceVersion":
				p.name(version, fmt.Sprint(x))
			case depth == 0 && k == "metadata":
				p.value(x, 1)
			default:
				p.value(x, -1)
			}
		}
	default:
		p.sum.text(fmt.Sprint(v))
	}
}

func (p *printer) name(kind tokenKind, text string) {
	p.sum.word(uint64(kind))
	p.tokens = append(p.tokens, token{kind, text})
}

// text takes in a string: names in it apart from what is between.
func (p *printer) text(s string) {
	start := 0
	for i := 0; i < len(s); {
		kind, n := nameAt(s, i)
		if n == 0 {
			i++
			continue
		}
		p.sum.text(s[start:i])
		p.name(kind, s[i:i+n])
		i += n
		start = i
	}
	p.sum.text(s[start:])
}

// nameAt finds the name that begins at a place of a string, and its length.
func nameAt(s string, i int) (tokenKind, int) {
	if i > 0 && isWord(s[i-1]) {
		return 0, 0
	}
	rest := s[i:]
	switch {
	case fits(rest, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh"):
		return uid, 36
	case fits(rest, "dddd-dd-ddTdd:dd:ddZ"):
		return moment, 20
	}
	for _, t := range cloud.Types {
		if n := len(t); strings.HasPrefix(rest, t) && fits(rest[n:], "-dddd") {
			return item, n + 1 + digits(rest[n+1:])
		}
	}
	for _, network := range cloud.Networks {
		if strings.HasPrefix(rest, network) {
			if n := digits(rest[len(network):]); n > 0 {
				return address, len(network) + n
			}
		}
	}
	return 0, 0
}

// fits reports whether a string begins as a pattern says: h is a digit of base
// 16, d one of base 10, anything else itself.
func fits(s, pattern string) bool {
	if len(s) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		switch c := s[i]; pattern[i] {
		case 'h':
			if !isDigit(c) && (c < 'a' || c > 'f') {
				return false
			}
		case 'd':
			if !isDigit(c) {
				return false
			}
		default:
			if c != pattern[i] {
				return false
			}
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '.' || c == '-'
}

func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// digest is a running sum of 128 bits, for telling apart and not for secrets.
type digest struct{ a, b uint64 }

func newDigest() digest { return digest{0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f} }

func (d *digest) word(x uint64) {
	hi, lo := bits.Mul64(d.a^x, 0xa0761d6478bd642f)
	d.a = hi ^ lo ^ d.b
	hi, lo = bits.Mul64(d.b^bits.RotateLeft64(x, 32), 0xe7037ed1a0b428db)
	d.b = hi ^ lo + 0x8ebc6af09c88c6e3 ^ x
}

func (d *digest) text(s string) {
	d.word(uint64(len(s)))
	for ; len(s) >= 8; s = s[8:] {
		d.word(binary.LittleEndian.Uint64([]byte(s[:8])))
	}
	var last uint64
	for i := range len(s) {
		last |= uint64(s[i]) << (8 * i)
	}
	d.word(last)
}

func (d digest) bytes() (sum [16]byte) {
	d.word(d.b)
	d.word(d.a)
	binary.LittleEndian.PutUint64(sum[:8], d.a)
	binary.LittleEndian.PutUint64(sum[8:], d.b)
	return sum
}
