package durable

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The clock that timers go by is set back, and ahead, while they are near.
func TestClockThatJumps(t *testing.T) {
	ctx := context.Background()
	timers, err := Open(ctx, Options{Dir: t.TempDir(), Lead: time.Hour, Redelivery: time.Second})
	require.NoError(t, err)
	var offset atomic.Int64
	timers.now = func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
	type run struct {
		task Task
		when time.Time
	}
	ran := make(chan run, 2)
	require.NoError(t, timers.Register("task", func(_ context.Context, task Task) error {
		ran <- run{task, timers.now()}
		return nil
	}))
	soon, err := timers.ScheduleAfter(ctx, 100*time.Millisecond, "task", nil)
	require.NoError(t, err)
	offset.Store(int64(-30 * time.Minute))
	time.Sleep(300 * time.Millisecond) // in which it would run
	require.Empty(t, ran)
	offset.Store(0)
	r := <-ran
	require.Equal(t, soon, r.task.ID)
	require.False(t, r.when.Before(r.task.At))

	later, err := timers.ScheduleAfter(ctx, 30*time.Minute, "task", nil)
	require.NoError(t, err)
	offset.Store(int64(time.Hour))
	r = <-ran
	require.Equal(t, later, r.task.ID)
	require.False(t, r.when.Before(r.task.At))
	require.NoError(t, timers.Close(ctx))
}
