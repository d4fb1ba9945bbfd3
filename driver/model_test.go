package driver_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"schedbench/driver"
)

// An action is one step of the model test.
type action struct {
	kind  string        // of "make", "stop", "reset", "pass"
	which int           // the timer, modulo how many there are
	delay time.Duration // of a new deadline, or to let pass
}

var actions = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) action {
	return action{
		kind:  rapid.SampledFrom([]string{"make", "make", "stop", "reset", "pass"}).Draw(t, "kind"),
		which: rapid.IntRange(0, 1000).Draw(t, "which"),
		delay: rapid.OneOf(
			rapid.Custom(func(t *rapid.T) time.Duration {
				return time.Duration(rapid.IntRange(0, 20).Draw(t, "ms")) * time.Millisecond
			}),
			rapid.Custom(func(t *rapid.T) time.Duration {
				return time.Duration(rapid.Int64Range(-1, int64(5*time.Second)).Draw(t, "ns"))
			}),
		).Draw(t, "delay"),
	}
}), 1, 200)

// TestModel compares a driver with what its documentation says, for random
// sequences of actions in virtual time. Half of them are with states.
func TestModel(t *testing.T) {
	for _, s := range allVariants() {
		for _, tick := range []time.Duration{0, 7 * time.Millisecond} {
			if s.few && tick > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/fixed=%v", s.name, tick), func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) {
					steps := actions.Draw(rt, "actions")
					var fault error
					synctest.Test(t, func(t *testing.T) { fault = follow(s, tick, steps) })
					if fault != nil {
						rt.Fatal(fault)
					}
				})
			})
		}
	}
}

// modelled is a timer and what the model says of it.
type modelled struct {
	timer    driver.Timer
	deadline time.Duration
	due      time.Duration // the last instant at which it may fire
	pending  bool
	fired    []time.Duration
	runs     int // how often it should have fired
}

type model struct {
	variant
	d      *driver.Driver
	fixed  time.Duration // the tick of the driver, or zero
	states bool          // that of a pending timer is known
	timers []*modelled
	began  time.Time
	mu     sync.Mutex // protects what fired: a Queued driver shares no mutex with its worker
}

func follow(s variant, fixed time.Duration, steps []action) error {
	var opts []driver.Option
	if fixed > 0 {
		opts = append(opts, driver.WithWaking(driver.FixedTick(fixed)))
	}
	_, states := s.inbox.(driver.Queued)
	if len(steps)%2 == 0 {
		states, opts = true, append(opts, driver.WithStates())
	}
	d, err := driver.Start(s.make(), s.options(opts...)...)
	if err != nil {
		return err
	}
	m := &model{variant: s, d: d, fixed: fixed, states: states, began: time.Now()}
	synctest.Wait()
	for i, step := range steps {
		if err := m.take(step); err != nil {
			d.Close(context.Background())
			return fmt.Errorf("step %d, %+v: %w", i, step, err)
		}
	}
	return m.end()
}

func (m *model) take(a action) error {
	now := time.Since(m.began)
	if a.kind == "make" {
		var err error
		deepDown(a.which, func() { err = m.add(a.delay) }) // to any shard of a Sharded driver
		return err
	}
	if a.kind == "pass" {
		pass(a.delay)
		return m.settle()
	}
	if len(m.timers) == 0 {
		return nil
	}
	t := m.timers[a.which%len(m.timers)]
	want := t.pending
	var got bool
	var err error
	if a.kind == "stop" {
		got, t.pending = t.timer.Stop(), false
	} else {
		got, err = t.timer.ResetPending(a.delay)
		if t.pending {
			t.deadline = now + max(a.delay, 0)
			t.due = m.due(t.deadline)
		}
	}
	if got != want || err != nil {
		return fmt.Errorf("got %v, %v; want %v", got, err, want)
	}
	return m.settle()
}

func (m *model) add(delay time.Duration) error {
	deadline := time.Since(m.began) + max(delay, 0)
	t := &modelled{deadline: deadline, due: m.due(deadline), pending: true}
	timer, err := m.d.AfterFunc(delay, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		t.fired = append(t.fired, time.Since(m.began))
	})
	if err != nil {
		return err
	}
	t.timer = timer
	m.timers = append(m.timers, t)
	return m.settle()
}

// due returns the last instant at which a timer of this deadline may fire, if armed now. A scheduler with a tick may
// also let it fire earlier in that tick, down to the deadline. With a fixed tick it never fires at once: what is due at
// this instant has run already.
func (m *model) due(deadline time.Duration) time.Duration {
	due := m.rounded(deadline)
	if m.fixed > 0 {
		due = max(roundUp(due, m.fixed), time.Since(m.began)/m.fixed*m.fixed+m.fixed)
	}
	return due
}

// settle lets everything due run, and compares.
func (m *model) settle() error {
	synctest.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Since(m.began)
	pending := 0
	for i, t := range m.timers {
		if t.pending && len(t.fired) == t.runs+1 {
			at := t.fired[t.runs]
			if at < t.deadline || at > t.due {
				return fmt.Errorf("timer %d fired at %v, want %v to %v", i, at, t.deadline, t.due)
			}
			t.pending = false
			t.runs++
		}
		if len(t.fired) != t.runs || t.pending && now >= t.due {
			return fmt.Errorf("at %v timer %d: %+v", now, i, *t)
		}
		if t.pending {
			pending++
		}
		if err := m.compareState(t); err != nil {
			return fmt.Errorf("at %v timer %d: %w", now, i, err)
		}
	}
	if n := m.d.Len(); n != pending {
		return fmt.Errorf("at %v Len is %d, want %d", now, n, pending)
	}
	return nil
}

// compareState compares what a timer says with the truth. It may be unknown, if it is not pending.
func (m *model) compareState(t *modelled) error {
	want := driver.Cancelled
	if t.pending {
		want = driver.IsPending
	} else if t.runs > 0 {
		want = driver.Fired
	}
	if got := t.timer.State(); got != want && (got != driver.Unknown || t.pending && m.states) {
		return fmt.Errorf("is %v, says %v", want, got)
	}
	return nil
}

// end closes the driver and compares what is unfired.
func (m *model) end() error {
	now := time.Since(m.began)
	var want, got []time.Duration
	var unfinished []*modelled
	for _, t := range m.timers {
		if t.pending {
			want = append(want, t.deadline-now)
			unfinished = append(unfinished, t)
		}
	}
	unfired, err := m.d.Close(context.Background())
	if err != nil {
		return err
	}
	for _, u := range unfired {
		got = append(got, u.Remaining)
	}
	if slices.Sort(want); !slices.Equal(got, want) {
		return fmt.Errorf("unfired %v, want %v", got, want)
	}
	for _, t := range unfinished {
		t.pending = false
		if err := m.compareState(t); err != nil {
			return fmt.Errorf("after Close: %w", err)
		}
	}
	return nil
}
