package engine

// Run is a run of entries of a list that are as they were when it was told last:
// N of them from From on stand from At on. A step changes little of a long list,
// and what the page need not be told again it need not read.
type Run struct {
	At   int `json:"at"`
	From int `json:"from"`
	N    int `json:"n"`
}

// After is the whole view, where told is what the page was told before.
func (v QueueView) After(told QueueView) QueueView {
	v.Items, v.Kept = together(told.Items, v.Items, v.Kept), nil
	return v
}

// After is the whole view, where told is what the page was told before.
func (v EnabledView) After(told EnabledView) EnabledView {
	v.Items, v.Kept = together(told.Items, v.Items, v.Kept), nil
	return v
}

// runs are those of now that stand in told as well, and the entries that do not.
// Of entries of told that have the same key the last is looked at.
func runs[T any](told, now []T, key func(T) string, same func(a, b T) bool) (kept []Run, news []T) {
	places := make(map[string]int, len(told))
	for i, item := range told {
		places[key(item)] = i
	}
	news = []T{}
	for at := 0; at < len(now); {
		from, ok := places[key(now[at])]
		n := 0
		for ok && from+n < len(told) && at+n < len(now) && same(told[from+n], now[at+n]) {
			n++
		}
		if n == 0 {
			news = append(news, now[at])
			at++
			continue
		}
		kept = append(kept, Run{at, from, n})
		at += n
	}
	return kept, news
}

// together puts a list together again of what was told before and what is new.
func together[T any](told, news []T, kept []Run) []T {
	if len(kept) == 0 {
		return news
	}
	var list []T
	for _, r := range kept {
		n := r.At - len(list)
		list = append(append(list, news[:n]...), told[r.From:r.From+r.N]...)
		news = news[n:]
	}
	return append(list, news...)
}
