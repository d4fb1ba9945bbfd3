package buckets

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"schedbench/internal/store"
	"schedbench/schedulers"
)

// TestNothingIsWrittenForThosePagesOfHeadsThatAreNotMade looks at every bucket of many, of
// which two are used, and at what stands for the others.
func TestNothingIsWrittenForThosePagesOfHeadsThatAreNotMade(t *testing.T) {
	const n = 20 * store.PageLen
	b := New[uint64](n, n)
	id := b.Add(3, 7, 1)
	b.Add(n-1, 7, 2)
	require.True(t, b.Cancel(id))
	for i := range n {
		require.Equal(t, i == n-1, b.Holding(i))
		require.Equal(t, i == n-1, b.From(i) == i)
		var w Walk
		require.Equal(t, i == n-1, b.Start(&w, i, never))
		if i != n-1 {
			require.Empty(t, b.Take(i, Batch))
			require.Zero(t, b.chains(i))
		}
	}
	for i := uint32(store.PageLen); i < n-store.PageLen; i++ {
		require.Zero(t, b.cells.Cell(i).Gen)
	}
}

// TestChainsGrowWithWhatIsPending and never beyond what there is room for.
func TestChainsGrowWithWhatIsPending(t *testing.T) {
	const spread = 4
	b := New[uint64](spread, spread)
	for n := range 3 * spread * entriesPerChain * mostChains {
		b.Add(uint32(n%spread), 0, 0)
		require.LessOrEqual(t, int(b.chain)+1, chains(spread, n+1, mostChains))
	}
	require.EqualValues(t, mostChains-1, b.chain)
	require.Equal(t, 1, chains(spread, spread*entriesPerChain, mostChains))
	require.Equal(t, 2, chains(spread, spread*entriesPerChain+1, mostChains))

	for _, one := range []Buckets[uint64]{New[uint64](mostHeads, 1), NewPlain[uint64](1)} {
		for range 10_000 {
			one.Add(0, 0, 0)
		}
		require.Zero(t, one.chain)
	}
}

// TestManyThatMoveNearAFewAtATimeGetSeveralChains and few get one.
func TestManyThatMoveNearAFewAtATimeGetSeveralChains(t *testing.T) {
	for n, want := range map[uint32]uint32{100: 1, fewNear - 1: 1, 2 * fewNear: 1<<mostChains - 1} {
		b := New[uint64](2, 1)
		b.chain = mostChains - 1
		for range n {
			b.Add(0, 0, 0)
		}
		for moved := Batch; moved == Batch; {
			moved = b.Scatter(0, Batch, true, func(uint64) uint32 { return 1 })
		}
		require.Equal(t, want, b.chains(1), "%d entries", n)
	}
}

// TestHeadsThatAreNotMadeAreEmpty although a page is made that stands for them.
func TestHeadsThatAreNotMadeAreEmpty(t *testing.T) {
	b := New[uint64](180, 1)
	b.chain = mostChains - 1
	for _, at := range []struct{ bucket, chain uint32 }{{0, 7}, {28, 4}} { // 512 cells apart
		b.Add(1, 0, uint64(at.bucket))
		b.put(b.Take(1, 1)[0], at.bucket, at.chain)
	}
	due := make([]uint64, 3)
	require.Equal(t, 1, b.Drain(0, due))
	require.Equal(t, 1, b.Drain(28, due[1:]))
	require.Equal(t, []uint64{0, 28, 0}, due)
}

// big is a value that the garbage collector does not put together with others.
type big [8]*int

// weakly adds n values to bucket i, with ticks 0, 1, 2, ..., and returns what tells whether they are still reachable.
func weakly(b *Buckets[*big], i uint32, n int) (ids []schedulers.ID, refs []weak.Pointer[big]) {
	for at := range n {
		v := new(big)
		id := b.Add(i, uint64(at), v)
		b.Lower(uint32(id), i, uint64(at))
		ids = append(ids, id)
		refs = append(refs, weak.Make(v))
	}
	return ids, refs
}

func reachable(refs []weak.Pointer[big]) (n int) {
	runtime.GC()
	for _, r := range refs {
		if r.Value() != nil {
			n++
		}
	}
	return n
}

// TestValuesThatHaveLeftAreForgotten lets the collector judge.
func TestValuesThatHaveLeftAreForgotten(t *testing.T) {
	const n = 100
	due := make([]*big, n)
	for _, test := range []struct {
		name string
		stay int
		take func(b *Buckets[*big], ids []schedulers.ID)
	}{
		{"drained", 0, func(b *Buckets[*big], _ []schedulers.ID) { b.Drain(0, due) }},
		{"drained in part", 30, func(b *Buckets[*big], _ []schedulers.ID) { b.Drain(0, due[:70]) }},
		{"cancelled", 60, func(b *Buckets[*big], ids []schedulers.ID) {
			for _, id := range ids[:40] {
				b.Cancel(id)
			}
		}},
		{"queued, then handed out", 60, func(b *Buckets[*big], _ []schedulers.ID) {
			var w Walk
			for more := b.Start(&w, 0, 39); more; {
				var out []uint32
				out, more = b.Step(&w, 39)
				for _, at := range out {
					b.Enqueue(at)
				}
			}
			b.Dequeue(due)
		}},
		{"put elsewhere, then drained", 0, func(b *Buckets[*big], _ []schedulers.ID) {
			for out := b.Take(0, Batch); len(out) > 0; out = b.Take(0, Batch) {
				for _, at := range out {
					b.put(at, 1, at)
				}
			}
			b.Drain(1, due)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := New[*big](modelBuckets, 1)
			ids, refs := weakly(&b, 0, n)
			require.Equal(t, n, reachable(refs))
			test.take(&b, ids)
			clear(due)
			require.Equal(t, test.stay, reachable(refs))
			runtime.KeepAlive(&b)
		})
	}
}

// An entry stays in its bucket with a new tick, or moves: by its tick, by how far it is put off, and never to an earlier one.
func TestAnEntryThatIsPutOffALittleStays(t *testing.T) {
	const now, was = 40, 100
	for name, c := range map[string]struct {
		tick, stay uint64
		moves      bool
	}{
		"not at all":               {was, was, false},
		"by half of the time left": {was + 30, was, false},
		"by more":                  {was + 31, was, true},
		"to an earlier tick":       {was - 1, was, true},
		"where it may not stay":    {was + 1, was + 1, true},
	} {
		b := New[uint64](2, 1)
		id := b.Add(0, was, 7)
		require.True(t, b.Move(id, 1, c.tick, now, c.stay), name)
		require.Equal(t, c.moves, b.Holding(1), name)
		require.NotEqual(t, c.moves, b.Holding(0), name)
		from := map[bool]int{false: 0, true: 1}[c.moves]
		require.Equal(t, 1, b.Scatter(from, 2, false, func(tick uint64) uint32 {
			require.Equal(t, c.tick, tick, name)
			return uint32(1 - from)
		}))
	}
}
