package driver_test

import (
	"context"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
)

// A life is that of one timer in a storm.
type life struct {
	timer driver.Timer
	mu    sync.Mutex    // protects what follows
	due   time.Duration // the task begins no sooner
	ends  [4]int        // how often it ended, and how
}

// The ways in which a timer ends.
const (
	hasFired = iota
	wasStopped
	wasReturned // by Close
	wasEarly
)

func (l *life) end(how int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ends[how]++
}

// arm makes the timer, if the driver is not closed.
func (l *life) arm(d *driver.Driver, delay time.Duration, closed *atomic.Bool) (err error) {
	l.due = d.Now() + delay
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer, err = d.AfterFunc(delay, func() {
		how, now := hasFired, d.Now()
		l.mu.Lock()
		if closed.Load() {
			how = wasReturned
		} else if now < l.due {
			how = wasEarly
		}
		l.mu.Unlock()
		l.end(how)
	})
	return err
}

func (l *life) reset(d *driver.Driver, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	due := d.Now() + delay
	if ok, err := l.timer.ResetPending(delay); ok && err == nil {
		l.due = due
	}
}

// Goroutines make, stop, move and list timers, their own and each other's, on the real clock, until one closes the
// driver under them. Of each timer exactly one thing becomes, and none begins before the deadline that it was given
// last. With SCHEDBENCH_LONG=1 this takes twenty times as many operations.
func TestEachTimerEndsExactlyOnce(t *testing.T) {
	operations := 40_000
	if os.Getenv("SCHEDBENCH_LONG") != "" {
		operations *= 20
	} else if testing.Short() {
		operations /= 20
	}
	for _, s := range subjects() {
		for name, opts := range map[string][]driver.Option{
			"inline":    nil,
			"goroutine": {driver.WithRunning(driver.Goroutine{}), driver.WithStates()},
			"pool":      {driver.WithRunning(driver.Pool{Workers: 2, Queue: 1, Full: driver.RunInline})},
			"tick":      {driver.WithWaking(driver.FixedTick(ms)), driver.WithAtOnce()},
			"slack":     {driver.WithSlack(ms), driver.WithStates()},
		} {
			if s.name == "rounding-down" && name == "tick" {
				continue // it may be early
			}
			t.Run(s.name+"/"+name, func(t *testing.T) {
				t.Parallel() // with each other: most of it is sleep
				liveAndEnd(t, s.start(t, opts...), operations)
			})
		}
	}
}

func liveAndEnd(t *testing.T, d *driver.Driver, operations int) {
	const goroutines = 8
	var slots [64]atomic.Pointer[life]
	var made [goroutines][]*life
	var closed atomic.Bool
	var unfired []driver.Unfired
	var fired uint64
	everywhere(goroutines, func(g int) {
		random := rand.New(rand.NewPCG(uint64(g), uint64(operations)))
		for i := range operations / goroutines {
			if i%100 == 99 {
				time.Sleep(ms)
			}
			if g == 0 && i == operations/goroutines*3/4 {
				for d.Stats().Fired == 0 {
					time.Sleep(ms)
				}
				unfired = must.Get(d.Close(context.Background()))(t)
				fired = d.Stats().Fired
			}
			slot := &slots[random.IntN(len(slots))]
			l, delay := slot.Load(), time.Duration(random.IntN(int(2*ms)))
			switch kind := random.IntN(16); {
			case l == nil || kind < 6:
				if kind == 0 {
					delay = 5 * time.Minute
				}
				l = new(life)
				if err := l.arm(d, delay, &closed); err != nil {
					require.ErrorIs(t, err, driver.ErrClosed)
					return
				}
				made[g] = append(made[g], l)
				slot.Store(l)
			case kind < 9:
				if l.timer.Stop() {
					l.end(wasStopped)
				}
			case kind < 15:
				l.reset(d, delay)
			case i%16 == 0:
				d.All()
			default:
				l.timer.State()
			}
		}
	})
	require.Equal(t, fired, d.Stats().Fired, "nothing begins after Close")
	closed.Store(true)
	for _, u := range unfired {
		u.Func()
	}
	var sum [4]int
	for _, lives := range made {
		for _, l := range lives {
			ends := 0
			for how, n := range l.ends {
				ends, sum[how] = ends+n, sum[how]+n
			}
			require.Equal(t, 1, ends, "%v", l.ends)
			if state := l.timer.State(); state != driver.Unknown {
				require.Equal(t, l.ends[hasFired] == 1, state == driver.Fired, "%v", state)
			}
		}
	}
	st := d.Stats()
	require.Equal(t, []int{int(st.Fired), int(st.Stopped), len(unfired), 0}, sum[:])
	require.NotContains(t, sum[:wasEarly], 0)
	require.Zero(t, d.Len())
}
