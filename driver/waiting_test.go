package driver

import (
	"math"
	"math/rand/v2"
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

// Kicks before a drain do not shorten a wait, however long it is.
func TestDrainedKicksAreVoid(t *testing.T) {
	waitings(t, func(t *testing.T, w waiter) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 100 {
			sleep := time.Duration(r.Int64N(int64(2 * time.Millisecond)))
			w.drain()
			w.kick()
			w.kick()
			w.drain()
			start := time.Now()
			w.wait(sleep)
			require.GreaterOrEqual(t, time.Since(start), sleep)
		}
	})
}

// TestAWaitIsItsOwn has waits follow others that were cut short, whose timer
// is still running, or that ended just when they were kicked.
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
			w.drain()
			start := time.Now()
			w.wait(2 * sleep)
			require.GreaterOrEqual(t, time.Since(start), 2*sleep)
		}
	})
}

// TestNoKickIsLost has a worker do as that of a driver does: drain, look for work, and wait if there is none. What
// brings work kicks afterwards. Once a kick is lost the worker waits forever.
func TestNoKickIsLost(t *testing.T) {
	const bringers, each = 8, 3000
	for _, sleep := range []time.Duration{forever, time.Microsecond} {
		waitings(t, func(t *testing.T, w waiter) {
			var work atomic.Int64
			for i := range bringers {
				go func() {
					for j := range each {
						work.Add(1)
						w.kick()
						if (i+j)%3 == 0 {
							runtime.Gosched()
						}
					}
				}()
			}
			returns(t, func() {
				for {
					w.drain()
					if work.Load() == bringers*each {
						return
					}
					w.wait(sleep)
				}
			})
		})
	}
}

// TestNoLoneKickIsLost has every kick matter, since none follows it until the worker has seen what it was for.
func TestNoLoneKickIsLost(t *testing.T) {
	waitings(t, func(t *testing.T, w waiter) {
		var brought, seen atomic.Int64
		const times = 5000
		go func() {
			for n := int64(1); n <= times; n++ {
				brought.Store(n)
				w.kick()
				for seen.Load() < n {
					runtime.Gosched()
				}
			}
		}()
		returns(t, func() {
			for seen.Load() < times {
				w.drain()
				if n := brought.Load(); n > seen.Load() {
					seen.Store(n)
					continue
				}
				w.wait(forever)
			}
		})
	})
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
