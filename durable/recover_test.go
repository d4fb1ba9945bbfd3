package durable_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"schedbench/durable"
)

// A timer is moved, and the process killed before the engine has removed what it was. While nobody has the folder
// others come due, and perhaps that one too, so that the engine hands them out when it starts.
func TestMovedAsItWasKilled(t *testing.T) {
	const lead = 200 * time.Millisecond
	for _, open := range []func(context.Context, durable.Options) (*durable.Timers, error){durable.Open, durable.OpenLate} {
		for _, to := range []time.Duration{3 * time.Hour, 2 * lead, lead / 2} {
			ctx := context.Background()
			dir := t.TempDir()
			o := durable.Options{Dir: dir, Lead: lead}
			timers, err := durable.Open(ctx, o)
			require.NoError(t, err)
			for range 10 {
				_, err := timers.ScheduleAfter(ctx, lead+lead/2, "task", nil)
				require.NoError(t, err)
			}
			id, err := timers.ScheduleAfter(ctx, time.Hour, "task", nil)
			require.NoError(t, err)
			moved, err := timers.Reset(ctx, id, time.Now().Add(to))
			require.NoError(t, err)
			require.True(t, moved)
			require.NoError(t, timers.Close(ctx))
			durable.LoseLastRemoval(t, dir)
			time.Sleep(3 * lead)

			timers, err = open(ctx, o)
			require.NoError(t, err)
			n, err := timers.Count(ctx)
			require.NoError(t, err)
			require.Equal(t, 11, n)
			var ran runs
			if to < time.Hour {
				require.NoError(t, timers.Register("task", ran.run))
				require.Eventually(t, func() bool { return ran.count() == 11 }, eventually, time.Millisecond)
			}
			cancelled, err := timers.Cancel(ctx, id)
			require.NoError(t, err)
			require.Equal(t, to > time.Hour, cancelled)
			_, err = timers.Get(ctx, id)
			require.ErrorIs(t, err, durable.ErrNotFound)
			require.NoError(t, timers.Close(ctx))
		}
	}
}

// A server is killed as it moves a timer, which is then cancelled, or runs.
func TestServerKilledAsItMoves(t *testing.T) {
	ctx := context.Background()
	for _, runs := range []bool{false, true} {
		dir := t.TempDir()
		s := serve(t, &server.Options{JetStream: true, StoreDir: dir})
		timers, err := durable.Open(ctx, durable.Options{URL: s.ClientURL()})
		require.NoError(t, err)
		id, err := timers.ScheduleAfter(ctx, time.Hour, "task", nil)
		require.NoError(t, err)
		to := 2 * time.Hour
		if runs {
			to = 100 * time.Millisecond
		}
		moved, err := timers.Reset(ctx, id, time.Now().Add(to))
		require.NoError(t, err)
		require.True(t, moved)
		require.NoError(t, timers.Close(ctx))
		s.Shutdown()
		s.WaitForShutdown()
		durable.LoseLastRemoval(t, dir)

		s = serve(t, &server.Options{JetStream: true, StoreDir: dir})
		timers, err = durable.Open(ctx, durable.Options{URL: s.ClientURL()})
		require.NoError(t, err)
		n, err := timers.Count(ctx)
		require.NoError(t, err)
		require.Equal(t, 2, n, "or the file is not as that of a killed server")
		ran := make(chan durable.ID, 1)
		if runs {
			require.NoError(t, timers.Register("task", func(_ context.Context, task durable.Task) error {
				ran <- task.ID
				return nil
			}))
			require.Equal(t, id, <-ran)
		} else {
			cancelled, err := timers.Cancel(ctx, id)
			require.NoError(t, err)
			require.True(t, cancelled)
		}
		require.NoError(t, timers.Close(ctx))
		timers, err = durable.Open(ctx, durable.Options{URL: s.ClientURL()})
		require.NoError(t, err)
		_, err = timers.Get(ctx, id)
		require.ErrorIs(t, err, durable.ErrNotFound)
		require.NoError(t, timers.Close(ctx))
	}
}

// A timer that was moved in part is cancelled, or moved again: what it was before is gone then too.
func TestMovedInPart(t *testing.T) {
	ctx := context.Background()
	timers, err := durable.Open(ctx, durable.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	hour := time.Now().Add(time.Hour)
	for i, change := range []func(durable.ID) (bool, error){
		func(id durable.ID) (bool, error) { return timers.Cancel(ctx, id) }, // which leaves a mark
		func(id durable.ID) (bool, error) { return timers.Reset(ctx, id, hour) },
	} {
		id := durable.ID(fmt.Sprint("timer-", i))
		require.NoError(t, timers.MoveInPart(ctx, id, hour))
		changed, err := change(id)
		require.NoError(t, err)
		require.True(t, changed)
		if _, err = timers.Get(ctx, id); i == 0 {
			require.ErrorIs(t, err, durable.ErrNotFound)
		}
		n, err := timers.Count(ctx)
		require.NoError(t, err)
		require.Equal(t, i+1, n)
	}
	require.NoError(t, timers.Close(ctx))
}

// Most of what a file of the engine holds is cancelled, and after that the engine has to read all its files twice, as it
// does when its process is killed. What was cancelled is not there again.
func TestWhatWasCancelledStaysCancelled(t *testing.T) {
	const each, cancelled = 9000, 8000 // in two files at least, of up to 4 MB
	ctx := context.Background()
	o := durable.Options{Dir: t.TempDir(), Sync: durable.SyncInterval(time.Hour)}
	timers, err := durable.Open(ctx, o)
	require.NoError(t, err)
	schedule := func() (ids []durable.ID) {
		var receipts []*durable.Receipt
		for range each {
			r, err := timers.ScheduleAsync(time.Now().Add(time.Hour), "task", make([]byte, 100))
			require.NoError(t, err)
			receipts = append(receipts, r)
		}
		for _, r := range receipts {
			id, err := r.Wait(ctx)
			require.NoError(t, err)
			ids = append(ids, id)
		}
		return ids
	}
	for _, id := range schedule()[each-cancelled:] {
		ok, err := timers.Cancel(ctx, id)
		require.NoError(t, err)
		require.True(t, ok)
	}
	schedule()
	for range 2 {
		require.NoError(t, timers.Close(ctx))
		durable.LoseIndex(t, o.Dir)
		timers, err = durable.Open(ctx, o)
		require.NoError(t, err)
		n, err := timers.Count(ctx)
		require.NoError(t, err)
		require.Equal(t, 2*each-cancelled, n)
	}
	require.NoError(t, timers.Close(ctx))
}
