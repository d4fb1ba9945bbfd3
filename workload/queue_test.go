package workload

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever is added and taken, events come out in the order of their times, all
// of them, and none after the limit.
func TestQueueOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newEventQueue(rapid.SampledFrom([]float64{1e-18, 1e-6, 1e-3, 1}).Draw(t, "rate"), 1e4)
		reach := rapid.SampledFrom([]int64{0, 100, 1e6, 1e12, 6e18}).Draw(t, "reach")
		var model []int64
		now := int64(0)
		for range rapid.IntRange(1, 200).Draw(t, "rounds") {
			burst := rapid.IntRange(1, 40).Draw(t, "burst")
			same := rapid.Bool().Draw(t, "same")
			at := now
			for i := range burst {
				if i == 0 || !same {
					at = now + rapid.Int64Range(0, min(reach, never-1-now)).Draw(t, "after")
				}
				q.add(event{at: at, timer: uint32(i)})
				model = append(model, at)
			}
			slices.Sort(model)
			limit := now + rapid.Int64Range(0, min(reach, never-1-now)).Draw(t, "limit")
			for len(model) > 0 && model[0] <= limit {
				e, ok := q.pop(limit)
				require.True(t, ok)
				require.Equal(t, model[0], e.at)
				model = model[1:]
			}
			_, ok := q.pop(limit)
			require.False(t, ok)
			now = limit
		}
		require.Equal(t, len(model), q.n)
		for _, at := range model {
			e, ok := q.pop(never)
			require.True(t, ok)
			require.Equal(t, at, e.at)
		}
	})
}

// Buckets of every filling are sorted: even, crowded, of equal times.
func TestSorter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const start = 1 << 40
		shift := rapid.UintRange(0, 39).Draw(t, "shift")
		n := rapid.SampledFrom([]int{0, 1, 12, 13, 100, 3000}).Draw(t, "n")
		spread := rapid.Int64Range(1, 1<<shift).Draw(t, "spread")
		r := random(rapid.Uint64().Draw(t, "seed"), 0)
		events := make([]event, n)
		for i := range events {
			events[i] = event{at: start + r.Int64N(spread), timer: uint32(i)}
		}
		var s sorter
		for range 2 { // the second time with buffers that have been used
			sorted := s.sort(slices.Clone(events), start, shift)
			require.True(t, slices.IsSortedFunc(sorted, compareEvents))
			slices.SortFunc(sorted, func(a, b event) int { return int(a.timer) - int(b.timer) })
			require.Equal(t, events, sorted)
			require.LessOrEqual(t, s.moves, 2*maxBin*n, "nothing is carried far by insertion")
		}
	})
}
