package explore

// Matrix is how the runs made so far came out, by call site and fault.
func (x *Explorer) Matrix() Matrix { return x.matrix() }
