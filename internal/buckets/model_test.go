package buckets

import (
	"slices"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// The buckets of a model: some slots, then one whose order is kept, with the
// unused one after it that repacking needs.
const (
	modelSlots   = 5
	modelOrdered = modelSlots
	modelCount   = modelSlots + 2
)

// bucketEntry is a pending value as the model sees it.
type bucketEntry[K Key] struct {
	id  schedulers.ID
	key K
	n   uint64 // its value is val(n)
}

// model is the buckets beside what they ought to hold: each bucket a slice,
// the last in at the end.
type model[K Key, T comparable] struct {
	b     Buckets[K, T]
	val   func(n uint64) T
	want  [][]bucketEntry[K]
	stale []schedulers.ID
	added uint64
}

func newModel[K Key, T comparable](val func(uint64) T) *model[K, T] {
	return &model[K, T]{
		b:    New[K, T](modelCount, modelOrdered),
		val:  val,
		want: make([][]bucketEntry[K], modelCount),
	}
}

func (m *model[K, T]) add(i int, key K) {
	m.added++
	id := m.b.Add(i, key, m.val(m.added))
	m.want[i] = append(m.want[i], bucketEntry[K]{id, key, m.added})
}

// cancel cancels entry at of bucket i.
func (m *model[K, T]) cancel(t require.TestingT, i, at int) {
	id := m.want[i][at].id
	require.True(t, m.b.Cancel(id))
	m.want[i] = slices.Delete(m.want[i], at, at+1)
	m.stale = append(m.stale, id)
}

// take takes the entry with value v out of what bucket i ought to hold.
func (m *model[K, T]) take(t require.TestingT, i int, v T) bucketEntry[K] {
	at := slices.IndexFunc(m.want[i], func(e bucketEntry[K]) bool { return m.val(e.n) == v })
	if at < 0 {
		require.Fail(t, "a value that was not there", "%v in bucket %d", v, i)
	}
	if i == modelOrdered {
		require.Equal(t, len(m.want[i])-1, at, "out of order")
	}
	e := m.want[i][at]
	m.want[i] = slices.Delete(m.want[i], at, at+1)
	m.stale = append(m.stale, e.id)
	return e
}

func (m *model[K, T]) drain(t require.TestingT, i, room int) {
	due := make([]T, room)
	n := m.b.Drain(i, due)
	require.Equal(t, min(room, len(m.want[i])), n)
	for _, v := range due[:n] {
		m.take(t, i, v)
	}
}

func (m *model[K, T]) trim(t require.TestingT, i int) {
	require.Equal(t, len(m.want[i]) > 0, m.b.Trim(i))
	require.Equal(t, len(m.want[i]) > 0, m.b.Has(i), "what is dead goes")
}

// scatter moves the entries of slot i to the slots before it, by their keys.
func (m *model[K, T]) scatter(t require.TestingT, i int) {
	place := func(key K) int { return int(key) % i }
	require.Equal(t, len(m.want[i]), m.b.Scatter(i, place))
	for _, e := range m.want[i] {
		m.want[place(e.key)] = append(m.want[place(e.key)], e)
	}
	m.want[i] = nil
	require.False(t, m.b.Has(i))
}

func (m *model[K, T]) countdown(t require.TestingT, i int, passes K, room, rest int) {
	due := make([]T, room)
	n, least := m.b.Countdown(i, passes, due, rest)
	for _, v := range due[:n] {
		require.Less(t, m.take(t, i, v).key, passes)
	}
	out := m.pass(t, i, passes, least)
	if len(out) > 0 {
		require.Equal(t, room, n, "room was left")
	}
	for _, e := range out {
		m.want[rest] = append(m.want[rest], bucketEntry[K]{e.id, 0, e.n})
	}
}

// pass takes passes off the keys of bucket i and returns the entries that had
// fewer. No key that stays is below least.
func (m *model[K, T]) pass(t require.TestingT, i int, passes, least K) (out []bucketEntry[K]) {
	var stay []bucketEntry[K]
	for _, e := range m.want[i] {
		if e.key < passes {
			out = append(out, e)
			continue
		}
		e.key -= passes
		require.LessOrEqual(t, least, e.key)
		stay = append(stay, e)
	}
	m.want[i] = stay
	return out
}

// extract empties the ordered bucket and takes what is due out of bucket i, and
// puts it all back: what was in the ordered bucket on top.
func (m *model[K, T]) extract(t require.TestingT, i int, passes K) {
	const first = 1 << 40
	late, _ := m.b.Extract(modelOrdered, 1, func(K) uint64 { return 0 }, nil)
	require.Len(t, late, len(m.want[modelOrdered]))
	for at, l := range late {
		require.Equal(t, m.want[modelOrdered][len(late)-1-at].id, l.id, "out of order")
	}
	late, least := m.b.Extract(i, uint64(passes), func(k K) uint64 { return first + uint64(k) }, late)
	keys := make(map[schedulers.ID]K)
	for _, e := range m.pass(t, i, passes, least) {
		keys[e.id] = e.key
		m.want[modelOrdered] = append(m.want[modelOrdered], bucketEntry[K]{e.id, 0, e.n})
	}
	require.Len(t, late, len(m.want[modelOrdered]))
	wanted := m.want[modelOrdered]
	m.want[modelOrdered] = nil
	for _, l := range slices.Backward(late) {
		if key, ok := keys[l.id]; ok {
			require.Equal(t, first+uint64(key), l.Tick)
		}
		m.b.Put(modelOrdered, l)
		at := slices.IndexFunc(wanted, func(e bucketEntry[K]) bool { return e.id == l.id })
		require.GreaterOrEqual(t, at, 0)
		m.want[modelOrdered] = append(m.want[modelOrdered], wanted[at])
	}
}

// check compares everything that can be seen, and the columns within.
func (m *model[K, T]) check(t require.TestingT) {
	pending, held := 0, int(m.b.Counts().Held)
	for _, bucket := range m.want {
		pending += len(bucket)
	}
	require.Equal(t, pending, m.b.Len())
	require.LessOrEqual(t, held, pending+schedulers.MaxHeld)
	requireSound(t, &m.b)

	wanted := make(map[schedulers.ID]T, pending)
	for _, bucket := range m.want {
		for _, e := range bucket {
			wanted[e.id] = m.val(e.n)
		}
	}
	for id, v := range m.b.All() {
		if want, ok := wanted[id]; !ok || want != v {
			require.Fail(t, "All yields what is not pending", "%v of %x", v, id)
		}
		delete(wanted, id)
	}
	require.Empty(t, wanted, "not yielded by All")
	for _, id := range m.stale[max(0, len(m.stale)-50):] {
		require.False(t, m.b.Cancel(id), "stale id %x", id)
	}
}
