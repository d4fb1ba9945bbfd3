package heapsched_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/heapsched"
	"schedbench/schedulers"
)

// pending is a naive heap: what is pending, by ID.
type pending map[schedulers.ID]time.Duration

// TestVacantPlaceIsNotSeen compares with the naive one after each step, when there may
// be a vacant place anywhere.
func TestVacantPlaceIsNotSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, want, clock := heapsched.New[time.Duration](), pending{}, time.Duration(0)
		var ids []schedulers.ID
		deadline := rapid.Custom(func(t *rapid.T) time.Duration {
			return clock + time.Duration(rapid.IntRange(0, 50).Draw(t, "delay"))
		})
		for range rapid.IntRange(0, 120).Draw(t, "steps") {
			step := rapid.IntRange(0, 9).Draw(t, "step")
			if len(ids) == 0 {
				step = 0
			}
			switch {
			case step < 4:
				at := deadline.Draw(t, "deadline")
				id, err := h.Schedule(at, at)
				require.NoError(t, err)
				require.NotContains(t, want, id)
				ids, want[id] = append(ids, id), at
			case step < 7:
				id := rapid.SampledFrom(ids).Draw(t, "id")
				_, ok := want[id]
				require.Equal(t, ok, h.Cancel(id))
				delete(want, id)
			case step < 9:
				id, at := rapid.SampledFrom(ids).Draw(t, "id"), deadline.Draw(t, "deadline")
				_, held := want[id]
				ok, err := h.Reset(id, at)
				require.NoError(t, err)
				require.Equal(t, held, ok)
				if ok {
					want[id] = at
				}
			default:
				clock += time.Duration(rapid.IntRange(0, 20).Draw(t, "pause"))
				due := 0
				for id, at := range want {
					if at <= clock {
						delete(want, id)
						due++
					}
				}
				require.Equal(t, due, h.Expire(clock, make([]time.Duration, due+1)))
			}
			requirePending(t, want, ids, h)
		}
	})
}

func requirePending(t *rapid.T, want pending, ids []schedulers.ID, h *heapsched.Heap[time.Duration]) {
	require.Equal(t, len(want), h.Len())
	seen := 0
	for id := range h.All() {
		require.Contains(t, want, id)
		seen++
	}
	require.Equal(t, len(want), seen)
	for _, id := range ids {
		_, ok := want[id]
		require.Equal(t, ok, h.Value(id) != nil)
		require.Nil(t, h.Value(schedulers.MakeID(id.Cell(), id.Generation()+1)))
	}
	first, some := time.Duration(0), false
	for _, at := range want {
		if !some || at < first {
			first, some = at, true
		}
	}
	wake, ok := h.Next()
	require.Equal(t, some, ok)
	require.Equal(t, first, wake)
}
