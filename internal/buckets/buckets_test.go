package buckets

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/store"
	"schedbench/schedulers"
)

func ownValue(n uint64) uint64 { return n }

// ownPointer returns a function that gives each number its own pointer.
func ownPointer() func(n uint64) *uint64 {
	known := make(map[uint64]*uint64)
	return func(n uint64) *uint64 {
		if known[n] == nil {
			known[n] = &n
		}
		return known[n]
	}
}

func TestBucketsHoldWhatIsPending(t *testing.T) {
	t.Run("numbers", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			checkModel(t, newModel[uint64](ownValue))
		})
	})
	t.Run("pointers", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			checkModel(t, newModel[uint32](ownPointer()))
		})
	})
}

// checkModel performs random operations, most of them on many entries at once,
// so that sweeps begin, and others find them under way.
func checkModel[K Key, T comparable](t *rapid.T, m *model[K, T]) {
	t.Repeat(map[string]func(*rapid.T){
		"":     func(t *rapid.T) { m.check(t) },
		"add":  func(t *rapid.T) { addSome(t, m) },
		"grow": func(t *rapid.T) { m.b.Grow(m.b.Count() + 1) },
		"cancel": func(t *rapid.T) {
			cancelSome(t, m, bucketOf(t))
		},
		"drain": func(t *rapid.T) {
			m.drain(t, bucketOf(t), rapid.IntRange(0, 50).Draw(t, "room"))
		},
		"trim": func(t *rapid.T) { m.trim(t, bucketOf(t)) },
		"scatter": func(t *rapid.T) {
			m.scatter(t, rapid.IntRange(1, modelSlots-1).Draw(t, "slot"))
		},
		"countdown": func(t *rapid.T) {
			slot := rapid.IntRange(1, modelSlots-1).Draw(t, "slot")
			m.countdown(t, slot, passesOf[K](t), rapid.IntRange(0, 50).Draw(t, "room"), 0)
		},
		"extract": func(t *rapid.T) {
			m.extract(t, rapid.IntRange(0, modelSlots-1).Draw(t, "slot"), passesOf[K](t))
		},
	})
}

func bucketOf(t *rapid.T) int { return rapid.IntRange(0, modelOrdered).Draw(t, "bucket") }

func passesOf[K Key](t *rapid.T) K { return K(rapid.IntRange(0, 4).Draw(t, "passes")) }

// addSome adds entries with keys that count down soon, and 0 where order is
// kept, as a wheel does.
func addSome[K Key, T comparable](t *rapid.T, m *model[K, T]) {
	i, n := bucketOf(t), rapid.IntRange(0, 400).Draw(t, "n")
	keys := K(rapid.IntRange(1, 10).Draw(t, "keys"))
	if i == modelOrdered {
		keys = 1
	}
	for at := range n {
		m.add(i, K(at)%keys)
	}
}

// cancelSome cancels every stride-th entry of bucket i.
func cancelSome[K Key, T comparable](t *rapid.T, m *model[K, T], i int) {
	stride := rapid.IntRange(1, 4).Draw(t, "stride")
	for at := len(m.want[i]) - 1; at >= 0; at -= stride {
		m.cancel(t, i, at)
	}
}

func TestIDsThatWereNeverHandedOutAreRefused(t *testing.T) {
	b := New[uint64, uint64](2, Unordered)
	id := b.Add(0, 0, 1)
	require.NotZero(t, id)
	require.False(t, b.Cancel(0), "zero is no id")
	require.False(t, b.Cancel(schedulers.MakeID(store.None, 1)))
	require.Equal(t, 1, b.Len())
}

func TestGrowKeepsEntries(t *testing.T) {
	m := newModel[uint64](ownValue)
	for i := range modelSlots {
		for range 20 {
			m.add(i, 0)
		}
	}
	m.b.Grow(1000)
	require.Equal(t, 1000, m.b.Count())
	m.check(t)
	require.Negative(t, m.b.From(modelSlots))
	m.b.Add(999, 0, 0)
	require.Equal(t, 999, m.b.From(modelSlots))
}

func TestAllStopsWhenTheLoopDoes(t *testing.T) {
	m := newModel[uint64](ownValue)
	for i := range 40 {
		m.add(i%2, 0)
	}
	seen := 0
	for range m.b.All() {
		if seen++; seen == 3 {
			break
		}
	}
	require.Equal(t, 3, seen)
}
