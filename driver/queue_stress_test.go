package driver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
)

// eachQueued runs test for every subject that is Queued.
func eachQueued(t *testing.T, test func(t *testing.T, s subject)) {
	for _, s := range subjects() {
		if _, ok := s.inbox.(driver.Queued); ok {
			t.Run(s.name, func(t *testing.T) { test(t, s) })
		}
	}
}

// TestStress with ticks, and with a pool that is often full.
func TestQueuedStress(t *testing.T) {
	eachQueued(t, func(t *testing.T, s subject) {
		for name, opts := range map[string][]driver.Option{
			"fixed": {driver.WithWaking(driver.FixedTick(time.Millisecond))},
			"pool":  {driver.WithRunning(driver.Pool{Workers: 2, Queue: 1, Full: driver.RunInline})},
			"slack": {driver.WithSlack(time.Millisecond), driver.WithStates()},
		} {
			t.Run(name, func(t *testing.T) { stress(t, s, opts...) })
		}
	})
}

// Several goroutines make, each at once, ever earlier deadlines while the worker
// sleeps or is about to. In virtual time a timer for which it is not woken fires
// later than it should.
func TestQueuedWakesForEarlier(t *testing.T) {
	const goroutines, each, rounds = 8, 8, 300
	eachQueued(t, func(t *testing.T, s subject) {
		synctest.Test(t, func(t *testing.T) {
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
	})
}

// In real time each goroutine waits for its timer, with another far ahead. If
// the worker is not woken for one the test does not end.
func TestQueuedWakesForEach(t *testing.T) {
	const goroutines, each = 8, 200
	eachQueued(t, func(t *testing.T, s subject) {
		d := s.start(t)
		after(t, d, 10*time.Minute, nothing)
		var group sync.WaitGroup
		for range goroutines {
			group.Go(func() {
				ran := make(chan struct{}, 1)
				for i := range each {
					timer, err := d.AfterFunc(time.Minute+rand.N(time.Minute), nothing)
					if err != nil {
						t.Error(err)
						return
					}
					delay := rand.N(100 * time.Microsecond)
					if i%2 == 0 {
						d.AfterFunc(delay, func() { ran <- struct{}{} })
					} else {
						again, _ := d.AfterFunc(time.Minute, func() { ran <- struct{}{} })
						again.Reset(delay)
					}
					<-ran
					timer.Stop()
				}
			})
		}
		group.Wait()
		require.Equal(t, uint64(goroutines*each), d.Stats().Fired)
		require.Equal(t, 1, d.Len())
	})
}

// Close against AfterFunc and Reset, with nothing due: every timer that was made
// is returned, once, and none that was refused.
func TestQueuedCloseLosesNothing(t *testing.T) {
	const goroutines, rounds = 8, 50
	eachQueued(t, func(t *testing.T, s subject) {
		for range rounds {
			d := s.start(t)
			var made atomic.Int64
			var found sync.Map
			var group sync.WaitGroup
			for g := range goroutines {
				group.Go(func() {
					var last driver.Timer
					for i := range 500 {
						name := fmt.Sprint(g, ":", i)
						timer, err := d.AfterFunc(time.Minute, func() {
							if _, twice := found.LoadOrStore(name, true); twice {
								t.Error("returned twice:", name)
							}
						})
						if err != nil {
							return
						}
						made.Add(1)
						if i > 0 && rand.N(2) == 0 {
							last.Reset(2 * time.Minute)
						}
						last = timer
					}
				})
			}
			for made.Load() < 100 {
				time.Sleep(10 * time.Microsecond)
			}
			unfired, err := d.Close(context.Background())
			require.NoError(t, err)
			group.Wait()
			require.Len(t, unfired, int(made.Load()))
			for _, u := range unfired {
				u.Func()
			}
			found.Range(func(any, any) bool { made.Add(-1); return true })
			require.Zero(t, made.Load())
			st := d.Stats()
			require.Equal(t, st.Scheduled-st.Stopped, uint64(len(unfired)))
		}
	})
}

// Several goroutines stop and reset the same timers as they come due, while
// another lists them: of what each timer became exactly one is true, and State
// agrees.
func TestQueuedEndsOnce(t *testing.T) {
	const goroutines, timers, rounds = 4, 64, 100
	eachQueued(t, func(t *testing.T, s subject) {
		d := s.start(t, driver.WithRunning(driver.Goroutine{}))
		for range rounds {
			var fired, ended [timers]atomic.Int64
			var all [timers]driver.Timer
			for i := range all {
				all[i] = after(t, d, rand.N(300*time.Microsecond), func() { fired[i].Add(1); ended[i].Add(1) })
			}
			var group sync.WaitGroup
			for range goroutines {
				group.Go(func() {
					for _, i := range rand.Perm(timers) {
						switch rand.N(4) {
						case 0:
							if all[i].Stop() {
								ended[i].Add(1)
							}
						case 1:
							all[i].Reset(rand.N(300 * time.Microsecond))
						case 2:
							if pending, err := d.All(); err == nil {
								for _, p := range pending {
									p.Timer.State()
								}
							}
						}
					}
				})
			}
			group.Wait()
			for d.Len() > 0 {
				time.Sleep(10 * time.Microsecond)
			}
			for i := range all {
				for ended[i].Load() == 0 {
					time.Sleep(10 * time.Microsecond) // its goroutine has begun
				}
				require.Equal(t, int64(1), ended[i].Load())
				if state := all[i].State(); state != driver.Unknown {
					require.Equal(t, fired[i].Load() == 1, state == driver.Fired, "%v", state)
				}
			}
		}
	})
}
