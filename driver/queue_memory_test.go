package driver_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
)

const mostHeld = 4096 // beyond as many as are pending

// However many timers are made and stopped while the worker sleeps, or may not
// move more, not many more records are held than are pending.
func TestQueuedMemoryIsBounded(t *testing.T) {
	const pending, together = 1000, 1000
	for name, waking := range map[string]driver.Waking{
		"skip": driver.SkipToNext{}, "fixed": driver.FixedTick(time.Hour),
	} {
		for k, rounds := range map[int]int{0: 200, 1: 100} { // 200,000 timers at most
			t.Run(fmt.Sprintf("%s/k=%d", name, k), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := startQueued(t, heapsched.New[driver.Task](), k, driver.WithWaking(waking))
					for range pending {
						after(t, d, 2*time.Hour, nothing)
					}
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

// What is stopped in the scheduler leaves it when that is too much, though the
// worker has nothing else to do.
func TestQueuedSchedulerIsCleared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, together = 10_000, 1000
		s := newCounting()
		d := startQueued(t, s, 0)
		timers := make([]driver.Timer, n)
		for i := range timers {
			timers[i] = after(t, d, 2*time.Hour, nothing)
		}
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

// Once there are as many records as it takes, nothing allocates.
func TestQueuedAllocatesNothing(t *testing.T) {
	for _, s := range subjects() {
		if _, ok := s.inbox.(driver.Queued); !ok {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := s.start(t)
				for range 20_000 { // so that the scheduler's memory is steady too
					after(t, d, 10*time.Minute, nothing)
				}
				work := func() {
					for i := range 5000 {
						timer, _ := d.AfterFunc(time.Duration(1+i%3)*time.Millisecond, nothing)
						if i%3 > 0 {
							timer.ResetPending(2 * time.Millisecond)
						}
						if i%3 > 1 {
							timer.Stop()
						}
						if i%100 == 0 {
							synctest.Wait()
						}
					}
					pass(10 * time.Millisecond)
				}
				for range 5 {
					work()
				}
				records := driver.Records(d)
				require.Zero(t, testing.AllocsPerRun(10, work))
				require.Equal(t, records, driver.Records(d))
			})
		})
	}
}
