package durable

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A process is killed, and the engine comes back with a timer that had run and was removed. It does not run again,
// nor is it there; what was near is.
func TestWhatTheEngineBringsBackIsRemoved(t *testing.T) {
	ctx := context.Background()
	o := Options{Dir: t.TempDir(), Lead: time.Hour, Redelivery: time.Second}
	ran := make(chan ID, 10)
	note := func(_ context.Context, task Task) error {
		ran <- task.ID
		return nil
	}
	open := func() *Timers {
		timers, err := Open(ctx, o)
		require.NoError(t, err)
		require.NoError(t, timers.Register("task", note))
		return timers
	}
	has := func(timers *Timers, n int) {
		require.Eventually(t, func() bool {
			count, err := timers.Count(ctx)
			return err == nil && count == n
		}, time.Minute, time.Millisecond)
	}
	timers := open()
	near, err := timers.ScheduleAfter(ctx, 50*time.Minute, "task", nil)
	require.NoError(t, err)
	has(timers, 1)
	now, err := timers.ScheduleAfter(ctx, 0, "task", nil)
	require.NoError(t, err)
	require.Equal(t, now, <-ran)
	has(timers, 1)
	require.Eventually(t, func() bool { // the engine has noted it too
		c, err := timers.stream.Consumer(ctx, workers)
		return err == nil && c.CachedInfo().NumAckPending == 1
	}, time.Minute, time.Millisecond)
	timers.end()
	timers.engine.close() // as if it were killed
	LoseLastRemoval(t, o.Dir)

	timers, err = Open(ctx, o)
	require.NoError(t, err)
	has(timers, 2)
	require.NoError(t, timers.Register("task", note))
	has(timers, 1)
	pending, _, err := timers.Pending(ctx, Page{}, 10)
	require.NoError(t, err)
	require.Len(t, pending, 1)
	require.Equal(t, near, pending[0].ID)
	require.NoError(t, timers.Close(ctx))
	require.Empty(t, ran)

	timers = open()
	has(timers, 1)
	require.NoError(t, timers.Close(ctx))
	require.Empty(t, ran)
}
