package strftime

import (
	"strconv"
	"strings"
	"time"
)

// Tm is a broken down time, as C's struct tm has it: Month counts from 0,
// Weekday from Sunday, YearDay from 0. Offset is what %z read, in seconds.
type Tm struct {
	Year, Month, Day, Hour, Minute, Second, Weekday, YearDay int
	Offset                                                   int
}

// Time is the moment in UTC, the fields taken as such.
func (tm Tm) Time() time.Time {
	return time.Date(tm.Year, time.Month(tm.Month+1), tm.Day, tm.Hour, tm.Minute, tm.Second, 0, time.UTC)
}

// reader is Parse at work.
type reader struct {
	in      string
	tm      Tm
	pm, am  bool
	yearDay bool
	epoch   bool
	date    bool
}

// Parse reads a time. rest is what the layout did not ask for; ok is false where
// the text does not fit. Day of the week and of the year follow from the date.
func Parse(text, layout string) (tm Tm, rest string, ok bool) {
	r := &reader{in: text, tm: Tm{Year: 1900, Day: 0}}
	if !r.read(layout) {
		return Tm{}, text, false
	}
	if r.pm && r.tm.Hour < 12 {
		r.tm.Hour += 12
	} else if r.am && r.tm.Hour == 12 {
		r.tm.Hour = 0
	}
	if r.date && !r.epoch {
		day := time.Date(r.tm.Year, time.Month(r.tm.Month+1), max(r.tm.Day, 1), 0, 0, 0, 0, time.UTC)
		if r.yearDay {
			day = time.Date(r.tm.Year, 1, 1+r.tm.YearDay, 0, 0, 0, 0, time.UTC)
			r.tm.Month, r.tm.Day = int(day.Month())-1, day.Day()
		}
		r.tm.Weekday, r.tm.YearDay = int(day.Weekday()), day.YearDay()-1
	}
	return r.tm, r.in, true
}

func (r *reader) read(layout string) bool {
	for i := 0; i < len(layout); {
		c := layout[i]
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			r.spaces()
			i++
		case c != '%':
			if r.in == "" || r.in[0] != c {
				return false
			}
			r.in = r.in[1:]
			i++
		default:
			s, n, ok := parseSpec(layout[i:])
			if !ok || !r.conversion(s.letter) {
				return false
			}
			i += n
		}
	}
	return true
}

func (r *reader) spaces() { r.in = strings.TrimLeft(r.in, " \t\n\v\f\r") }

// number reads up to most digits, within bounds.
func (r *reader) number(most, low, high int) (int, bool) {
	r.spaces()
	n := 0
	for n < len(r.in) && n < most && r.in[n] >= '0' && r.in[n] <= '9' {
		n++
	}
	v, err := strconv.Atoi(r.in[:n])
	if err != nil || v < low || v > high {
		return 0, false
	}
	r.in = r.in[n:]
	return v, true
}

// name reads one of n names, whole or its first three letters.
func (r *reader) name(n int, nameOf func(int) string) (int, bool) {
	for i := range n {
		full := nameOf(i)
		for _, word := range []string{full, full[:3]} {
			if len(r.in) >= len(word) && strings.EqualFold(r.in[:len(word)], word) {
				r.in = r.in[len(word):]
				return i, true
			}
		}
	}
	return 0, false
}

func (r *reader) conversion(letter byte) (ok bool) {
	if layout := map[byte]string{'c': "%a %b %e %H:%M:%S %Y", 'D': "%m/%d/%y", 'x': "%m/%d/%y", 'F': "%Y-%m-%d",
		'R': "%H:%M", 'T': "%H:%M:%S", 'X': "%H:%M:%S", 'r': "%I:%M:%S %p"}[letter]; layout != "" {
		return r.read(layout)
	}
	v := 0
	switch letter {
	case 'Y':
		r.tm.Year, ok = r.number(4, 0, 9999)
		r.date = true
	case 'y':
		v, ok = r.number(2, 0, 99)
		r.tm.Year, r.date = 1900+v, true
		if v < 69 {
			r.tm.Year += 100
		}
	case 'm':
		v, ok = r.number(2, 1, 12)
		r.tm.Month, r.date = v-1, true
	case 'd', 'e':
		r.tm.Day, ok = r.number(2, 1, 31)
		r.date = true
	case 'j':
		v, ok = r.number(3, 1, 366)
		r.tm.YearDay, r.yearDay, r.date = v-1, true, true
	case 'b', 'B', 'h':
		r.tm.Month, ok = r.name(12, func(i int) string { return time.Month(i + 1).String() })
		r.date = true
	case 'a', 'A':
		r.tm.Weekday, ok = r.name(7, func(i int) string { return time.Weekday(i).String() })
	case 'H', 'k':
		r.tm.Hour, ok = r.number(2, 0, 23)
	case 'I', 'l':
		r.tm.Hour, ok = r.number(2, 1, 12)
	case 'M':
		r.tm.Minute, ok = r.number(2, 0, 59)
	case 'S':
		r.tm.Second, ok = r.number(2, 0, 61)
	case 'n', 't':
		r.spaces()
		ok = true
	case '%':
		r.in, ok = strings.CutPrefix(r.in, "%")
	default:
		ok = r.special(letter)
	}
	return ok
}

func (r *reader) special(letter byte) (ok bool) {
	switch letter {
	case 'p', 'P':
		if len(r.in) < 2 {
			return false
		}
		half := strings.ToUpper(r.in[:2])
		r.am, r.pm = half == "AM", half == "PM"
		r.in = r.in[2:]
		return r.am || r.pm
	case 'u', 'w':
		v, good := r.number(1, 0, 7)
		r.tm.Weekday = v % 7
		return good
	case 's':
		v, good := r.number(18, 0, 1<<52)
		t := time.Unix(int64(v), 0).UTC()
		r.tm = Tm{t.Year(), int(t.Month()) - 1, t.Day(), t.Hour(), t.Minute(), t.Second(), int(t.Weekday()), t.YearDay() - 1, 0}
		r.epoch = true
		return good
	case 'Z':
		r.in = strings.TrimLeft(r.in, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
		return true
	case 'z':
		return r.zone()
	}
	return false
}

func (r *reader) zone() bool {
	r.spaces()
	if rest, ok := strings.CutPrefix(r.in, "Z"); ok {
		r.in = rest
		return true
	}
	if r.in == "" || r.in[0] != '+' && r.in[0] != '-' {
		return false
	}
	sign := 1
	if r.in[0] == '-' {
		sign = -1
	}
	r.in = r.in[1:]
	h, ok := r.number(2, 0, 14)
	if !ok {
		return false
	}
	r.in = strings.TrimPrefix(r.in, ":")
	m, _ := r.number(2, 0, 59)
	r.tm.Offset = sign * (h*3600 + m*60)
	return true
}
