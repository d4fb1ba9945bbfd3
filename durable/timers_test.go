package durable_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/durable"
)

// eventually is how long a test waits for what has to come: longer than any machine takes.
const eventually = time.Minute

func TestRunsOnceAndNotEarly(t *testing.T) {
	ctx := context.Background()
	timers, err := durable.Open(ctx, durable.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	ran := make(chan durable.Task, 10)
	require.NoError(t, timers.Register("note", func(_ context.Context, task durable.Task) error {
		ran <- task
		return nil
	}))
	var far, gone durable.ID
	for _, delay := range []time.Duration{-time.Hour, 0, 10 * time.Millisecond, 1500 * time.Millisecond} {
		far, err = timers.ScheduleAfter(ctx, delay, "note", []byte(delay.String()))
		require.NoError(t, err)
	}
	gone, err = timers.ScheduleAfter(ctx, time.Hour, "note", nil)
	require.NoError(t, err)
	got, err := timers.Get(ctx, far)
	require.NoError(t, err)
	require.Equal(t, "1.5s", string(got.Payload))
	ok, err := timers.Cancel(ctx, gone)
	require.NoError(t, err)
	require.True(t, ok)
	_, err = timers.Get(ctx, gone)
	require.ErrorIs(t, err, durable.ErrNotFound)

	for range 4 {
		select {
		case task := <-ran:
			require.False(t, time.Now().Before(task.At), "%+v", task)
			require.Equal(t, 1, task.Attempt)
		case <-time.After(eventually):
			require.Fail(t, "a task did not run")
		}
	}
	require.NoError(t, timers.Close(ctx))
	require.Empty(t, ran)
}
