package store

// A cell that is given back and taken again at once need not go through the lists. Suspend takes it out of use. Resume
// takes it into use again, or Release gives it back. Where many cells are free Suspend does nothing, since it would keep
// pending values from moving to the lowest pages.

// Suspend ends the use of c: no Find finds it. Until it is resumed or released it
// counts as used. It does nothing, and reports false, if many cells are free. O(1).
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
