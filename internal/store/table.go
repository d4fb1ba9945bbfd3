package store

// table is an array whose growth copies a few entries at a time: when more than
// half of it is used, a larger array is made beside it, and with each entry
// that is added two are copied there, so that it has all of them when it is needed.
//
//	now   e e e e e e · ·
//	next  e e e e · · · · · · · · · · · ·
type table[E any] struct {
	now  []E
	next []E // the first entries of now, in a larger array; or nil
}

const (
	// firstSize is how many entries the first array of a table is for.
	firstSize = 8
	// copied is how many entries are copied with each that is added.
	copied = 2
)

// newTable returns a table of n zero entries.
func newTable[E any](n int) table[E] {
	size := firstSize
	for size < 2*n {
		size *= 2
	}
	return table[E]{now: make([]E, n, size)}
}

// add adds an entry at the end and returns how many it copied. O(1), but for the
// making of an empty array.
func (t *table[E]) add(e E) int {
	if len(t.now) == cap(t.now) {
		t.now, t.next = t.next, nil
	}
	t.now = append(t.now, e)
	size := cap(t.now)
	if len(t.now) <= size/2 {
		return 0
	}
	if t.next == nil {
		t.next = make([]E, 0, 2*size)
	}
	for range copied {
		t.next = append(t.next, t.now[len(t.next)])
	}
	return copied
}

// set replaces an entry.
func (t *table[E]) set(i int, e E) {
	t.now[i] = e
	if i < len(t.next) {
		t.next[i] = e
	}
}
