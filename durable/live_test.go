package durable

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// Thousands of timers a second go through the store and the near wheel: each begins once and none early.
func TestManyTimersBeginOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, where string) {
		const rate, seconds = 2000, 2
		var j journal
		timers := runs(t, where, Options{Lead: 500 * time.Millisecond, Lease: 5 * time.Second}, j.run, Policy{})
		begin := in(700 * time.Millisecond)
		for i := 0; i < rate*seconds; i += 100 {
			all := make([]New, 100)
			for k := range all {
				all[k] = New{Kind: "a", At: begin.Add(time.Duration(i+k) * time.Second / rate)}
			}
			must.Get(timers.ScheduleBatch(t.Context(), all))(t)
		}
		empties(t, timers)
		late := slices.Sorted(slices.Values(j.late))
		t.Logf("late: median %v, 99 %% %v, latest %v", late[len(late)/2], late[len(late)*99/100], late[len(late)-1])
		require.Len(t, late, rate*seconds)
		require.Equal(t, rate*seconds, j.distinct())
		j.requireNoneEarly(t)
	})
}

// A transaction of the caller keeps the timer with what else it stores, or neither.
func TestScheduleInATransaction(t *testing.T) {
	onBoth(t, func(t *testing.T, where string) {
		var j journal
		timers := runs(t, where, Options{Lease: 2 * time.Minute}, j.run, Policy{})
		for _, commits := range []bool{false, true} {
			var tx Tx
			var commit, rollback func() error
			if p, is := timers.store.store.(*postgresStore); is {
				begun := must.Get(p.pool.Begin(t.Context()))(t)
				tx = PgxTx{begun}
				commit, rollback = func() error { return begun.Commit(t.Context()) }, func() error { return begun.Rollback(t.Context()) }
			} else {
				begun := must.Get(otherDB(t, where).BeginTx(t.Context(), nil))(t)
				tx, commit, rollback = begun, begun.Commit, begun.Rollback
			}
			require.NotZero(t, must.Get(timers.ScheduleTx(t.Context(), tx, New{Kind: "a", ID: fmt.Sprint(commits), At: in(0)}))(t).Token)
			require.NoError(t, map[bool]func() error{true: commit, false: rollback}[commits]())
		}
		eventually(t, func() bool { return j.len() == 1 })
		require.Equal(t, []string{"true"}, j.ids())
	})
}

// A process that was paused beyond its lease leases its own timers again. Each begins once all the same.
func TestOwnTimersAreLeasedAgain(t *testing.T) {
	var j journal
	end := make(chan struct{})
	timers := runs(t, postgresURL(t), Options{Now: j.now}, func(ctx context.Context, task Task) error {
		defer func() { <-end }()
		return j.run(ctx, task)
	}, Policy{})
	made := must.Get(timers.Schedule(t.Context(), New{Kind: "a", ID: "x", At: in(500 * time.Millisecond)}))(t)
	eventually(t, func() bool { got, err := timers.Get(t.Context(), "x"); return err == nil && got.State == Near })
	j.jump(time.Hour)
	at := timers.now()
	must.Get(timers.leaseKind(timers.kinds["a"]))(t) // unless the worker has just done it
	eventually(t, func() bool {
		timers.mu.Lock()
		defer timers.mu.Unlock()
		return len(timers.held) == 1 && timers.held[made.Token].lease > at
	})
	eventually(t, func() bool { return j.len() == 1 })
	time.Sleep(700 * time.Millisecond)
	require.Equal(t, 1, j.len())
	close(end)
}

// A retry that is leased again before it is left runs again.
func TestLeasedAgainBeforeItIsLeft(t *testing.T) {
	timers := open(t, postgresURL(t), Options{})
	handler := func(context.Context, Task) error { return RetryIn(0, context.Canceled) }
	require.NoError(t, timers.Register("a", handler, Policy{}))
	must.Get(timers.Schedule(t.Context(), New{Kind: "a", ID: "x", At: in(0)}))(t)
	must.Get(timers.leaseKind(timers.kinds["a"]))(t)
	trouble := 0
	require.True(t, timers.tick(&trouble))
	var ended []*held
	eventually(t, func() bool { _, ended = timers.pick(); return len(ended) == 1 })
	require.NoError(t, timers.store.do(t.Context(), timers.outcome(ended[0], timers.now())...))
	must.Get(timers.leaseKind(timers.kinds["a"]))(t)
	timers.mu.Lock()
	timers.leave(ended[0])
	timers.mu.Unlock()
	eventually(t, func() bool { return timers.Health().Due == 1 })
	require.True(t, timers.tick(&trouble))
	require.EqualValues(t, 2, timers.Health().Begun)
}

