package driver

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

// meddling is a scheduler during whose calls of Schedule something happens, once.
type meddling struct {
	schedulers.Scheduler[Task]
	meanwhile func()
	refuses   bool
}

func (s *meddling) Schedule(deadline time.Duration, task Task) (schedulers.ID, error) {
	if do := s.meanwhile; do != nil {
		s.meanwhile = nil
		if do(); s.refuses {
			return 0, schedulers.ErrFull
		}
	}
	return s.Scheduler.Schedule(deadline, task)
}

// A timer is stopped or reset while the worker moves it into the scheduler. No call waits for the scheduler, and the
// timer begins when it should.
func TestQueuedWhileItIsMoved(t *testing.T) {
	stop := func(timer Timer) (bool, error) { return timer.Stop(), nil }
	later := func(timer Timer) (bool, error) { return timer.ResetPending(3 * time.Hour) }
	sooner := func(timer Timer) (bool, error) { return timer.ResetPending(time.Millisecond) }
	for name, c := range map[string]struct {
		meanwhile func(Timer) (bool, error)
		refuses   bool
		begins    time.Duration // 0: never
		state     State
	}{
		"stopped":              {stop, false, 0, Cancelled},
		"stopped and refused":  {stop, true, 0, Cancelled},
		"to later":             {later, false, 3 * time.Hour, Fired},
		"to later and refused": {later, true, 3 * time.Hour, Fired},
		"to sooner":            {sooner, false, time.Millisecond, Fired},
	} {
		t.Run(name, func(t *testing.T) {
			for _, again := range []bool{false, true} {
				synctest.Test(t, func(t *testing.T) {
					s := &meddling{Scheduler: heapsched.New[Task](), refuses: c.refuses}
					d := must.Get(Start(s, WithInbox(Queued{})))(t)
					defer d.CloseNow()
					var began []time.Duration
					armed(t, d, time.Hour, func() {})
					synctest.Wait() // the worker sleeps on for what comes later than that
					timer := armed(t, d, 2*time.Hour, func() { began = append(began, d.Now()) })
					if again { // it has been in the scheduler before
						armed(t, d, 0, func() {})
						synctest.Wait()
						require.True(t, second(timer.ResetPending(2*time.Hour)))
					}
					s.meanwhile = func() { require.True(t, second(c.meanwhile(timer))) }
					for range 2 { // the second has the worker take out what is cancelled
						armed(t, d, 0, func() {})
						synctest.Wait()
					}
					q := d.inboxes[0].(*queue)
					q.working.Lock()
					require.Equal(t, d.Len(), s.Len())
					q.working.Unlock()
					pass(5 * time.Hour)
					if c.begins == 0 {
						require.Empty(t, began)
					} else {
						require.Equal(t, []time.Duration{c.begins}, began)
					}
					require.Equal(t, c.state, timer.State())
					require.Zero(t, d.Len())
					require.Zero(t, s.Len())
					require.Zero(t, d.Stats().Rejected)
				})
			}
		})
	}
}

// With so few moved at a wake-up, the places of what was stopped are swept, and the others keep their order.
func TestQueuedSweeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := must.Get(Start(heapsched.New[Task](), WithInbox(Queued{PerWakeup: 1}), WithWaking(FixedTick(time.Hour))))(t)
		defer d.CloseNow()
		q := d.inboxes[0].(*queue)
		var began []int
		for i := range 5 * mostHeld {
			timer := armed(t, d, 0, func() { began = append(began, i) })
			if i%100 > 0 {
				require.True(t, timer.Stop())
				synctest.Wait()
			}
			q.mu.Lock()
			require.LessOrEqual(t, q.stale, q.pending+mostHeld+1)
			q.mu.Unlock()
		}
		pass(300 * time.Hour)
		require.Len(t, began, (5*mostHeld+99)/100)
		require.IsIncreasing(t, began)
		require.Zero(t, q.stale)
		require.Zero(t, len(q.incoming)+len(q.worker.taken)-q.worker.passed)
	})
}
