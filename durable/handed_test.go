package durable_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/durable"
)

// Of many timers that are handed out at once some have been cancelled, as the engine handed them out: none of
// these begins, and all others do.
func TestWhatWasCancelledOnItsWayDoesNotBegin(t *testing.T) {
	ctx := context.Background()
	most := map[string]int{"one change": 1, "more changes than an answer has messages": 1030}
	for name, changes := range most {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := durable.Options{URL: listening(t).ClientURL()}
			var b begun
			timers := open(t, o, nil)
			const n = 500
			id := func(i int) durable.ID { return durable.ID(fmt.Sprint("timer-", i)) }
			for i := range n {
				cancelled := i % 2
				if i == 1 {
					cancelled = changes
				}
				require.NoError(t, timers.HandOut(ctx, id(i), cancelled))
			}
			require.NoError(t, timers.Register("note", b.handle))
			require.Eventually(t, func() bool { return b.len() >= n/2 }, eventually, time.Millisecond)
			require.Eventually(t, func() bool {
				left, _, err := timers.Pending(ctx, durable.Page{}, 1)
				return err == nil && len(left) == 0
			}, eventually, time.Millisecond)
			for i := range n {
				require.Len(t, b.of(id(i)), 1-i%2, id(i))
			}
		})
	}
}

// A timer that was handed out as it was before it was moved does not begin, though the mark which says so is
// not there yet, and the change that is there was handed out before.
func TestWhatWasMovedOnItsWayBeginsOnceAndThen(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{1, 300} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			timers := open(t, durable.Options{URL: listening(t).ClientURL()}, nil)
			to := time.Now().Add(800 * time.Millisecond)
			var mu sync.Mutex
			ran := map[durable.ID][]time.Time{}
			for i := range n {
				require.NoError(t, timers.HandOutMoved(ctx, durable.ID(fmt.Sprint("timer-", i)), to))
			}
			require.NoError(t, timers.Register("note", func(_ context.Context, task durable.Task) error {
				mu.Lock()
				defer mu.Unlock()
				ran[task.ID] = append(ran[task.ID], task.At)
				return nil
			}))
			require.Eventually(t, func() bool {
				left, err := timers.Count(ctx)
				return err == nil && left == 0
			}, eventually, time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			require.Len(t, ran, n)
			for id, at := range ran {
				require.Len(t, at, 1, id)
				require.True(t, at[0].Equal(to), "%s began at %v, want %v", id, at[0], to)
			}
		})
	}
}
