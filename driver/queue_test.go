package driver_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/schedulers"
)

// startQueued starts a driver of s behind a Queued inbox.
func startQueued(t *testing.T, s schedulers.Scheduler[driver.Task], perWakeup int, opts ...driver.Option) *driver.Driver {
	t.Helper()
	return start(t, s, append(opts, driver.WithInbox(driver.Queued{PerWakeup: perWakeup}))...)
}

// counting notes what the worker asks of a scheduler.
type counting struct {
	mu sync.Mutex // protects what follows
	*plain
	calls, cancels int
	perWakeup      []int // calls of Schedule between one Expire and another
}

func (c *counting) Schedule(deadline time.Duration, task driver.Task) (schedulers.ID, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	c.perWakeup[len(c.perWakeup)-1]++
	return c.plain.Schedule(deadline, task)
}

func (c *counting) Cancel(id schedulers.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancels++
	return c.plain.Cancel(id)
}

func (c *counting) Expire(now time.Duration, due []driver.Task) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.perWakeup = append(c.perWakeup, 0)
	return c.plain.Expire(now, due)
}

// counts returns the calls of Schedule and of Cancel, and what is pending.
func (c *counting) counts() [3]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return [3]int{c.calls, c.cancels, c.plain.Len()}
}

func newCounting() *counting { return &counting{plain: newPlain(), perWakeup: []int{0}} }

func TestQueuedRefuses(t *testing.T) {
	_, err := driver.Start(newPlain(), driver.WithInbox(driver.Queued{PerWakeup: -1}))
	require.ErrorIs(t, err, driver.ErrOption)
	require.ErrorContains(t, err, "-1 timers")
	_, err = driver.Start(nil, driver.WithInbox(driver.Queued{}))
	require.ErrorIs(t, err, driver.ErrScheduler)
}

// With a fixed tick each tick takes up so many new timers and no more.
func TestPerWakeupWithFixedTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startQueued(t, newPlain(), 3, driver.WithWaking(driver.FixedTick(10*time.Millisecond)))
		after(t, d, time.Hour, nothing) // so that the worker runs
		pass(5 * time.Millisecond)
		began := time.Now()
		var fired []time.Duration
		for i := range 10 {
			timer := after(t, d, 0, func() { fired = append(fired, time.Since(began)) })
			if i == 1 || i == 4 { // what is stopped meanwhile does not count
				require.True(t, timer.Stop())
			}
		}
		pass(time.Second)
		const ms = time.Millisecond
		require.Equal(t, []time.Duration{5 * ms, 5 * ms, 5 * ms, 15 * ms, 15 * ms, 15 * ms, 25 * ms, 25 * ms}, fired)
	})
}

// A worker that is late moves as many as it would have in the ticks that it has missed, and the rest
// with the next.
func TestPerWakeupOfMissedTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startQueued(t, newPlain(), 3, driver.WithWaking(driver.FixedTick(10*time.Millisecond)))
		began := time.Now()
		after(t, d, 0, func() { time.Sleep(35 * time.Millisecond) })
		pass(15 * time.Millisecond)
		fired := map[time.Duration]int{}
		for range 10 {
			after(t, d, 0, func() { fired[time.Since(began)]++ })
		}
		pass(time.Second)
		const ms = time.Millisecond
		require.Equal(t, map[time.Duration]int{35 * ms: 9, 40 * ms: 1}, fired)
	})
}

// With SkipToNext the worker comes back at once for the rest.
func TestPerWakeupWithSkipToNext(t *testing.T) {
	for _, k := range []int{1, 3, 100} {
		synctest.Test(t, func(t *testing.T) {
			s := newCounting()
			d := startQueued(t, s, k)
			fired := 0
			for range 1000 {
				after(t, d, time.Second, func() { fired++ })
			}
			pass(time.Second)
			require.Equal(t, 1000, fired)
			for _, n := range s.perWakeup {
				require.LessOrEqual(t, n, k)
			}
		})
	}
}

