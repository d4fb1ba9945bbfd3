// Package table has arrays that grow a few entries at a time: no call pays for all that others have added.
package table

// Table is an array whose growth copies a few entries at a time: when more than half of it is used, a larger array is
// made beside it, and with each entry that is added two are copied there: it has all of them when it is needed.
//
//	Now   e e e e e e · ·
//	next  e e e e · · · · · · · · · · · ·
type Table[E any] struct {
	// Now is the entries, to be read. Set replaces one.
	Now  []E
	next []E // the first entries of Now, in a larger array; or nil
}

const (
	firstSize = 8

	// Copied is how many entries are copied at most with each that is added.
	Copied = 2
)

// New returns a table of n zero entries.
func New[E any](n int) Table[E] {
	size := firstSize
	for size < 2*n {
		size *= 2
	}
	return Table[E]{Now: make([]E, n, size)}
}

// Add adds an entry at the end and returns how many it copied. O(1), but for the making of an empty array.
func (t *Table[E]) Add(e E) int {
	if len(t.Now) == cap(t.Now) {
		t.Now, t.next = t.next, nil
	}
	t.Now = append(t.Now, e)
	size := cap(t.Now)
	if len(t.Now) <= size/2 {
		return 0
	}
	if t.next == nil {
		t.next = make([]E, 0, 2*size)
	}
	n := min(Copied, len(t.Now)-len(t.next))
	t.next = append(t.next, t.Now[len(t.next):len(t.next)+n]...)
	return n
}

// Copies returns how many entries of the larger array there are so far.
func (t *Table[E]) Copies() int { return len(t.next) }

// Set replaces an entry. O(1).
func (t *Table[E]) Set(i int, e E) {
	t.Now[i] = e
	if i < len(t.next) {
		t.next[i] = e
	}
}

// Pop takes the last entry away. Entries that come and go again make no array. O(1).
func (t *Table[E]) Pop() {
	var zero E
	last := len(t.Now) - 1
	t.Set(last, zero)
	t.Now = t.Now[:last]
	t.next = t.next[:min(last, len(t.next))]
	if last <= cap(t.Now)/4 {
		t.next = nil
	}
}
