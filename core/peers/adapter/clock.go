package adapter

import (
	"context"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
)

// clock is the virtual one. Outside of a pass it stands at the year 1.
type clock struct{ passes *passes }

// Now returns the virtual time.
func (c clock) Now() time.Time {
	if p := c.passes.of(context.Background()); p != nil {
		return p.wire.Now()
	}
	return time.Time{}
}

// Since returns how long ago a virtual time was.
func (c clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// retimed is a body in which the times of the host since the pass began, as a
// reconciler that asks time.Now writes them, are the virtual time; nil where
// there are none.
func (p *pass) retimed(v any) any {
	switch v := v.(type) {
	case string:
		if at, ok := p.hostTime(v); ok {
			now := p.wire.Now().In(at.Location())
			if len(v) > len(time.RFC3339) {
				return now.Format(time.RFC3339Nano)
			}
			return now.Format(time.RFC3339)
		}
	case *object.Map:
		out := v
		for key, child := range v.All() {
			if changed := p.retimed(child); changed != nil {
				out = out.With(key, changed)
			}
		}
		if out != v {
			return out
		}
	case *object.List:
		out := v
		for i, child := range v.All() {
			if changed := p.retimed(child); changed != nil {
				out = out.With(i, changed)
			}
		}
		if out != v {
			return out
		}
	}
	return nil
}

// hostTime reads a time that this pass may have read from the host's clock.
func (p *pass) hostTime(s string) (time.Time, bool) {
	if len(s) < len("2006-01-02T15:04:05Z") || len(s) > len("2006-01-02T15:04:05.999999999+00:00") || s[4] != '-' || s[10] != 'T' {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, s)
	return at, err == nil && !at.Before(p.began.Truncate(time.Second)) && !at.After(time.Now())
}