// Timers of one instant that one goroutine makes begin in that order, if the
// scheduler keeps it.
func TestQueuedKeepsTheOrder(t *testing.T) {
	for _, k := range []int{0, 1, 7} {
		synctest.Test(t, func(t *testing.T) {
			d := startQueued(t, newPlain(), k)
			var fired []int
			for i := range 1000 {
				if after(t, d, time.Second, func() { fired = append(fired, i) }); i%100 == 0 {
					synctest.Wait()
				}
			}
			pass(time.Second)
			require.Len(t, fired, 1000)
			require.IsIncreasing(t, fired)
		})
	}
}

// What is stopped before it was moved never gets into the scheduler; what is
// stopped later leaves it with the next wake-up, without one of its own.
func TestQueuedStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newCounting()
		d := startQueued(t, s, 0)
		moved := after(t, d, time.Hour, nothing)
		synctest.Wait()
		after(t, d, time.Second, nothing)
		synctest.Wait()
		before := d.Stats()
		for range 100 {
			require.True(t, after(t, d, time.Hour, nothing).Stop())
		}
		require.True(t, moved.Stop())
		synctest.Wait()
		require.Equal(t, before.Wakeups, d.Stats().Wakeups)
		require.Equal(t, [3]int{2, 0, 2}, s.counts())
		require.Equal(t, 1, d.Len())
		pass(time.Second)
		require.Equal(t, [3]int{2, 1, 0}, s.counts())
	})
}

// A scheduler that does not tell its horizon refuses too late to be asked. The
// timer is dropped, and that is reported.
func TestQueuedRefusedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		d := startQueued(t, &plain{horizon: time.Second}, 0, driver.WithMaxPending(3), driver.WithLogger(log.logger()))
		pass(time.Minute)
		fired := false
		after(t, d, time.Second, func() { fired = true }) // the clock has to be moved for this one
		synctest.Wait()
		far := after(t, d, 2*time.Second, func() { t.Error("ran though refused") })
		synctest.Wait()
		require.Equal(t, driver.IsPending, far.State(), "it waits in the queue")
		after(t, d, time.Millisecond, nothing) // wakes the worker
		synctest.Wait()
		require.Equal(t, driver.Cancelled, far.State())
		require.False(t, far.Stop())
		require.Equal(t, 2, d.Len())
		require.Contains(t, log.String(), schedulers.ErrBeyondHorizon.Error())
		require.Equal(t, driver.Stats{Pending: 2, Wakeups: 1, Kicks: 1, Scheduled: 3, Rejected: 1}, d.Stats())
		after(t, d, time.Second, nothing) // there is room again
		pass(time.Second)
		require.True(t, fired)
		require.Equal(t, uint64(3), d.Stats().Fired)
	})
}

// A timer that was reset to a deadline that the scheduler refuses later is lost.
func TestQueuedResetRefusedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		d := startQueued(t, &plain{horizon: time.Second}, 0, driver.WithLogger(log.logger()))
		far := after(t, d, time.Second, func() { t.Error("ran though refused") })
		synctest.Wait()
		require.True(t, reset(t, far, 2*time.Second))
		require.Equal(t, driver.IsPending, far.State())
		after(t, d, time.Millisecond, nothing) // wakes the worker
		synctest.Wait()
		require.Equal(t, driver.Cancelled, far.State())
		require.False(t, far.Stop())
		require.Contains(t, log.String(), schedulers.ErrBeyondHorizon.Error())
		require.Equal(t, uint64(1), d.Stats().Rejected)
		pass(time.Minute)
	})
}

// One that repeats gives up its room when it is stopped, refused or not.
func TestQueuedRepeatingRefusedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		d := startQueued(t, &plain{horizon: time.Second}, 0, driver.WithMaxPending(1), driver.WithLogger(log.logger()))
		r, err := d.Every(time.Minute, nothing)
		require.NoError(t, err)
		synctest.Wait()
		require.NotEmpty(t, log.String())
		_, err = d.AfterFunc(0, nothing)
		require.ErrorIs(t, err, driver.ErrMaxPending)
		require.True(t, r.Stop())
		after(t, d, time.Second, nothing)
		_, err = d.AfterFunc(0, nothing)
		require.ErrorIs(t, err, driver.ErrMaxPending)
	})
}

