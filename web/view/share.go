package view

import "github.com/reconcile-playground/reconcile/web/app"

// share is the sheet with the link of the run.
func (p *page) share() *Node {
	w, s := p.w, p.m.Share
	body := el("p", class("muted"), attr("role", "status"), text(w.ShareMaking()))
	row := el("div", class("row"))
	switch {
	case s.URL != "":
		body = el("div", class("share"),
			el("input", class("field mono"), attr("id", "share-link"), testid("share-link"), attr("readonly", ""), label(w.ShareLink()), attr(".value", s.URL)),
			el("p", class("muted"), attr("role", "status"), text(pick(s.Copied, w.Copied(), w.ShareSize(s.Size)))))
		row.add(button("btn-main", app.CopyLink{}, attr("id", "share-copy"), text(w.Copy())))
	case s.Size > app.MaxLink:
		body = el("p", attr("role", "status"), text(w.LinkTooLong(s.Size, app.MaxLink)))
		row.add(button("btn-main", app.Export{Format: "cluster"}, attr("id", "share-file"), text(w.ExportCluster())))
	}
	row.add(button("", app.CloseAll{}, attr("id", "sheet-close"), text(w.Close())))
	return dialog("sheet-narrow", w.ShareTitle(), el("p", text(w.ShareText(p.m.Timeline.Length))), body, row)
}
