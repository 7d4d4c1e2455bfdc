// Package strftime prints and reads times by C's conversion specifications, in
// UTC and the C locale. Models strftime(3) and strptime(3) of glibc, with the
// flags and widths of GNU date.
package strftime

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// spec is one conversion: %, flags, width, colons, letter.
type spec struct {
	pad    byte // '-', '_', '0'; 0 for the letter's own
	upper  bool
	swap   bool
	width  int
	colons int
	letter byte
}

// Format prints t. What is no conversion is printed as it stands.
func Format(t time.Time, layout string) string {
	var b strings.Builder
	for i := 0; i < len(layout); {
		if layout[i] != '%' {
			b.WriteByte(layout[i])
			i++
			continue
		}
		s, n, ok := parseSpec(layout[i:])
		if text, known := s.format(t); ok && known {
			b.WriteString(text)
		} else {
			b.WriteString(layout[i : i+n])
		}
		i += n
	}
	return b.String()
}

func parseSpec(text string) (s spec, n int, ok bool) {
	for n = 1; n < len(text); n++ {
		switch c := text[n]; {
		case c == '-' || c == '_' || c == '0' && s.width == 0:
			s.pad = c
		case c == '^':
			s.upper = true
		case c == '#':
			s.swap = true
		case c >= '0' && c <= '9':
			if s.width < 1000 {
				s.width = s.width*10 + int(c-'0')
			}
		case c == ':':
			s.colons++
		case c == 'E' || c == 'O':
		default:
			s.letter = c
			return s, n + 1, true
		}
	}
	return s, n, false
}

// number pads as the flags or the letter have it.
func (s spec) number(v, width int, pad byte) string {
	if s.pad != 0 {
		pad = s.pad
	}
	if s.width > 0 {
		width = s.width
	}
	switch pad {
	case '-':
		return strconv.Itoa(v)
	case '_':
		return fmt.Sprintf("%*d", width, v)
	}
	return fmt.Sprintf("%0*d", width, v)
}

func (s spec) text(v string) string {
	switch {
	case s.upper, s.swap && s.letter != 'p' && s.letter != 'Z':
		v = strings.ToUpper(v)
	case s.swap:
		v = strings.ToLower(v)
	}
	if n := s.width - len(v); n > 0 && s.pad != '-' {
		pad := " "
		if s.pad == '0' {
			pad = "0"
		}
		v = strings.Repeat(pad, n) + v
	}
	return v
}

func (s spec) format(t time.Time) (string, bool) {
	if text, ok := s.date(t); ok {
		return text, true
	}
	if text, ok := s.clock(t); ok {
		return text, true
	}
	layout, ok := map[byte]string{'c': "%a %b %e %H:%M:%S %Y", 'D': "%m/%d/%y", 'x': "%m/%d/%y", 'F': "%Y-%m-%d", 'r': "%I:%M:%S %p",
		'R': "%H:%M", 'T': "%H:%M:%S", 'X': "%H:%M:%S", 'n': "\n", 't': "\t", '%': "%%"}[s.letter]
	switch {
	case s.letter == '%':
		return "%", true
	case !ok:
		return "", false
	}
	return s.text(Format(t, layout)), true
}

func (s spec) date(t time.Time) (string, bool) {
	isoYear, isoWeek := t.ISOWeek()
	switch s.letter {
	case 'a':
		return s.text(t.Weekday().String()[:3]), true
	case 'A':
		return s.text(t.Weekday().String()), true
	case 'b', 'h':
		return s.text(t.Month().String()[:3]), true
	case 'B':
		return s.text(t.Month().String()), true
	case 'C':
		return s.number(t.Year()/100, 2, '0'), true
	case 'd':
		return s.number(t.Day(), 2, '0'), true
	case 'e':
		return s.number(t.Day(), 2, '_'), true
	case 'g':
		return s.number(isoYear%100, 2, '0'), true
	case 'G':
		return s.number(isoYear, 4, '0'), true
	case 'j':
		return s.number(t.YearDay(), 3, '0'), true
	case 'm':
		return s.number(int(t.Month()), 2, '0'), true
	case 'q':
		return s.number((int(t.Month())+2)/3, 1, '0'), true
	case 'u':
		return s.number((int(t.Weekday())+6)%7+1, 1, '0'), true
	case 'U':
		return s.number((t.YearDay()+6-int(t.Weekday()))/7, 2, '0'), true
	case 'V':
		return s.number(isoWeek, 2, '0'), true
	case 'w':
		return s.number(int(t.Weekday()), 1, '0'), true
	case 'W':
		return s.number((t.YearDay()+6-(int(t.Weekday())+6)%7)/7, 2, '0'), true
	case 'y':
		return s.number(t.Year()%100, 2, '0'), true
	case 'Y':
		return s.number(t.Year(), 4, '0'), true
	}
	return "", false
}

func (s spec) clock(t time.Time) (string, bool) {
	hour12 := (t.Hour()+11)%12 + 1
	switch s.letter {
	case 'H':
		return s.number(t.Hour(), 2, '0'), true
	case 'I':
		return s.number(hour12, 2, '0'), true
	case 'k':
		return s.number(t.Hour(), 2, '_'), true
	case 'l':
		return s.number(hour12, 2, '_'), true
	case 'M':
		return s.number(t.Minute(), 2, '0'), true
	case 'N':
		return s.nanoseconds(t.Nanosecond()), true
	case 'p', 'P':
		half := "AM"
		if t.Hour() >= 12 {
			half = "PM"
		}
		if s.letter == 'P' {
			half = strings.ToLower(half)
		}
		return s.text(half), true
	case 's':
		return s.number(int(t.Unix()), 1, '0'), true
	case 'S':
		return s.number(t.Second(), 2, '0'), true
	case 'z':
		return s.zone(t), true
	case 'Z':
		name, _ := t.Zone()
		return s.text(name), true
	}
	return "", false
}

// nanoseconds prints %N; a width cuts, as in %3N.
func (s spec) nanoseconds(n int) string {
	text := fmt.Sprintf("%09d", n)
	if s.width > 0 {
		text = (text + strings.Repeat("0", max(0, s.width-9)))[:s.width]
	}
	if s.pad == '-' {
		text = strings.TrimRight(text, "0")
	}
	return text
}

func (s spec) zone(t time.Time) string {
	_, offset := t.Zone()
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	h, m, sec := offset/3600, offset/60%60, offset%60
	switch s.colons {
	case 0:
		return fmt.Sprintf("%c%02d%02d", sign, h, m)
	case 1:
		return fmt.Sprintf("%c%02d:%02d", sign, h, m)
	case 2:
		return fmt.Sprintf("%c%02d:%02d:%02d", sign, h, m, sec)
	}
	if m == 0 {
		return fmt.Sprintf("%c%02d", sign, h)
	}
	return fmt.Sprintf("%c%02d:%02d", sign, h, m)
}
