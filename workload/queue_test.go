package workload

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Events come out in the order of their times, all of them, and none after the limit.
func TestQueueOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q eventQueue
		reach := rapid.SampledFrom([]int64{0, 100, 1e12, never}).Draw(t, "reach")
		var model []int64
		for range rapid.IntRange(1, 100).Draw(t, "rounds") {
			for range rapid.IntRange(1, 20).Draw(t, "burst") {
				at := rapid.Int64Range(0, reach).Draw(t, "at")
				q.add(event{at: at})
				model = append(model, at)
			}
			slices.Sort(model)
			limit := rapid.Int64Range(0, reach).Draw(t, "limit")
			for len(model) > 0 && model[0] <= limit {
				e, ok := q.pop(limit)
				require.True(t, ok)
				require.Equal(t, model[0], e.at)
				model = model[1:]
			}
			_, ok := q.pop(limit)
			require.False(t, ok)
		}
		require.Len(t, q, len(model))
	})
}
