package driver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/schedulers"
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
	for _, s := range allVariants() {
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

// storm is some timers whose tasks take time, reset other timers and end their goroutine.
type storm struct {
	d      *driver.Driver
	mu     sync.Mutex // protects what follows
	random *rand.Rand
	timers []driver.Timer
	due    []time.Duration // the deadline that was granted last
	fired  []int
	early  []string
}

const inStorm = 300

// task is that of timer i.
func (s *storm) task(i int) {
	s.mu.Lock()
	if now := s.d.Now(); now < s.due[i] {
		s.early = append(s.early, fmt.Sprintf("timer %d at %v, want %v at the earliest", i, now, s.due[i]))
	}
	s.fired[i]++
	rest, others, ends := time.Duration(s.random.Int64N(int64(3*time.Millisecond))), s.random.IntN(4), s.random.IntN(3) == 0
	for range others {
		s.reset(s.random.IntN(inStorm))
	}
	s.mu.Unlock()
	time.Sleep(rest)
	if ends {
		runtime.Goexit()
	}
}

// reset moves timer i, if it is pending. The caller holds mu.
func (s *storm) reset(i int) {
	delay := time.Duration(s.random.Int64N(int64(2 * time.Second)))
	due := s.d.Now() + delay
	if ok, err := s.timers[i].ResetPending(delay); err == nil && ok {
		s.due[i] = due
	}
}

// Whatever the tasks of a batch do to the others of the batch, and to the worker, nothing begins before the
// deadline that was granted last, and all begin once.
func TestStormOfResetsAndGoexit(t *testing.T) {
	seeds := uint64(5)
	if testing.Short() {
		seeds = 2
	}
	wheel := func() (schedulers.Scheduler[driver.Task], error) {
		return hierwheel.New[driver.Task](time.Millisecond, 64)
	}
	for _, inbox := range []driver.Inbox{driver.Locked{}, driver.Sharded{Shards: 4, New: wheel}, driver.Queued{}} {
		for _, running := range []driver.Running{driver.Inline{}, driver.Goroutine{}, driver.Pool{Workers: 3, Queue: 5}} {
			for _, waking := range []driver.Waking{driver.SkipToNext{}, driver.SkipAtLeast(5 * time.Millisecond), driver.FixedTick(time.Millisecond)} {
				t.Run(fmt.Sprintf("%T/%T/%T", inbox, running, waking), func(t *testing.T) {
					for seed := range seeds {
						synctest.Test(t, func(t *testing.T) {
							w := must.Get(wheel())(t)
							s := &storm{random: rand.New(rand.NewPCG(seed, 1)), due: make([]time.Duration, inStorm), fired: make([]int, inStorm)}
							s.d = start(t, w, driver.WithInbox(inbox), driver.WithRunning(running), driver.WithWaking(waking))
							s.mu.Lock()
							for i := range inStorm {
								s.due[i] = time.Duration(s.random.Int64N(int64(20 * time.Millisecond)))
								s.timers = append(s.timers, after(t, s.d, s.due[i], func() { s.task(i) }))
							}
							s.mu.Unlock()
							for s.d.Len() > 0 {
								pass(time.Second)
							}
							pass(time.Second)
							require.Empty(t, s.early)
							for i, n := range s.fired {
								require.Equal(t, 1, n, "timer %d", i)
							}
						})
					}
				})
			}
		}
	}
}
