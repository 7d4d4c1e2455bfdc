package tool

import (
	"strconv"
	"strings"
	"time"
)

// dateParser reads the words of date -d, as gnulib's parse-datetime does, in UTC.
type dateParser struct {
	words          []string
	at             int
	now            time.Time
	year, mon, day int
	hour, min, sec int
	nano           int
	zone           int // seconds east
	hasDate        bool
	hasTime        bool
	hasZone        bool
	relative       struct{ years, months, days, seconds int }
	weekday        int // of "monday": -1 for none
	weeks          int
	hasRelative    bool
}

// parseDate reads a date in one of the common forms.
func parseDate(text string, now time.Time) (time.Time, bool) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "@"); ok {
		whole, fraction, _ := strings.Cut(rest, ".")
		n, err := strconv.ParseInt(whole, 10, 64)
		nano, err2 := strconv.Atoi((fraction + "000000000")[:9])
		return time.Unix(n, int64(nano)).UTC(), err == nil && err2 == nil
	}
	d := &dateParser{words: dateWords(strings.ToLower(text)), now: now, weekday: -1}
	for d.at < len(d.words) {
		if !d.item() {
			return time.Time{}, false
		}
	}
	return d.time()
}

// dateWords splits into numbers (with what belongs to them), words and signs.
func dateWords(s string) []string {
	var words []string
	for i := 0; i < len(s); {
		c := s[i]
		from := i
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == ',':
			i++
			continue
		case c >= '0' && c <= '9':
			for i < len(s) && (s[i] >= '0' && s[i] <= '9' || (s[i] == ':' || s[i] == '.' || s[i] == '/' || s[i] == '-') && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' && !signOf(s, from, i)) {
				i++
			}
		case c >= 'a' && c <= 'z':
			for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] == '.') {
				i++
			}
		default:
			i++
		}
		words = append(words, strings.TrimSuffix(s[from:i], "."))
	}
	return words
}

// signOf reports whether the - at i begins a zone: after a time of day.
func signOf(s string, from, i int) bool {
	return s[i] == '-' && strings.ContainsRune(s[from:i], ':')
}

func (d *dateParser) peek(n int) string {
	if d.at+n < len(d.words) {
		return d.words[d.at+n]
	}
	return ""
}

func isDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// unitNames are the words for units, without a final s.
var unitNames = map[string]string{"sec": "second", "second": "second", "min": "minute", "minute": "minute", "hour": "hour", "day": "day",
	"week": "week", "fortnight": "fortnight", "month": "month", "mon": "", "year": "year"}

func unitOf(word string) string {
	if u := unitNames[word]; u != "" {
		return u
	}
	return unitNames[strings.TrimSuffix(word, "s")]
}

func monthOf(word string) int {
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		if word == name || word == name[:3] || word == "sept" && m == time.September {
			return int(m)
		}
	}
	return 0
}

func weekdayOf(word string) int {
	for w := time.Sunday; w <= time.Saturday; w++ {
		name := strings.ToLower(w.String())
		if word == name || word == name[:3] || word == "tues" && w == 2 || word == "wednes" && w == 3 || word == "thurs" && w == 4 || word == "thur" && w == 4 {
			return int(w)
		}
	}
	return -1
}

// item reads one item of the text.
func (d *dateParser) item() bool {
	word := d.peek(0)
	switch {
	case strings.Contains(word, ":"):
		return d.clock(word)
	case isDigit(word):
		return d.number(word)
	case word == "+" || word == "-":
		return d.signed(word)
	}
	d.at++
	switch word {
	case "now", "today":
		d.hasRelative = true
	case "yesterday":
		d.relative.days--
	case "tomorrow":
		d.relative.days++
	case "t":
		return d.hasDate && isDigit(d.peek(0))
	case "z", "utc", "gmt":
		d.hasZone = true
	case "ago":
		r := &d.relative
		r.years, r.months, r.days, r.seconds = -r.years, -r.months, -r.days, -r.seconds
	case "next", "last", "this":
		n := map[string]int{"next": 1, "last": -1, "this": 0}[word]
		if w := weekdayOf(d.peek(0)); w >= 0 {
			d.weekday, d.weeks = w, n
			d.at++
			return true
		}
		return d.unit(n)
	default:
		return d.name(word)
	}
	return true
}

func (d *dateParser) name(word string) bool {
	if w := weekdayOf(word); w >= 0 {
		d.weekday = w
		return true
	}
	if m := monthOf(word); m > 0 { // Jan 2 [2026]
		d.mon, d.hasDate = m, true
		day, err := strconv.Atoi(d.peek(0))
		if err != nil {
			return false
		}
		d.day, d.year = day, d.now.Year()
		if d.at++; len(d.peek(0)) == 4 && isDigit(d.peek(0)) && !strings.Contains(d.peek(0), ":") {
			d.year, err = strconv.Atoi(d.peek(0))
			d.at++
		} else if len(d.peek(0)) > 4 && strings.Contains(d.peek(0), ":") { // Jan 1 00:00:00 UTC 2026
			last := d.words[len(d.words)-1]
			if y, bad := strconv.Atoi(last); bad == nil && len(last) == 4 && len(d.words) > d.at+1 {
				d.year, d.words = y, d.words[:len(d.words)-1]
			}
		}
		return err == nil
	}
	if unitOf(word) != "" {
		d.at--
		return d.unit(1)
	}
	return false
}

