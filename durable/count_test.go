package durable

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCountIsOfWhatTheEngineKeeps(t *testing.T) {
	ctx := context.Background()
	timers, err := Open(ctx, Options{Dir: t.TempDir()})
	require.NoError(t, err)
	n, err := timers.Count(ctx)
	require.NoError(t, err)
	require.Zero(t, n)
	var last ID
	for range 3 {
		last, err = timers.ScheduleAfter(ctx, time.Hour, "later", nil)
		require.NoError(t, err)
	}
	was, err := timers.Cancel(ctx, last)
	require.NoError(t, err)
	require.True(t, was)
	n, err = timers.Count(ctx)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.NoError(t, timers.Close(ctx))
	_, err = timers.Count(ctx)
	require.ErrorIs(t, err, ErrClosed)
}
