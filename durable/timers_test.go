package durable

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/lists"
	"schedbench/internal/must"
)

func TestTimersRunOnTimeOrNotAtAll(t *testing.T) {
	onBoth(t, func(t *testing.T, where string) {
		var j journal
		timers := runs(t, where, Options{}, j.run, Policy{})
		ctx := t.Context()
		for i := range 10 {
			require.False(t, must.Get(timers.Schedule(ctx, New{Kind: "a", ID: fmt.Sprint("id-", i), At: in(200 * time.Millisecond), Payload: []byte{byte(i)}}))(t).Existed)
		}
		require.Equal(t, Scheduled{ID: "id-1", Existed: true}, must.Get(timers.Schedule(ctx, New{Kind: "a", ID: "id-1", At: in(time.Hour)}))(t))
		require.True(t, must.Get(timers.Cancel(ctx, "id-1"))(t))
		require.True(t, must.Get(timers.Reset(ctx, "id-2", in(time.Hour)))(t))
		must.Get(timers.Schedule(ctx, New{Kind: "a", ID: "id-3", At: time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC), Replace: true}))(t)
		must.Get(timers.Schedule(ctx, New{Kind: "a", ID: "long ago", At: time.Date(1500, 1, 1, 0, 0, 0, 0, time.UTC)}))(t)
		eventually(t, func() bool { return j.len() == 8 })
		time.Sleep(20 * time.Millisecond)
		j.requireNoneEarly(t)
		require.ElementsMatch(t, []string{"id-0", "id-4", "id-5", "id-6", "id-7", "id-8", "id-9", "long ago"}, j.ids())
		eventually(t, func() bool { n, err := timers.Count(ctx); return err == nil && n == 2 })

		require.False(t, must.Get(timers.Cancel(ctx, "id-0"))(t), "it has run")
		require.True(t, must.Get(timers.Reset(ctx, "id-2", in(0)))(t))
		eventually(t, func() bool { return j.len() == 9 })
		require.Equal(t, 1, j.tasks[8].Attempt)
		require.Equal(t, Waiting, must.Get(timers.Get(ctx, "id-3"))(t).State)
		_, err := timers.Get(ctx, "id-0")
		require.ErrorIs(t, err, ErrNotFound)
		require.NoError(t, closeNow(timers))
		require.ErrorIs(t, closeNow(timers), ErrClosed)
		_, err = timers.Get(ctx, "id-3")
		require.ErrorIs(t, err, ErrClosed)
	})
}

func TestTasksThatFail(t *testing.T) {
	onBoth(t, func(t *testing.T, where string) {
		var j journal
		timers := runs(t, where, Options{}, func(ctx context.Context, task Task) error {
			_ = j.run(ctx, task)
			switch {
			case task.ID == "panics":
				panic("no")
			case task.ID == "never":
				return NoRetry(errors.New("no use\x00"))
			case task.ID == "later" && task.Attempt < 4:
				return RetryIn(time.Millisecond, errors.New("not yet"))
			case task.ID == "once" && task.Failed < 1:
				return errors.New("once")
			}
			return nil
		}, Policy{Attempts: 3, Backoff: func(int) time.Duration { return time.Millisecond }})
		ctx := t.Context()
		for _, id := range []string{"panics", "never", "later", "once"} {
			must.Get(timers.Schedule(ctx, New{Kind: "a", ID: id, At: in(0), Payload: []byte(id)}))(t)
		}
		empties(t, timers)
		require.Equal(t, 3+1+4+2, j.len())
		dead, after, err := timers.Dead(ctx, Page{}, 1)
		require.NoError(t, err)
		more, _, err := timers.Dead(ctx, after, 10)
		require.NoError(t, err)
		dead = append(dead, more...)
		require.Len(t, dead, 2)
		for _, d := range dead {
			require.Equal(t, []byte(d.ID), d.Payload)
			require.Equal(t, Dead, d.State)
			require.WithinDuration(t, time.Now(), d.Died, time.Minute)
			if d.ID == "never" {
				require.Equal(t, "no use", d.Reason)
				require.NoError(t, timers.Requeue(ctx, d.Token))
				require.ErrorIs(t, timers.Requeue(ctx, d.Token), ErrNotFound)
			}
		}
		eventually(t, func() bool { return j.len() == 11 })
		eventually(t, func() bool { return timers.Health().Dead == 3 })
		require.EqualValues(t, 2+3+1, timers.Health().Retried)
		require.EqualValues(t, 2, timers.Health().Completed)
	})
}

func TestListHasPages(t *testing.T) {
	onBoth(t, func(t *testing.T, where string) {
		timers := open(t, where, Options{})
		var all []New
		for i := range 10 {
			all = append(all, New{Kind: "a", ID: fmt.Sprint(i), At: in(time.Hour + time.Duration(i)*time.Minute)})
		}
		must.Get(timers.ScheduleBatch(t.Context(), append(all, New{Kind: "b", At: in(time.Hour)})))(t)
		f := Filter{Kind: "a", Limit: 4, To: all[9].At}
		var ids []string
		for n := 4; n == 4; {
			var got []Timer
			var err error
			got, f.After, err = timers.List(t.Context(), f)
			require.NoError(t, err)
			ids = append(ids, lists.Each(got, func(timer Timer) string { return timer.ID })...)
			n = len(got)
		}
		require.Equal(t, "012345678", strings.Join(ids, ""))
	})
}

