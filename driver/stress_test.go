package driver_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
)

// stressTimer is one timer of the stress test, with what became of it.
type stressTimer struct {
	mu     sync.Mutex // protects timer
	timer  driver.Timer
	earned atomic.Int64 // instant before which it must not fire, in ns
	fired  atomic.Int64
	early  atomic.Bool
	stops  atomic.Int64
}

// TestStress runs a driver against the real clock, with goroutines that make,
// stop and reset timers, their own and each other's, until it is closed under
// them. Each timer must fire, be stopped, or be returned, exactly once.
func TestStress(t *testing.T) {
	for _, s := range subjects() {
		for name, mode := range map[string]driver.Running{
			"inline": driver.Inline{}, "goroutine": driver.Goroutine{},
		} {
			t.Run(s.name+"/"+name, func(t *testing.T) { stress(t, s, driver.WithRunning(mode)) })
		}
	}
}

func stress(t *testing.T, s subject, opts ...driver.Option) {
	const goroutines, perGoroutine = 8, 2000
	d := s.start(t, opts...)
	began := time.Now()
	var jobs [goroutines][perGoroutine]stressTimer
	var made [goroutines]atomic.Int64
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			for i := range jobs[g] {
				j := &jobs[g][i]
				if !j.launch(d, began) {
					return
				}
				made[g].Store(int64(i + 1))
				g := rand.N(goroutines)
				if n := made[g].Load(); n > 0 {
					jobs[g][rand.N(n)].disturb(began, i)
				}
			}
		})
	}
	for made[0].Load() < perGoroutine*3/4 {
		time.Sleep(time.Millisecond)
	}
	unfired, err := d.Close(context.Background())
	require.NoError(t, err)
	fired := d.Stats().Fired
	group.Wait()
	require.Equal(t, fired, d.Stats().Fired, "nothing begins after Close")

	var total, ended int64
	for g := range goroutines {
		total += made[g].Load()
		for i := range made[g].Load() {
			j := &jobs[g][i]
			require.LessOrEqual(t, j.fired.Load()+j.stops.Load(), int64(1))
			require.False(t, j.early.Load())
			ended += j.fired.Load() + j.stops.Load()
		}
	}
	require.Equal(t, total, ended+int64(len(unfired)))
}

// launch gives the stressTimer a timer, unless the driver is closed.
func (j *stressTimer) launch(d *driver.Driver, began time.Time) bool {
	delay := rand.N(3 * time.Millisecond)
	j.earned.Store(int64(time.Since(began) + delay))
	timer, err := d.AfterFunc(delay, func() {
		if int64(time.Since(began)) < j.earned.Load() {
			j.early.Store(true)
		}
		j.fired.Add(1)
	})
	j.mu.Lock()
	j.timer = timer
	j.mu.Unlock()
	return err == nil
}

// disturb stops or resets the stressTimer, or leaves it alone. What a reset earns is
// noted only where it is earlier: the task may begin before Reset returns.
func (j *stressTimer) disturb(began time.Time, i int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch i % 4 {
	case 0, 1:
		if j.timer.Stop() {
			j.stops.Add(1)
		}
	case 2:
		delay := rand.N(time.Millisecond)
		earned := int64(time.Since(began) + delay)
		for old := j.earned.Load(); earned < old; old = j.earned.Load() {
			if j.earned.CompareAndSwap(old, earned) {
				break
			}
		}
		j.timer.Reset(delay)
	}
}