// A scheduler that tells its horizon never refuses late, however long the worker
// slept or with what tick.
func TestQueuedHorizonIsExact(t *testing.T) {
	for _, s := range subjects() {
		if s.name != "singlewheel-queued" {
			continue
		}
		for _, waking := range []driver.Waking{driver.SkipToNext{}, driver.FixedTick(s.tick), driver.FixedTick(7 * time.Millisecond)} {
			synctest.Test(t, func(t *testing.T) {
				d := s.start(t, driver.WithWaking(waking))
				locked := start(t, s.make(), driver.WithWaking(waking))
				for range 2000 {
					pass(rand.N(20 * s.tick))
					delay := s.horizon - 2*s.tick + rand.N(4*s.tick)
					one, err := d.AfterFunc(delay, nothing)
					other, lockedErr := locked.AfterFunc(delay, nothing)
					require.Equal(t, lockedErr == nil, err == nil, "%v: %v, %v", delay, err, lockedErr)
					if err != nil {
						require.ErrorIs(t, err, schedulers.ErrBeyondHorizon)
					} else if rand.N(2) == 0 {
						require.True(t, one.Stop())
						require.True(t, other.Stop())
					}
				}
				pass(s.horizon)
				require.Zero(t, d.Stats().Rejected)
				require.Equal(t, locked.Stats().Fired, d.Stats().Fired)
			})
		}
	}
}

// A Queued driver knows states without being asked to, after Close too.
func TestQueuedStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startQueued(t, newPlain(), 0)
		var timers [6]driver.Timer
		for i := range timers {
			timers[i] = after(t, d, time.Duration(1+i%2)*time.Hour, nothing)
			if i < 2 {
				synctest.Wait()
			}
		}
		require.True(t, timers[1].Stop(), "moved")
		require.True(t, timers[3].Stop(), "waiting")
		states := func(want ...driver.State) {
			t.Helper()
			for i, timer := range timers {
				require.Equal(t, want[i], timer.State(), i)
			}
		}
		const p, f, c = driver.IsPending, driver.Fired, driver.Cancelled
		states(p, c, p, c, p, p)
		pass(time.Hour)
		states(f, c, f, c, f, p)
		require.NoError(t, second(d.Close(context.Background())))
		states(f, c, f, c, f, c)
	})
}

// All needs nothing of the scheduler.
func TestQueuedAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startQueued(t, newPlain(), 0)
		var found []int
		note := func(i int) func() { return func() { found = append(found, i) } }
		after(t, d, time.Minute, note(0))
		after(t, d, time.Hour, note(1))
		stopped := after(t, d, time.Hour, note(2))
		pass(time.Minute)
		after(t, d, time.Hour, note(3))
		waiting := after(t, d, time.Hour, note(4))
		require.True(t, stopped.Stop())
		require.True(t, waiting.Stop())
		found = nil
		all, err := d.All()
		require.NoError(t, err)
		for _, p := range all {
			p.Func()
			require.True(t, p.Timer.Stop())
		}
		require.ElementsMatch(t, []int{1, 3}, found)
		require.Zero(t, d.Len())
	})
}

// The rest of a batch that the scheduler has handed out outlives a task that
// ends its goroutine.
func TestQueuedSurvivesGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startQueued(t, newPlain(), 0)
		fired := 0
		for range 10 {
			after(t, d, time.Second, runtime.Goexit)
			after(t, d, time.Second, func() { fired++ })
		}
		pass(time.Second)
		require.Equal(t, 10, fired)
		require.Equal(t, uint64(10), d.Stats().Exits)
	})
}

// Close comes first, before any deadline that the scheduler would refuse.
func TestQueuedClosedBeyondHorizon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, s := range subjects() {
			if s.name == "singlewheel-queued" {
				d := s.start(t)
				require.NoError(t, second(d.Close(context.Background())))
				_, err := d.AfterFunc(2*s.horizon, nothing)
				require.ErrorIs(t, err, driver.ErrClosed)
			}
		}
	})
}
