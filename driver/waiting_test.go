package driver

import (
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// patience is how long a test waits for what should happen at once.
const patience = 10 * time.Second

// waitings runs test for every way of waiting, each with a new waiter.
func waitings(t *testing.T, test func(t *testing.T, w waiter)) {
	for name, waiting := range map[string]Waiting{"Runtime": Runtime{}, "Precise": Precise{}} {
		t.Run(name, func(t *testing.T) {
			w := must.Get(waiting.newWaiter())(t)
			test(t, w)
			require.NoError(t, w.close())
			w.kick() // does nothing any more
			w.kick()
		})
	}
}

// returns waits until f has returned.
func returns(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		require.FailNow(t, "still waiting")
	}
}

// long lists sleeps that no test outlives.
var long = []time.Duration{
	time.Hour,
	math.MaxInt32 * time.Second, // what fits into 32 bits of seconds,
	math.MaxInt32*time.Second + time.Second,
	math.MaxUint32 * time.Second,
	math.MaxUint32*time.Second + time.Millisecond, // and what is short when cut off
	forever - 1,
	forever,
}

func TestShortWaitsEnd(t *testing.T) {
	waitings(t, func(t *testing.T, w waiter) {
		for _, sleep := range []time.Duration{0, -1, -time.Hour, math.MinInt64, 1, 999, time.Microsecond, time.Millisecond} {
			w.drain()
			returns(t, func() { w.wait(sleep) })
		}
	})
}

func TestAWaitThatIsOverArmsNoTimer(t *testing.T) {
	w := &timerWaiter{kicks: make(chan struct{}, 1)} // and it has none
	for _, sleep := range []time.Duration{0, -1, -time.Hour, awake} {
		w.wait(sleep)
		w.kick()
		w.wait(sleep)
		w.drain()
	}
	require.Panics(t, func() { w.wait(1) }, "this one does")
}

func TestAKickEndsAWait(t *testing.T) {
	waitings(t, func(t *testing.T, w waiter) {
		for _, sleep := range long {
			w.drain()
			w.kick()
			w.kick() // is as good as one
			returns(t, func() { w.wait(sleep) })
			w.drain()
			kick := time.AfterFunc(time.Millisecond, w.kick)
			returns(t, func() { w.wait(sleep) })
			require.False(t, kick.Stop(), "a wait of %v ended without a kick", sleep)
		}
	})
}

// TestAWaitIsItsOwn has waits follow others that were cut short, whose timer is still running, or that ended just when
// they were kicked. Kicks before a drain are void.
func TestAWaitIsItsOwn(t *testing.T) {
	waitings(t, func(t *testing.T, w waiter) {
		const sleep = 500 * time.Microsecond
		for i := range 100 {
			kicked := make(chan struct{})
			w.drain()
			time.AfterFunc(time.Duration(i)*sleep/100, func() {
				w.kick()
				close(kicked)
			})
			w.wait(sleep)
			<-kicked
			w.kick()
			w.drain()
			start := time.Now()
			w.wait(2 * sleep)
			require.GreaterOrEqual(t, time.Since(start), 2*sleep)
		}
	})
}

// TestNoKickIsLost has a worker do as that of a driver does: drain, look for work, and wait if there is none. What
// brings work kicks afterwards. Once a kick is lost the worker waits forever. Where one alone brings work, each kick
// matters: none follows until the worker has seen what it was for.
func TestNoKickIsLost(t *testing.T) {
	const each = 3000
	for _, c := range []struct {
		bringers int64
		sleep    time.Duration
	}{{8, forever}, {8, time.Microsecond}, {1, forever}} {
		waitings(t, func(t *testing.T, w waiter) {
			var work, seen atomic.Int64
			for range c.bringers {
				go func() {
					for range each {
						n := work.Add(1)
						w.kick()
						for c.bringers == 1 && seen.Load() < n {
							runtime.Gosched()
						}
					}
				}()
			}
			returns(t, func() {
				for seen.Load() < c.bringers*each {
					w.drain()
					if n := work.Load(); n > seen.Load() {
						seen.Store(n)
						continue
					}
					w.wait(c.sleep)
				}
			})
		})
	}
}

func TestAWaitDoesNotAllocate(t *testing.T) {
	waitings(t, func(t *testing.T, w waiter) {
		require.Zero(t, testing.AllocsPerRun(200, func() {
			w.drain()
			w.wait(1000)
			w.drain()
			w.kick()
			w.wait(forever)
		}))
	})
}
