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

// weakly adds n values to bucket i, with ticks 0, 1, 2, ..., and returns what
// tells whether they are still reachable.
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
