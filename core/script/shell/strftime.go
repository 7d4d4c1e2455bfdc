package shell

import (
	"strings"
	"time"
)

// date is %(format)T: of the seconds of the argument, or now.
func (p *printer) date(sp spec, format string) {
	at := p.s.e.Now()
	if a, ok := p.next(); ok {
		switch n := p.integer(a, false); n {
		case -1:
		case -2:
			at = at.Add(-p.s.e.elapsed())
		default:
			at = time.Unix(n, 0).UTC()
		}
	}
	if format == "" {
		format = "%H:%M:%S"
	}
	p.pad(sp, strftime(format, at.UTC()))
}

// strftime formats a time as the C library does in the C locale.
func strftime(format string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		if format[i] == 's' {
			b.WriteString(itoa64(t.Unix()))
			continue
		}
		if layout, ok := strftimes[format[i]]; ok {
			b.WriteString(t.Format(layout))
			continue
		}
		switch format[i] {
		case 'j':
			b.WriteString(pad(t.YearDay(), 3))
		case 'u':
			b.WriteString(itoa((int(t.Weekday())+6)%7 + 1))
		case 'w':
			b.WriteString(itoa(int(t.Weekday())))
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case '%':
			b.WriteByte('%')
		default:
			b.WriteString(format[i-1 : i+1])
		}
	}
	return b.String()
}

var strftimes = map[byte]string{
	'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'y': "06", 'e': "_2", 'b': "Jan", 'B': "January",
	'a': "Mon", 'A': "Monday", 'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04", 'D': "01/02/06", 'I': "03", 'p': "PM",
	'Z': "UTC", 'z': "-0700", 'h': "Jan", 'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05", 'l': "_3",
}
