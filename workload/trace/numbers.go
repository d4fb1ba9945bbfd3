package trace

// numbering hands out small numbers. A number that is given back is appended to those that are free.
type numbering struct {
	used uint32 // how many were handed out, free or not
	free []uint32
}

func (n *numbering) fresh() uint32 {
	n.used++
	return n.used - 1
}

// reuse returns a number that is free, the last one first, or else a fresh one.
func (n *numbering) reuse() uint32 {
	last := len(n.free) - 1
	if last < 0 {
		return n.fresh()
	}
	number := n.free[last]
	n.free = n.free[:last]
	return number
}
