package report
// Markdown.
func (r *Report) Markdown() []byte { return nil }
// HTML.
func (r *Report) HTML() []byte { return nil }
