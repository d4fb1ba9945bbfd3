package driver_test

import (
	"runtime"
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

// Timers are due together, and the first that begins stops and resets the others. The worker has taken some of them out of
// the scheduler by then. Each begins once, not before its last deadline, and none that was stopped. Every tenth ends its goroutine.
func TestTimersThatAreDueTogetherChangeEachOther(t *testing.T) {
	live(t, func(t *testing.T, s variant) {
		for _, opts := range [][]driver.Option{nil, {driver.WithAtOnce()}} {
			const n = 300
			d := s.start(t, opts...)
			timers, began, want := make([]driver.Timer, n), make([][]time.Duration, n), make([]time.Duration, n)
			due := 100*time.Millisecond - d.Now()%(100*time.Millisecond) + 100*time.Millisecond
			reset := func(i int, delay time.Duration) {
				ok, err := timers[i].ResetPending(delay)
				require.NoError(t, err)
				require.True(t, ok)
				want[i] = d.Now() + delay
			}
			changes := []func(int){
				func(i int) {
					require.True(t, timers[i].Stop())
					want[i] = -1
				},
				func(i int) { reset(i, 0) },
				func(i int) { reset(i, 10*time.Millisecond) },
				func(i int) { reset(i, 700*time.Millisecond) },
				func(i int) { reset(i, 700*time.Millisecond); reset(i, 10*time.Millisecond) },
				func(int) {},
			}
			first := true
			for i := range timers {
				want[i] = d.Now() + due
				timers[i] = after(t, d, due, func() {
					began[i] = append(began[i], d.Now())
					if first {
						first = false
						for other := range timers {
							if other != i {
								changes[other%len(changes)](other)
							}
						}
					}
					if i%10 == 0 {
						runtime.Goexit()
					}
				})
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			stopped := 0
			for i := range timers {
				if want[i] < 0 {
					stopped++
					require.Empty(t, began[i], "timer %d was stopped", i)
					continue
				}
				require.Len(t, began[i], 1, "timer %d", i)
				require.GreaterOrEqual(t, began[i][0], want[i], "timer %d", i)
				require.LessOrEqual(t, began[i][0], s.rounded(want[i])+s.tick, "timer %d", i)
			}
			require.Zero(t, d.Len())
			require.EqualValues(t, n-stopped, d.Stats().Fired)
		}
	})
}

// A timer is put off while it is due, and others take its room in the scheduler. It begins at its deadline all the same.
func TestATimerWhoseRoomIsTakenBegins(t *testing.T) {
	for tick, want := range map[time.Duration][]time.Duration{
		0:                    {50 * time.Millisecond, 70 * time.Millisecond},
		8 * time.Millisecond: {56 * time.Millisecond, 80 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) { beginsThoughItsRoomIsTaken(t, tick, want) })
	}
}

func beginsThoughItsRoomIsTaken(t *testing.T, tick time.Duration, want []time.Duration) {
	var opts []driver.Option
	mostWakeups := uint64(3)
	if tick > 0 {
		opts, mostWakeups = append(opts, driver.WithWaking(driver.FixedTick(tick))), uint64(time.Second/tick)+1
	}
	d := start(t, &driver.Limited{Heap: heapsched.New[driver.Task](), Most: 2}, opts...)
	const at = 50 * time.Millisecond
	var timers [2]driver.Timer
	var began []time.Duration
	for i := range timers {
		timers[i] = must.Get(d.AtFunc(at, func() {
			if began = append(began, d.Now()); len(began) == 1 {
				require.True(t, must.Get(timers[1-i].ResetPending(20*time.Millisecond))(t))
				after(t, d, time.Hour, func() {})
				after(t, d, time.Hour, func() {})
			}
		}))(t)
	}
	d.Len() // its mutex orders the writes to timers before the tasks
	time.Sleep(time.Second)
	synctest.Wait()
	require.Equal(t, want, began)
	require.Equal(t, 2, d.Len())
	require.LessOrEqual(t, d.Stats().Wakeups, mostWakeups)
}

// calls counts the Expires of a scheduler.
type calls struct {
	schedulers.Scheduler[driver.Task]
	expires atomic.Int64
}

func (c *calls) Expire(now time.Duration, due []driver.Task) int {
	c.expires.Add(1)
	return c.Scheduler.Expire(now, due)
}

// Close returns timers that the worker has taken out of the scheduler, and that have not begun.
func TestWhatIsDueIsTakenInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, begin = 1000, 500
		s, began := &calls{Scheduler: heapsched.New[driver.Task]()}, 0
		d := start(t, s)
		for range n {
			after(t, d, time.Second, func() {
				if began++; began == begin {
					unfired, err := d.CloseNow()
					require.NoError(t, err)
					require.Len(t, unfired, n-begin)
				}
			})
		}
		synctest.Wait()
		before := s.expires.Load()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Equal(t, begin, began)
		require.LessOrEqual(t, s.expires.Load()-before, int64(begin/32+2))
	})
}
