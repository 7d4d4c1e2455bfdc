package timeline

// Points returns the steps at which checkpoints are held.
func (t *Timeline) Points() []int {
	var out []int
	for _, p := range t.points {
		out = append(out, p.n)
	}
	return out
}
