package engine

import "encoding/json"

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

// runs are those of now that stand in told as well, and the places in now of the
// entries that do not. Entries are given as texts that differ where they do; of
// equal ones in told the last is taken.
func runs(told, now []string) (kept []Run, news []int) {
	places := make(map[string]int, len(told))
	for i, text := range told {
		places[text] = i
	}
	for at := 0; at < len(now); {
		from, ok := places[now[at]]
		if !ok {
			news = append(news, at)
			at++
			continue
		}
		n := 1
		for from+n < len(told) && at+n < len(now) && told[from+n] == now[at+n] {
			n++
		}
		kept = append(kept, Run{at, from, n})
		at += n
	}
	return kept, news
}

// together puts a list together again of what was told before and what is new.
func together[T any](told, news []T, kept []Run) []T {
	var list []T
	for _, r := range kept {
		n := r.At - len(list)
		list = append(append(list, news[:n]...), told[r.From:r.From+r.N]...)
		news = news[n:]
	}
	return append(list, news...)
}

// queueNews and enabledNews are news, with what the page has of the lists left
// out.
func (e *Engine) queueNews(now *QueueView) *QueueView {
	was := e.told.queue
	if now = news(&e.told.queue, now); now == nil || was == nil {
		return now
	}
	v := *now
	kept, fresh := runs(was.texts(), now.texts())
	v.Kept, v.Items = kept, []QueueItem{}
	for _, i := range fresh {
		v.Items = append(v.Items, now.Items[i])
	}
	return &v
}

func (e *Engine) enabledNews(now *EnabledView) *EnabledView {
	was := e.told.enabled
	if now = news(&e.told.enabled, now); now == nil || was == nil {
		return now
	}
	v := *now
	kept, fresh := runs(was.texts(), now.texts())
	v.Kept, v.Items = kept, []EnabledItem{}
	for _, i := range fresh {
		v.Items = append(v.Items, now.Items[i])
	}
	return &v
}

func (v *QueueView) texts() []string {
	texts := make([]string, len(v.Items))
	for i := range v.Items {
		texts[i] = textIn(&v.Items[i])
	}
	return texts
}

func (v *EnabledView) texts() []string {
	texts := make([]string, len(v.Items))
	for i := range v.Items {
		texts[i] = textIn(&v.Items[i])
	}
	return texts
}

// textIn is a value of plain fields as a text.
func textIn(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of plain values
	}
	return string(text)
}
