package durable_test

import (
	"context"
	"errors"
	"strings"
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

// Whatever is accepted can be handed out, claimed, tried again and buried, with the longest ID, kind and error.
func TestTheLargestPayloadCanBeBuried(t *testing.T) {
	places(t, func(t *testing.T, o durable.Options) {
		ctx := context.Background()
		o.Attempts, o.Backoff, o.OnError = 2, short, quiet
		timers := open(t, o, nil)
		longest := strings.Repeat("*", 200) // each of which takes three bytes of a subject
		require.NoError(t, timers.Register(longest, func(context.Context, durable.Task) error {
			return errors.New(strings.Repeat("on purpose ", 1000))
		}))
		payload := make([]byte, 1020<<10+1)
		_, err := timers.ScheduleAfter(ctx, 0, longest, payload)
		require.ErrorIs(t, err, durable.ErrOption)
		_, err = timers.ScheduleAfter(ctx, 1300*time.Millisecond, longest, payload[1:], durable.WithID(durable.ID(longest)))
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			dead, _, err := timers.Dead(ctx, durable.Page{}, 1)
			return err == nil && len(dead) == 1 && len(dead[0].Payload) == len(payload)-1
		}, eventually, 10*time.Millisecond)
	})
}

func TestAPageIsOfOneAtLeast(t *testing.T) {
	timers := open(t, durable.Options{Dir: t.TempDir()}, nil)
	_, _, err := timers.Pending(t.Context(), durable.Page{}, 0)
	require.ErrorIs(t, err, durable.ErrOption)
	_, _, err = timers.Dead(t.Context(), durable.Page{}, -1)
	require.ErrorIs(t, err, durable.ErrOption)
}
