package driver_test

import (
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

func TestSkipToNextIsIdle(t *testing.T) {
	const pending = 10_000
	live(t, func(t *testing.T, s variant) {
		if s.horizon > 0 && s.horizon < 2*time.Hour || s.name == "plain" || s.name == "listsched" {
			t.Skip("not made for this many so far ahead")
		}
		d := s.start(t)
		for range pending {
			after(t, d, time.Hour+rand.N(time.Minute), nothing)
		}
		synctest.Wait()
		before := d.Stats().Wakeups
		pass(time.Hour - time.Second)
		idle := d.Stats().Wakeups - before
		if s.cascades {
			require.LessOrEqual(t, idle, uint64(1000))
		} else {
			require.Zero(t, idle)
		}
		require.Equal(t, pending, d.Len())
	})
}

func TestEarlierDeadlineInterruptsTheSleep(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t)
		synctest.Wait()
		began := time.Now()
		var fired []time.Duration
		note := func() { fired = append(fired, time.Since(began)) }
		for _, delay := range []time.Duration{9, 5, 1, 7} {
			after(t, d, delay*time.Second, note)
			synctest.Wait()
		}
		if !s.cascades {
			require.Equal(t, uint64(2), d.Stats().Kicks, "the first starts the worker, the fourth is not the earliest")
		}
		pass(10 * time.Second)
		require.Equal(t, []time.Duration{1e9, 5e9, 7e9, 9e9}, fired)
	})
}

// Of two deadlines in one tick the earlier needs no earlier waking.
func TestSameTickDoesNotKick(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		if s.tick < 10 || s.cascades {
			t.Skip("no ticks to share")
		}
		d := s.start(t)
		after(t, d, s.tick*2-1, nothing)
		synctest.Wait()
		kicks := d.Stats().Kicks
		after(t, d, s.tick+1, nothing)
		after(t, d, s.tick*2, nothing)
		require.Equal(t, kicks, d.Stats().Kicks)
		pass(s.tick * 2)
		require.Equal(t, uint64(3), d.Stats().Fired)
	})
}

func TestStopAndLaterResetDoNotWake(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t)
		timers := many(t, d, 100, time.Second)
		synctest.Wait()
		before := d.Stats().Wakeups
		for i, timer := range timers {
			if i%2 == 0 {
				require.True(t, timer.Stop())
			} else {
				require.True(t, reset(t, timer, 2*time.Second))
			}
		}
		synctest.Wait()
		require.Equal(t, before, d.Stats().Wakeups)
		pass(2 * time.Second)
		require.Equal(t, uint64(50), d.Stats().Fired)
	})
}

func TestFixedTickWakesEveryTick(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		d := s.start(t, driver.WithWaking(driver.FixedTick(time.Millisecond)))
		pass(time.Second)
		require.Zero(t, d.Stats().Wakeups, "the worker starts with the first timer")
		after(t, d, time.Minute, nothing)
		pass(time.Second)
		require.Equal(t, uint64(1000), d.Stats().Wakeups)
		require.Zero(t, d.Stats().Kicks)
	})
}

// A slow task makes the worker late. It makes up for the missed ticks at once and is back on the multiples afterwards.
func TestFixedTickCatchesUp(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		if s.few {
			t.Skip("more timers than it takes up")
		}
		d := s.start(t, driver.WithWaking(driver.FixedTick(10*ms)))
		began := time.Now()
		type run struct{ delay, at time.Duration }
		var fired []run
		after(t, d, 10*ms, func() { time.Sleep(35 * ms) })
		for _, delay := range []time.Duration{60, 40, 30, 50, 20} {
			after(t, d, delay*ms, func() { fired = append(fired, run{delay, time.Since(began) / ms}) })
		}
		pass(time.Second)
		require.Equal(t, []run{{20, 45}, {30, 45}, {40, 45}, {50, 50}, {60, 60}}, fired)
		require.Equal(t, uint64(100-3), d.Stats().Wakeups)
	})
}

// TestSkipAtLeastSleepsSoLong has timers come in a stream: they come out in batches, and none is
// late by as much as a sleep.
func TestSkipAtLeastSleepsSoLong(t *testing.T) {
	const least = 250 * time.Millisecond
	live(t, func(t *testing.T, s variant) {
		d := s.start(t, driver.WithWaking(driver.SkipAtLeast(least)))
		began := time.Now()
		fired := 0
		for i := range 100 {
			due := time.Since(began) + time.Duration(i%7)*10*time.Millisecond
			after(t, d, due-time.Since(began), func() {
				fired++
				late := time.Since(began) - due
				require.True(t, late >= 0 && late <= least+s.tick, "late by %v", late)
			})
			pass(10 * time.Millisecond)
		}
		pass(time.Second)
		require.Equal(t, 100, fired)
		st := d.Stats()
		require.LessOrEqual(t, st.Kicks, uint64(2+3), "%+v", st) // 3 for the other shards: each may sleep until then
		if !strings.HasSuffix(s.name, "-queued") {               // which moves few at a time, and the rest at once
			require.LessOrEqual(t, st.Wakeups, uint64(2+2*time.Second/least), "%+v", st)
		}
	})
}

// Several goroutines make, each at once, ever earlier deadlines while the worker sleeps or is about to. In virtual time
// a timer for which it is not woken fires later than it should.
func TestWakesForEarlier(t *testing.T) {
	const goroutines, each, rounds = 8, 8, 100
	live(t, func(t *testing.T, s variant) {
		d := s.start(t)
		after(t, d, time.Minute, nothing)
		for range rounds {
			began := time.Now()
			offset := time.Duration(time.Now().UnixNano()) % s.tick
			var group sync.WaitGroup
			var fired atomic.Int64
			for g := range goroutines {
				group.Go(func() {
					for i := range each {
						delay := time.Duration(each-i)*10*time.Millisecond - time.Duration(g) - offset
						d.AfterFunc(delay, func() {
							if late := time.Since(began) - delay; late < 0 || late >= s.tick {
								t.Errorf("%v late", late)
							}
							fired.Add(1)
						})
					}
				})
			}
			group.Wait()
			if rand.N(2) == 0 {
				synctest.Wait()
			}
			pass(each*10*time.Millisecond + s.tick)
			require.Equal(t, int64(goroutines*each), fired.Load())
		}
	})
}

// roundingDown is early by less than its tick.
type roundingDown struct {
	*heapsched.Heap[driver.Task]
	tick time.Duration
}

func (s roundingDown) Schedule(deadline time.Duration, task driver.Task) (schedulers.ID, error) {
	return s.Heap.Schedule(deadline-deadline%s.tick, task)
}

func (s roundingDown) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	return s.Heap.Reset(id, deadline-deadline%s.tick)
}

// A task that a scheduler hands out early does not begin before its deadline. The worker is busy until then, so the
// clock is the real one.
func TestEarlySchedulerRunsNoTaskEarly(t *testing.T) {
	const n = 20
	d := start(t, roundingDown{heapsched.New[driver.Task](), 10 * time.Millisecond})
	early := make(chan time.Duration, n)
	for i := range n {
		deadline := d.Now() + time.Duration(i)*time.Millisecond
		must.Get(d.AtFunc(deadline, func() { early <- deadline - d.Now() }))(t)
	}
	for range n {
		require.LessOrEqual(t, <-early, time.Duration(0))
	}
}
