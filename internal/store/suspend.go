package store

// Suspend ends the use of c until Resume takes it again or Release gives it back: no Find finds it, and it counts as used.
// Where many cells are free Suspend does nothing, and reports false: it would keep pending values from moving to the lowest
// pages. O(1).
func (s *Store[L, V]) Suspend(c *Cell[L]) bool {
	if s.used <= s.low {
		return false
	}
	c.Gen++
	return true
}

// Resume takes c, which is suspended, into use again at a fresh generation, unless it has had the last one. O(1).
func (s *Store[L, V]) Resume(c *Cell[L]) bool {
	if c.Gen == lastGen {
		return false
	}
	c.Gen++
	return true
}

// Release gives cell i, which is c and suspended, back. O(1).
func (s *Store[L, V]) Release(i uint32, c *Cell[L]) {
	c.Gen-- // Free moves it on
	s.Free(i, c)
}
