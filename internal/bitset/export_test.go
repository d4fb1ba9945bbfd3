package bitset

// Bytes returns the memory that a set takes up.
func (s Set) Bytes() (n int) {
	for _, level := range s.levels {
		n += 8 * cap(level)
	}
	return n
}