// What a process left behind in a file is taken up at once, and can be cancelled before.
func TestStartTakesUpWhatRan(t *testing.T) {
	where := file(t)
	first := open(t, where, Options{})
	for _, id := range []string{"x", "y"} {
		made := must.Get(first.Schedule(t.Context(), New{Kind: "a", ID: id, At: in(0)}))(t)
		o := step(first.sql.begin, int64(1), id, made.Token, first.holder, int64(0))
		require.NoError(t, first.store.do(t.Context(), o))
		require.Equal(t, 1, o.n)
		require.False(t, must.Get(first.Cancel(t.Context(), id))(t), "it runs")
	}
	require.NoError(t, closeNow(first))
	var j journal
	timers := open(t, where, Options{Lease: longestLease})
	require.True(t, must.Get(timers.Cancel(t.Context(), "y"))(t))
	require.NoError(t, timers.Register("a", j.run, Policy{}))
	require.NoError(t, timers.Start(t.Context()))
	eventually(t, func() bool { return j.len() == 1 })
	require.Equal(t, 2, j.tasks[0].Attempt)
	timers.troubled("none", new(int), ErrStore)
	wakeUp(timers.look)
	eventually(t, func() bool { return timers.Health().Trouble == nil })
}

// What a killed process of an older version had leased comes when that lease has ended.
func TestLeasesOfAnOlderVersion(t *testing.T) {
	where := file(t)
	first := open(t, where, Options{})
	all := slices.Repeat([]New{{Kind: "a", At: in(-time.Hour)}}, chunk+10)
	must.Get(first.ScheduleBatch(t.Context(), all))(t)
	now := first.now()
	lease := now + int64(100*time.Millisecond)
	o := step(first.sql.claim, int64(1), lease, lease+int64(50*time.Millisecond), "a", now, now, int64(len(all)))
	require.NoError(t, first.store.do(t.Context(), o))
	require.Len(t, o.rows, len(all))
	require.NoError(t, closeNow(first))
	var j journal
	runs(t, where, Options{Lead: 10 * time.Millisecond}, j.run, Policy{})
	eventually(t, func() bool { return j.len() == len(all) })
}

// In a file each timer is found once, and what comes before the last one found, too: without a look at all, half a minute later.
func TestAFileIsLookedThroughOnce(t *testing.T) {
	where := file(t)
	var j journal
	again := atomic.Int64{}
	timers := runs(t, where, Options{Near: 40, Concurrency: 8, Lease: longestLease}, func(ctx context.Context, task Task) error {
		if task.ID == "again" && again.Add(1) < 5 {
			require.Equal(t, []byte("as it was"), task.Payload)
			task.Payload[0] = 'A'
			return RetryIn(50*time.Millisecond, context.Canceled)
		}
		return j.run(ctx, task)
	}, Policy{Attempts: 1})
	begin := time.Now()
	ctx := t.Context()
	far := make([]New, 60) // more than Near: some are found later
	for i := range far {
		far[i] = New{Kind: "a", ID: fmt.Sprint("far-", i), At: in(1500 * time.Millisecond)}
	}
	must.Get(timers.ScheduleBatch(ctx, far))(t)
	eventually(t, func() bool { return timers.Health().Near == 40 })
	for i := range 60 { // before what is held
		must.Get(timers.Schedule(ctx, New{Kind: "a", ID: fmt.Sprint("near-", i), At: in(time.Duration(i) * time.Millisecond)}))(t)
	}
	must.Get(timers.Schedule(ctx, New{Kind: "a", ID: "again", At: in(0), Payload: []byte("as it was")}))(t)
	must.Get(timers.Schedule(ctx, New{Kind: "a", ID: "moved", At: in(time.Hour)}))(t)
	require.True(t, must.Get(timers.Reset(ctx, "moved", in(10*time.Millisecond)))(t))
	tx := must.Get(otherDB(t, where).BeginTx(ctx, nil))(t)
	must.Get(timers.ScheduleTx(ctx, tx, New{Kind: "a", ID: "tx", At: in(0)}))(t)
	time.Sleep(50 * time.Millisecond)
	require.NoError(t, tx.Commit())
	eventually(t, func() bool { return j.len() == 123 })
	require.Less(t, time.Since(begin), longestLease/4)
	j.requireNoneEarly(t)
	require.Equal(t, 123, j.distinct())
}

// A wait beyond all instants does not come round to the past, and one that is over is none.
func TestLongestAndShortestWait(t *testing.T) {
	timers := open(t, file(t), Options{})
	wait := time.Duration(math.MaxInt64)
	h := &held{kind: &kind{Policy: Policy{Attempts: 3, Backoff: func(int) time.Duration { return wait }}}}
	for _, h.err = range []error{RetryIn(math.MaxInt64, context.Canceled), context.Canceled} {
		h.fire = 0
		timers.outcome(h, timers.now())
		require.EqualValues(t, math.MaxInt64, h.fire)
	}
	wait = math.MinInt64
	timers.outcome(h, 1000)
	require.EqualValues(t, 1000, h.fire)
}

// What was far is brought near by parts: meanwhile leases are renewed, and other kinds have their turn.
func TestFarTimersAreBroughtByParts(t *testing.T) {
	now := time.Unix(1e9, 0)
	timers := open(t, file(t), Options{Now: func() time.Time { return now }})
	require.NoError(t, timers.Register("a", func(context.Context, Task) error { return nil }, Policy{}))
	far := New{Kind: "a", At: now.Add(24 * time.Hour)}
	must.Get(timers.ScheduleBatch(t.Context(), slices.Repeat([]New{far}, 2*chunk+1)))(t)
	now = now.Add(23 * time.Hour)
	for _, rest := range []bool{true, true, false} {
		until := must.Get(timers.leaseAll())(t)
		require.Equal(t, rest, timers.kinds["a"].far)
		require.Equal(t, rest, until == timers.now())
	}
}
