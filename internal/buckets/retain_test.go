package buckets

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// big is a value that the garbage collector does not put together with others.
type big [8]*int

// weakly adds n values to bucket i, with keys 0, 1, 2, ..., and returns what
// tells whether they are still reachable.
func weakly(b *Buckets[uint32, *big], i, n int) (ids []schedulers.ID, refs []weak.Pointer[big]) {
	for at := range n {
		v := new(big)
		ids = append(ids, b.Add(i, uint32(at), v))
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

// TestValuesThatHaveLeftAreForgotten lets the collector judge, so that blocks
// that are not in use count too.
func TestValuesThatHaveLeftAreForgotten(t *testing.T) {
	const n = 100
	due := make([]*big, n)
	for _, test := range []struct {
		name string
		stay int
		take func(b *Buckets[uint32, *big])
	}{
		{"drained", 0, func(b *Buckets[uint32, *big]) { b.Drain(0, due) }},
		{"drained in part", 30, func(b *Buckets[uint32, *big]) { b.Drain(0, due[:70]) }},
		{"counted down", 60, func(b *Buckets[uint32, *big]) { b.Countdown(0, 40, due, 1) }},
		{"moved, then drained", 0, func(b *Buckets[uint32, *big]) {
			b.Scatter(0, func(key uint32) int { return int(key%2) + 1 })
			b.Drain(1, due)
			b.Drain(2, due)
		}},
		{"extracted, then drained", 60, func(b *Buckets[uint32, *big]) {
			late, _ := b.Extract(0, 40, func(key uint32) uint64 { return uint64(key) }, nil)
			for _, l := range late {
				b.Put(1, l)
			}
			b.Drain(1, due)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := New[uint32, *big](modelCount, modelOrdered)
			_, refs := weakly(&b, 0, n)
			require.Equal(t, n, reachable(refs))
			test.take(&b)
			clear(due)
			require.Equal(t, test.stay, reachable(refs))
			runtime.KeepAlive(&b)
		})
	}
}

// TestCancelledValuesAreForgottenWithTheirEntries: until then the rule is that
// of the sweep.
func TestCancelledValuesAreForgottenWithTheirEntries(t *testing.T) {
	b := New[uint32, *big](modelCount, modelOrdered)
	ids, refs := weakly(&b, 0, 9000)
	for _, id := range ids {
		require.True(t, b.Cancel(id))
		require.LessOrEqual(t, b.held, b.Len()+schedulers.MaxHeld)
	}
	require.Equal(t, b.held, reachable(refs))
	require.False(t, b.Trim(0))
	require.Zero(t, reachable(refs))
	runtime.KeepAlive(&b)
}
