package durable_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/durable"
)

// loseLastRemoval leaves a folder as a process does that is killed after the engine has written its last message,
// and before it has written that this removes another: the last thing in the file.
func loseLastRemoval(t *testing.T, dir string) {
	msgs := filepath.Join(dir, "jetstream", "$G", "streams", "timers", "msgs")
	blocks, err := filepath.Glob(filepath.Join(msgs, "*.blk"))
	require.NoError(t, err)
	require.Len(t, blocks, 1)
	info, err := os.Stat(blocks[0])
	require.NoError(t, err)
	const removal = 30 // bytes: header and checksum of a message without subject
	require.NoError(t, os.Truncate(blocks[0], info.Size()-removal))
	for _, index := range []string{"index.db", "sched.db", "thw.db"} {
		err := os.Remove(filepath.Join(msgs, index))
		require.True(t, err == nil || os.IsNotExist(err))
	}
}

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
			loseLastRemoval(t, dir)
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
