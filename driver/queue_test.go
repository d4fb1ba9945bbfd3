package driver_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
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

// With a fixed tick each tick takes up so many new timers and no more, without those that were stopped. A worker that
// is late moves as many as it would have in the ticks that it has missed.
func TestPerWakeupWithFixedTick(t *testing.T) {
	for name, c := range map[string]struct {
		busy  time.Duration // the first task
		stops []int
		want  map[time.Duration]int
	}{
		"in time": {0, []int{1, 4}, map[time.Duration]int{20 * ms: 3, 30 * ms: 3, 40 * ms: 2}},
		"late":    {35 * ms, nil, map[time.Duration]int{35 * ms: 9, 40 * ms: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := startQueued(t, newPlain(), 3, driver.WithWaking(driver.FixedTick(10*ms)))
				after(t, d, 0, func() { time.Sleep(c.busy) })
				pass(15 * ms)
				fired := map[time.Duration]int{}
				for i := range 10 {
					timer := after(t, d, 0, func() { fired[d.Now()]++ })
					if slices.Contains(c.stops, i) {
						require.True(t, timer.Stop())
					}
				}
				pass(time.Second)
				require.Equal(t, c.want, fired)
			})
		})
	}
}

// With SkipToNext the worker comes back at once for the rest. Timers of one instant that one goroutine makes begin in
// that order, if the scheduler keeps it.
func TestPerWakeupWithSkipToNext(t *testing.T) {
	for _, k := range []int{0, 1, 7, 100} {
		synctest.Test(t, func(t *testing.T) {
			s := newCounting()
			d := startQueued(t, s, k)
			var fired []int
			for i := range 1000 {
				if after(t, d, time.Second, func() { fired = append(fired, i) }); i%100 == 0 {
					synctest.Wait()
				}
			}
			pass(time.Second)
			require.Len(t, fired, 1000)
			require.IsIncreasing(t, fired)
			if k > 0 {
				require.LessOrEqual(t, slices.Max(s.perWakeup), k)
			}
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

// A scheduler without a method Horizon refuses too late to be asked, also the new deadline of a timer that is
// reset. The timer is dropped, and that is reported.
func TestQueuedRefusedLate(t *testing.T) {
	for _, moved := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var log logged
			d := startQueued(t, newPlainWithin(time.Second), 0, driver.WithMaxPending(3), driver.WithLogger(log.logger()))
			pass(time.Minute)
			fired := false
			after(t, d, time.Second, func() { fired = true }) // the clock has to be moved for this one
			synctest.Wait()
			delay := 2 * time.Second
			if moved {
				delay = time.Second
			}
			far := after(t, d, delay, func() { t.Error("ran though refused") })
			synctest.Wait()
			if moved {
				require.True(t, reset(t, far, 2*time.Second))
			}
			require.Equal(t, driver.IsPending, far.State(), "it waits in the queue")
			after(t, d, ms, nothing) // wakes the worker
			synctest.Wait()
			require.Equal(t, driver.Cancelled, far.State())
			require.False(t, far.Stop())
			require.Contains(t, log.String(), schedulers.ErrBeyondHorizon.Error())
			st := d.Stats()
			require.Equal(t, []uint64{2, 3, 1}, []uint64{uint64(st.Pending), st.Scheduled, st.Rejected})
			after(t, d, time.Second, nothing) // there is room again
			pass(time.Minute)
			require.True(t, fired)
			require.Equal(t, uint64(3), d.Stats().Fired)
		})
	}
}

// One that repeats gives up its room when it is stopped, refused or not.
func TestQueuedRepeatingRefusedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		d := startQueued(t, newPlainWithin(time.Second), 0, driver.WithMaxPending(1), driver.WithLogger(log.logger()))
		r := every(t, d, false, time.Minute, nothing)
		synctest.Wait()
		require.NotEmpty(t, log.String())
		for range 2 {
			_, err := d.AfterFunc(0, nothing)
			require.ErrorIs(t, err, driver.ErrMaxPending)
			if r.Stop() {
				after(t, d, time.Second, nothing)
			}
		}
		require.Equal(t, 1, d.Len())
	})
}

const mostHeld = 4096 // beyond as many as are pending

// However many timers are made and stopped while the worker sleeps, or may not
// move more, not many more records are held than are pending.
func TestQueuedMemoryIsBounded(t *testing.T) {
	const pending, together = 1000, 1000
	for name, waking := range map[string]driver.Waking{"skip": driver.SkipToNext{}, "fixed": driver.FixedTick(time.Hour)} {
		for k, rounds := range map[int]int{0: 200, 1: 100} { // 200,000 timers at most
			t.Run(fmt.Sprintf("%s/k=%d", name, k), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := startQueued(t, heapsched.New[driver.Task](), k, driver.WithWaking(waking))
					many(t, d, pending, 2*time.Hour)
					for range rounds {
						for range together {
							require.True(t, after(t, d, 3*time.Hour, nothing).Stop())
						}
						synctest.Wait()
					}
					require.Equal(t, pending, d.Len())
					require.LessOrEqual(t, driver.Records(d), 2*pending+mostHeld+together+1024)
					if name == "fixed" {
						require.Less(t, d.Stats().Wakeups, uint64(rounds*together/mostHeld*2), "stale places go together, whatever k is")
					}
					if k == 0 {
						// Kicks, since a worker that is awake while more comes in looks again, however often.
						require.Less(t, d.Stats().Kicks, uint64(rounds*together/mostHeld*2))
					}
				})
			})
		}
	}
}

// What is stopped in the scheduler leaves it when that is too much, though the worker has nothing else to do.
func TestQueuedSchedulerIsCleared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, together = 10_000, 1000
		s := newCounting()
		d := startQueued(t, s, 0)
		timers := many(t, d, n, 2*time.Hour)
		after(t, d, time.Hour, nothing) // has all moved
		synctest.Wait()
		require.Equal(t, [3]int{n + 1, 0, n + 1}, s.counts())
		before := d.Stats().Wakeups
		for i, timer := range timers {
			if require.True(t, timer.Stop()); i%together == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		require.LessOrEqual(t, s.counts()[2], mostHeld+together+2)
		require.LessOrEqual(t, d.Stats().Wakeups-before, uint64(n/mostHeld))
	})
}
