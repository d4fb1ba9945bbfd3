package durable_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/durable"
)

func fill(b *testing.B, held int, o durable.Options) (*durable.Timers, []durable.ID) {
	ctx := context.Background()
	timers, err := durable.Open(ctx, o)
	require.NoError(b, err)
	ids := make([]durable.ID, held)
	receipts := make([]*durable.Receipt, held)
	for i := range ids {
		receipts[i], err = timers.ScheduleAsync(time.Now().Add(time.Hour+time.Duration(i)*time.Millisecond), "x", []byte("payload"))
		require.NoError(b, err)
		ids[i] = receipts[i].ID()
	}
	for _, r := range receipts {
		_, err := r.Wait(ctx)
		require.NoError(b, err)
	}
	b.Cleanup(func() { timers.Close(ctx) })
	return timers, ids
}

func BenchmarkOps(b *testing.B) {
	ctx := context.Background()
	timers, ids := fill(b, 100000, durable.Options{Dir: b.TempDir()})
	b.Run("ack", func(b *testing.B) {
		for range b.N {
			_, err := timers.ScheduleAfter(ctx, time.Hour, "x", nil)
			require.NoError(b, err)
		}
	})
	b.Run("chosen", func(b *testing.B) {
		for range b.N {
			_, err := timers.ScheduleAfter(ctx, time.Hour, "x", nil, durable.WithID("c"+durable.ID(time.Now().String())))
			require.NoError(b, err)
		}
	})
	b.Run("async", func(b *testing.B) {
		var last *durable.Receipt
		for range b.N {
			r, err := timers.ScheduleAsync(time.Now().Add(time.Hour), "x", nil)
			require.NoError(b, err)
			last = r
		}
		last.Wait(ctx)
	})
	b.Run("get", func(b *testing.B) {
		for i := range b.N {
			_, err := timers.Get(ctx, ids[i*7919%len(ids)])
			require.NoError(b, err)
		}
	})
	b.Run("reset", func(b *testing.B) {
		for i := range b.N {
			ok, err := timers.Reset(ctx, ids[i*7919%50000], time.Now().Add(time.Hour))
			require.NoError(b, err)
			require.True(b, ok)
		}
	})
	i := 0
	b.Run("cancel", func(b *testing.B) {
		for range b.N {
			ok, err := timers.Cancel(ctx, ids[50000+i*7919%50000])
			require.NoError(b, err)
			_ = ok
			i++
		}
	})
	b.Run("cancel-reset", func(b *testing.B) {
		for j := range b.N {
			_, err := timers.Cancel(ctx, ids[j*7919%50000])
			require.NoError(b, err)
		}
	})
}
