package driver_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

// storm is some timers whose tasks take time, stop and reset timers and end their goroutine.
type storm struct {
	d      *driver.Driver
	mu     sync.Mutex // protects what follows
	random *rand.Rand
	timers []driver.Timer
	due    []time.Duration // the deadline that was granted last
	ends   []int           // how often it fired or was stopped
	exact  bool            // a task begins within a tick of its deadline
	wrong  []string
}

const inStorm = 300

// task is that of timer i.
func (s *storm) task(i int) {
	s.mu.Lock()
	if late := s.d.Now() - s.due[i]; late < 0 || s.exact && late >= ms {
		s.wrong = append(s.wrong, fmt.Sprintf("timer %d, due at %v, is late by %v", i, s.due[i], late))
	}
	s.ends[i]++
	rest, others, ends := time.Duration(s.random.Int64N(int64(3*time.Millisecond))), s.random.IntN(4), s.random.IntN(3) == 0
	for range others {
		s.change(s.random.IntN(inStorm))
	}
	s.mu.Unlock()
	time.Sleep(rest)
	if ends {
		runtime.Goexit()
	}
}

// change moves timer i, if it is pending, or stops it. The caller holds mu.
func (s *storm) change(i int) {
	if s.random.IntN(8) == 0 {
		if s.timers[i].Stop() {
			s.ends[i]++
		}
		return
	}
	delay := time.Duration(s.random.Int64N(int64(2 * time.Second)))
	due := s.d.Now() + delay
	if ok, err := s.timers[i].ResetPending(delay); err == nil && ok {
		s.due[i] = due
	}
}

// Whatever the tasks of a batch do to themselves, to the others of the batch, and to the worker, nothing begins before the
// deadline that was granted last, and each timer ends once.
func TestStorm(t *testing.T) {
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
							s := &storm{random: rand.New(rand.NewPCG(seed, 1)), due: make([]time.Duration, inStorm), ends: make([]int, inStorm)}
							s.exact = running == driver.Goroutine{} && waking == driver.SkipToNext{}
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
							require.Empty(t, s.wrong)
							require.Equal(t, slices.Repeat([]int{1}, inStorm), s.ends)
						})
					}
				})
			}
		}
	}
}
