package library

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// amount is unscaled * 10^exponent. Models
// k8s.io/apimachinery/pkg/api/resource.Quantity without its texts.
type amount struct {
	unscaled *big.Int
	exponent int32
	// small says that the quantity is one that upstream holds in 64 bits: of
	// others it does not tell the integer.
	small bool
}

var (
	errFormat = errors.New("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
	errNumber = errors.New("unable to parse numeric part of quantity")
	errSuffix = errors.New("unable to parse quantity's suffix")
	// errRange is ours: such numbers cost upstream more than it has.
	errRange = errors.New("quantity out of range")
)

const (
	nano = -9
	// maxDigits bounds how far apart the exponents of two quantities may be, and
	// with that the length of every number.
	maxDigits = 10000
)

var decimalSuffixes = map[string]int32{"": 0, "n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
var binarySuffixes = map[string]int32{"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}

// quantityText is a quantity taken apart.
type quantityText struct {
	// number is what the suffix follows, with its sign.
	negative              bool
	number                string
	num, fraction, suffix string
}

func splitQuantity(s string) (quantityText, error) {
	digitsOf := func(s string) string { return s[:len(s)-len(strings.TrimLeft(s, digits))] }
	var t quantityText
	rest := s
	if rest[0] == '-' || rest[0] == '+' {
		t.negative, rest = rest[0] == '-', rest[1:]
	}
	rest = strings.TrimLeft(rest, "0")
	t.num = digitsOf(rest)
	rest = rest[len(t.num):]
	if t.num == "" {
		t.num = "0"
	}
	if strings.HasPrefix(rest, ".") {
		t.fraction = digitsOf(rest[1:])
		rest = rest[1+len(t.fraction):]
	}
	t.number, t.suffix = s[:len(s)-len(rest)], rest
	rest = strings.TrimLeft(rest, "eEinumkKMGTP")
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		rest = rest[1:]
	}
	if !only(rest, digits) {
		return t, errFormat
	}
	return t, nil
}

// parseAmount models ParseQuantity.
func parseAmount(s string) (amount, error) {
	if s == "" {
		return amount{}, errFormat
	}
	t, err := splitQuantity(s)
	if err != nil {
		return amount{}, err
	}
	exponent, decimal := decimalSuffixes[t.suffix]
	power, binary := binarySuffixes[t.suffix]
	if !decimal && !binary {
		if len(t.suffix) < 2 || t.suffix[0] != 'e' && t.suffix[0] != 'E' {
			return amount{}, errSuffix
		}
		n, err := strconv.ParseInt(t.suffix[1:], 10, 64)
		if err != nil {
			return amount{}, errSuffix
		}
		exponent = int32(n)
	}
	if a, ok := t.inInt64(exponent, power, binary); ok {
		return a, nil
	}
	return t.inDecimal(exponent, power, binary)
}

// inInt64 is the quantity where upstream holds it in 64 bits.
func (t quantityText) inInt64(exponent, power int32, binary bool) (amount, bool) {
	room := 18 - int32(len(t.num)+len(t.fraction))
	if binary {
		room = 15 - int32(len(t.num)) - int32(float32(power)*3/10) - 1
		if t.fraction != "" {
			room = -1
		}
	}
	if exponent -= int32(len(t.fraction)); room < 0 || exponent < nano {
		return amount{}, false
	}
	n, ok := new(big.Int).SetString(t.num+t.fraction, 10)
	if !ok {
		return amount{}, false
	}
	n.Lsh(n, uint(power))
	if t.negative {
		n.Neg(n)
	}
	return amount{n, exponent, true}, n.IsInt64()
}

// inDecimal rounds to 10^-9, away from zero, and caps what has a binary suffix.
func (t quantityText) inDecimal(exponent, power int32, binary bool) (amount, error) {
	whole, fraction, _ := strings.Cut(strings.TrimLeft(t.number, "+-"), ".")
	n, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return amount{}, errNumber
	}
	scale := int64(exponent) - int64(len(fraction))
	if n.Sign() == 0 {
		return amount{n, int32(max(min(scale, maxDigits), -maxDigits)), false}, nil
	}
	if scale > maxDigits {
		return amount{}, errRange
	}
	n.Lsh(n, uint(power))
	if scale >= nano {
		n.Mul(n, pow10(scale-nano))
	} else {
		// Beyond its own length a divisor makes no difference.
		var rest big.Int
		n.QuoRem(n, pow10(min(nano-scale, int64(len(t.number))+int64(power)+1)), &rest)
		if rest.Sign() != 0 {
			n.Add(n, big.NewInt(1))
		}
	}
	if limit := new(big.Int).Mul(big.NewInt(math.MaxInt64), pow10(-nano)); binary && n.Cmp(limit) > 0 {
		return amount{signed(big.NewInt(math.MaxInt64), t.negative), 0, false}, nil
	}
	return amount{signed(n, t.negative), nano, false}, nil
}

func signed(n *big.Int, negative bool) *big.Int {
	if negative {
		n.Neg(n)
	}
	return n
}

func pow10(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }

// int64 models AsInt64.
func (a amount) int64() (int64, bool) {
	if !a.small || a.exponent < 0 || a.exponent > 18 {
		return 0, a.small && a.exponent > 18 && a.unscaled.Sign() == 0
	}
	n := new(big.Int).Mul(a.unscaled, pow10(int64(a.exponent)))
	if !n.IsInt64() {
		return 0, false
	}
	return n.Int64(), true
}

// float models AsApproximateFloat64.
func (a amount) float() float64 {
	f, _ := new(big.Float).SetInt(a.unscaled).Float64()
	if a.exponent == 0 {
		return f
	}
	return f * math.Pow10(int(a.exponent))
}

// magnitude is the number of digits before the point, of what is not zero.
func (a amount) magnitude() int64 {
	return int64(len(new(big.Int).Abs(a.unscaled).String())) + int64(a.exponent)
}

func (a amount) compare(b amount) int {
	x, y := a.unscaled.Sign(), b.unscaled.Sign()
	if x != y || x == 0 {
		return min(max(x-y, -1), 1)
	}
	if m, n := a.magnitude(), b.magnitude(); m != n {
		if m < n {
			return -x
		}
		return x
	}
	// Of equal magnitude the exponents are no further apart than the numbers are long.
	m, n, _ := aligned(a, b)
	return m.Cmp(n)
}

// aligned brings both to the smaller exponent.
func aligned(a, b amount) (m, n *big.Int, exponent int32) {
	exponent = min(a.exponent, b.exponent)
	return new(big.Int).Mul(a.unscaled, pow10(int64(a.exponent)-int64(exponent))),
		new(big.Int).Mul(b.unscaled, pow10(int64(b.exponent)-int64(exponent))), exponent
}

func (a amount) add(b amount) (amount, error) {
	if a.small && b.small {
		if b.unscaled.Sign() == 0 {
			return a, nil
		}
		if a.unscaled.Sign() == 0 {
			return b, nil
		}
	}
	if d := int64(a.exponent) - int64(b.exponent); d > maxDigits || d < -maxDigits {
		return amount{}, errRange
	}
	m, n, exponent := aligned(a, b)
	small := a.small && b.small && m.IsInt64() && n.IsInt64()
	m.Add(m, n)
	if m.BitLen() > 4*maxDigits {
		return amount{}, errRange
	}
	return amount{m, exponent, small && m.IsInt64()}, nil
}

func (a amount) negated() amount {
	return amount{new(big.Int).Neg(a.unscaled), a.exponent, a.small}
}
