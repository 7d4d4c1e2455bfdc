package engine

import "encoding/json"

// Run is a run of entries of a list that were told before: N of them, which are
// known from From on, stand from At on. A step changes little of a long list,
// and what the page need not be told again it need not read.
//
// Known of a list is what it held, followed by what it had lost before, the
// newest first, as far as maxLost: while a worker has a pass in hand no key can
// be started, and when it ends the same keys can be as before.
type Run struct {
	At   int `json:"at"`
	From int `json:"from"`
	N    int `json:"n"`
}

// maxLost is how much of what a list has lost is known. A pass of a few calls
// loses a few entries beside those that come again.
const maxLost = MaxListed + 30

// After is the whole view, where told is what the page was told before.
func (v QueueView) After(told QueueView) QueueView {
	v.Items, v.lost = together(told.Items, told.lost, v.Items, v.Kept)
	v.Kept = nil
	return v
}

// After is the whole view, where told is what the page was told before.
func (v EnabledView) After(told EnabledView) EnabledView {
	v.Items, v.lost = together(told.Items, told.lost, v.Items, v.Kept)
	v.Kept = nil
	return v
}

// After is the whole view, where told is what the page was told before.
func (v FaultsView) After(told FaultsView) FaultsView {
	v.Items, v.lost = together(told.Items, told.lost, v.Items, v.Kept)
	v.Kept = nil
	return v
}

// together puts a list together again of what was known and what is new, and
// tells what it has lost.
func together[T any](held, lost, news []T, kept []Run) (list, gone []T) {
	known := append(held[:len(held):len(held)], lost...)
	stays := make([]bool, len(known))
	for _, r := range kept {
		n := r.At - len(list)
		list = append(append(list, news[:n]...), known[r.From:r.From+r.N]...)
		news = news[n:]
		for i := range r.N {
			stays[r.From+i] = true
		}
	}
	for i, item := range known {
		if !stays[i] && len(gone) < maxLost {
			gone = append(gone, item)
		}
	}
	return append(list, news...), gone
}

// runs are those of now that stand in known as well, and the places in now of
// the entries that do not. Entries are given as texts that differ where they do;
// of equal ones in known the first is taken.
func runs(known, now []string) (kept []Run, news []int) {
	places := make(map[string]int, len(known))
	for i, text := range known {
		if _, ok := places[text]; !ok {
			places[text] = i
		}
	}
	for at := 0; at < len(now); {
		from, ok := places[now[at]]
		if !ok {
			news = append(news, at)
			at++
			continue
		}
		n := 1
		for from+n < len(known) && at+n < len(now) && known[from+n] == now[at+n] {
			n++
		}
		kept = append(kept, Run{at, from, n})
		at += n
	}
	return kept, news
}

// toldList is what the page knows of a list, each entry as a text.
type toldList struct{ held, lost []string }

// tell notes that the page is told the list, and returns what that takes. same is
// that it is as it was.
func tell[T any](l *toldList, items []T) (kept []Run, news []T, same bool) {
	now := make([]string, len(items))
	for i := range items {
		now[i] = textIn(&items[i])
	}
	kept, places := runs(append(l.held[:len(l.held):len(l.held)], l.lost...), now)
	n := len(now)
	same = n == len(l.held) && (n == 0 || len(kept) == 1 && kept[0] == Run{N: n})
	fresh := make([]string, len(places))
	news = make([]T, len(places))
	for i, at := range places {
		fresh[i], news[i] = now[at], items[at]
	}
	l.held, l.lost = together(l.held, l.lost, fresh, kept)
	return kept, news, same
}

// queueNews is the queue with what the page knows of it left out; nil where it is
// as it was.
func (e *Engine) queueNews(v *QueueView) *QueueView {
	kept, items, same := tell(&e.told.queue, v.Items)
	rest := *v
	rest.Items = nil
	if changed := news(&e.told.queueRest, &rest); same && changed == nil {
		return nil
	}
	v.Kept, v.Items = kept, items
	return v
}

// enabledNews is what can happen with what the page knows of it left out; nil
// where it is as it was.
func (e *Engine) enabledNews(v *EnabledView) *EnabledView {
	kept, items, same := tell(&e.told.enabled, v.Items)
	rest := EnabledView{Total: v.Total}
	if changed := news(&e.told.enabledRest, &rest); same && changed == nil {
		return nil
	}
	v.Kept, v.Items = kept, items
	return v
}

// faultsNews is what can go wrong with what the page knows of it left out; nil where
// it is as it was.
func (e *Engine) faultsNews(v *FaultsView) *FaultsView {
	kept, items, same := tell(&e.told.faults, v.Items)
	if same && v.Armed == e.told.armed {
		return nil
	}
	e.told.armed = v.Armed
	v.Kept, v.Items = kept, items
	return v
}

// textIn is a value of plain fields as a text.
func textIn(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of plain values
	}
	return string(text)
}