// Timers that are far wait in slots, are brought near in time, and run at their instants.
func TestFarTimersComeNear(t *testing.T) {
	onBoth(t, func(t *testing.T, where string) {
		var j journal
		now := j.now
		timers := runs(t, where, Options{Now: now, Lead: 20 * time.Millisecond, Lease: 80 * time.Millisecond}, j.run, Policy{})
		random := rand.New(rand.NewPCG(1, 1))
		all := make([]New, 3*chunk)
		for i := range all {
			after := time.Duration(random.Int64N(int64(time.Minute)<<random.IntN(16))) + time.Minute
			all[i] = New{Kind: "a", ID: fmt.Sprint(i), At: now().Add(after)}
			due, wake := all[i].At.UnixNano(), timers.wake(all[i].At.UnixNano())
			if after < farAway {
				require.Equal(t, due, wake)
			} else {
				slot := wake - math.MinInt64
				require.Greater(t, slot, timers.now())
				require.Less(t, slot, due-int64(longestLease))
			}
		}
		must.Get(timers.ScheduleBatch(t.Context(), all))(t)
		require.True(t, must.Get(timers.Reset(t.Context(), "0", now().Add(10*24*time.Hour)))(t))
		all[0].At = now().Add(10 * 24 * time.Hour)
		for _, d := range []time.Duration{time.Hour, 10 * time.Hour, 9 * 24 * time.Hour, 99 * 24 * time.Hour} {
			j.jump(d) // leases end, and what runs may begin again
			due := 0
			for _, n := range all {
				if n.At.Before(time.Now().Add(d)) {
					due++
				}
			}
			eventually(t, func() bool { return j.distinct() >= due })
			require.Less(t, j.distinct(), due+10, "what has come meanwhile")
		}
		j.requireNoneEarly(t)
	})
}

// Odd IDs work or are refused, and harm nothing.
func TestOddNames(t *testing.T) {
	onBoth(t, func(t *testing.T, where string) {
		timers := open(t, where, Options{})
		good := []string{" ", "a b", "%", "'", "\"", ";", "--", "*", ">", ".", "..", "/", "\\", "\n", "\t", "é", "日本", "🕐", "\u202e", "$1", "?1", "NULL", "a\u0000b"[:1], strings.Repeat("x", MaxID)}
		for _, id := range good {
			require.False(t, must.Get(timers.Schedule(t.Context(), New{Kind: "a", ID: id, At: in(time.Hour)}))(t).Existed, "%q", id)
			require.True(t, must.Get(timers.Reset(t.Context(), id, in(2*time.Hour)))(t))
			require.Equal(t, id, must.Get(timers.Get(t.Context(), id))(t).ID)
		}
		for _, id := range []string{"", "a\x00", "\xff", strings.Repeat("x", MaxID+1), strings.Repeat("x", 3000), strings.Repeat("x", 1<<20)} {
			_, err := timers.Cancel(t.Context(), id)
			require.ErrorIs(t, err, ErrID)
			_, err = timers.Get(t.Context(), id)
			require.ErrorIs(t, err, ErrID)
			_, err = timers.Reset(t.Context(), id, in(0))
			require.ErrorIs(t, err, ErrID)
			if id != "" {
				_, err = timers.Schedule(t.Context(), New{Kind: "a", ID: id})
				require.ErrorIs(t, err, ErrID)
			}
			_, err = timers.Schedule(t.Context(), New{Kind: id})
			require.ErrorIs(t, err, ErrKind)
		}
		require.NoError(t, timers.Register("a", func(context.Context, Task) error { return nil }, Policy{}))
		require.NoError(t, timers.Start(t.Context()))
		_, err := timers.ScheduleBatch(t.Context(), []New{{Kind: "a", At: in(time.Second)}, {Kind: "a", Payload: make([]byte, MaxPayload+1)}})
		require.ErrorIs(t, err, ErrPayload)
		require.Zero(t, timers.Health().Near, "nothing of the batch is held")
		for _, id := range good {
			require.True(t, must.Get(timers.Cancel(t.Context(), id))(t), "%q", id)
		}
	})
}

// A program can test its timers in a bubble of testing/synctest, where hours take no time.
func TestTimersInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timers := must.Get(Open(t.Context(), file(t), Options{}))(t)
		var j journal
		require.NoError(t, timers.Register("a", j.run, Policy{}))
		require.NoError(t, timers.Start(t.Context()))
		must.Get(timers.Schedule(t.Context(), New{Kind: "a", At: in(30 * time.Minute)}))(t)
		time.Sleep(30*time.Minute - time.Nanosecond)
		synctest.Wait()
		require.Zero(t, j.len())
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, 1, j.len())
		require.NoError(t, timers.Close(t.Context()))
	})
}