// unit applies a number to the unit that follows.
func (d *dateParser) unit(n int) bool {
	r := &d.relative
	switch unitOf(d.peek(0)) {
	case "second":
		r.seconds += n
	case "minute":
		r.seconds += 60 * n
	case "hour":
		r.seconds += 3600 * n
	case "day":
		r.days += n
	case "week":
		r.days += 7 * n
	case "fortnight":
		r.days += 14 * n
	case "month":
		r.months += n
	case "year":
		r.years += n
	default:
		return false
	}
	d.at++
	d.hasRelative = true
	return true
}

// signed reads +5 minutes, or a zone where one may stand: after a time.
func (d *dateParser) signed(sign string) bool {
	digits := d.peek(1)
	if !isDigit(digits) {
		return false
	}
	d.at += 2
	factor := 1
	if sign == "-" {
		factor = -1
	}
	if d.hasTime && !d.hasZone {
		if d.hasZone = true; strings.Contains(digits, ":") || len(digits) > 2 {
			text := strings.ReplaceAll(digits, ":", "")
			if len(text) == 3 {
				text = "0" + text
			}
			v, err := strconv.Atoi(text)
			d.zone = factor * (v/100*3600 + v%100*60)
			return err == nil
		}
		v, err := strconv.Atoi(digits)
		d.zone = factor * v * 3600
		return err == nil
	}
	v, err := strconv.Atoi(digits)
	return err == nil && d.unit(factor*v)
}

func (d *dateParser) clock(word string) bool {
	d.at++
	parts := strings.Split(word, ":")
	if len(parts) > 3 || d.hasTime {
		return false
	}
	var err [3]error
	d.hour, err[0] = strconv.Atoi(parts[0])
	d.min, err[1] = strconv.Atoi(parts[1])
	if len(parts) == 3 {
		whole, fraction, _ := strings.Cut(parts[2], ".")
		d.sec, err[2] = strconv.Atoi(whole)
		d.nano, _ = strconv.Atoi((fraction + "000000000")[:9])
	}
	if half := d.peek(0); half == "am" || half == "pm" {
		d.at++
		if d.hour = d.hour % 12; half == "pm" {
			d.hour += 12
		}
	}
	d.hasTime = true
	return err == [3]error{} && d.hour < 24 && d.min < 60 && d.sec <= 60
}

// number reads a date in digits, a day before a month's name, an hour with am or
// pm, or a count of units.
func (d *dateParser) number(word string) bool {
	d.at++
	var err [3]error
	sep := "-"
	if strings.Contains(word, "/") {
		sep = "/"
	}
	switch parts := strings.Split(word, sep); {
	case len(parts) == 3 && !d.hasDate:
		if sep == "/" && len(parts[0]) < 4 { // month first
			parts = []string{parts[2], parts[0], parts[1]}
		}
		d.hasDate = true
		d.year, err[0] = strconv.Atoi(parts[0])
		d.mon, err[1] = strconv.Atoi(parts[1])
		d.day, err[2] = strconv.Atoi(parts[2])
		return err == [3]error{}
	case len(parts) > 1 || strings.Contains(word, "."):
		return false
	}
	n, bad := strconv.Atoi(word)
	next := d.peek(0)
	switch {
	case bad != nil:
		return false
	case next == "am" || next == "pm":
		d.at++
		d.hour, d.hasTime = n%12+map[string]int{"pm": 12}[next], true
		return n >= 1 && n <= 12
	case monthOf(next) > 0:
		d.at++
		d.day, d.mon, d.year, d.hasDate = n, monthOf(next), d.now.Year(), true
		if y := d.peek(0); len(y) == 4 && isDigit(y) && !strings.Contains(y, ":") {
			d.year, _ = strconv.Atoi(y)
			d.at++
		}
		return true
	case unitOf(next) != "":
		return d.unit(n)
	case len(word) == 8 && !d.hasDate:
		d.year, d.mon, d.day, d.hasDate = n/10000, n/100%100, n%100, true
		return true
	case len(word) == 4 && !d.hasTime:
		d.hour, d.min, d.hasTime = n/100, n%100, true
		return d.hour < 24 && d.min < 60
	case len(word) <= 2 && !d.hasTime:
		d.hour, d.hasTime = n, true
		return n < 24
	}
	return false
}

func (d *dateParser) time() (time.Time, bool) {
	t := d.now
	year, mon, day := t.Date()
	if d.hasDate {
		year, mon, day = d.year, time.Month(d.mon), d.day
		if mon < 1 || mon > 12 || day < 1 || time.Date(year, mon, day, 0, 0, 0, 0, time.UTC).Day() != day {
			return t, false
		}
	}
	hour, minute, sec, nano := d.hour, d.min, d.sec, d.nano
	if !d.hasDate && !d.hasTime && d.weekday < 0 && len(d.words) > 0 { // only relative: from now
		hour, minute, sec = t.Clock()
		nano = t.Nanosecond()
	}
	r := d.relative
	t = time.Date(year+r.years, mon+time.Month(r.months), day+r.days, hour, minute, sec, nano, time.UTC)
	if d.weekday >= 0 && !d.hasDate {
		ahead := (d.weekday - int(t.Weekday()) + 7) % 7
		switch {
		case d.weeks < 0:
			ahead -= 7
		case d.weeks > 0 && ahead == 0:
			ahead = 7
		}
		t = t.AddDate(0, 0, ahead)
	}
	return t.Add(time.Duration(r.seconds-d.zone) * time.Second), true
}
