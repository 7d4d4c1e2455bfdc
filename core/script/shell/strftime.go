package shell

import (
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/strftime"
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
	p.pad(sp, strftime.Format(at.UTC(), strings.ReplaceAll(format, "%N", "%%N"))) // date alone knows %N
}
