package driver_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"schedbench/driver"
	"schedbench/schedulers"
)

// An action is one step of the model test.
type action struct {
	kind  string        // of "make", "stop", "reset", "pass", "list"
	which int           // the timer, modulo how many there are
	delay time.Duration // of a new deadline, or to let pass
	far   bool          // the delay is about as long as the horizon, if there is one
}

var anAction = rapid.Custom(func(t *rapid.T) action {
	return action{
		kind:  rapid.SampledFrom([]string{"make", "make", "stop", "reset", "pass", "list"}).Draw(t, "kind"),
		which: rapid.IntRange(0, 1000).Draw(t, "which"),
		delay: rapid.OneOf(
			rapid.Custom(func(t *rapid.T) time.Duration {
				if n := rapid.IntRange(-1, 20).Draw(t, "ms"); n >= 0 {
					return time.Duration(n) * ms
				}
				return math.MinInt64
			}),
			rapid.Custom(func(t *rapid.T) time.Duration {
				return time.Duration(rapid.Int64Range(-1, int64(5*time.Second)).Draw(t, "ns"))
			}),
		).Draw(t, "delay"),
		far: rapid.SampledFrom([]bool{false, false, false, true}).Draw(t, "far"),
	}
})

// TestModel compares a driver with what its documentation says, for random sequences of actions in virtual time. Half of
// them are with states, and a third with a limit of pending timers.
func TestModel(t *testing.T) {
	for _, s := range allVariants() {
		for _, tick := range []time.Duration{0, 7 * time.Millisecond} {
			if s.few && tick > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/fixed=%v", s.name, tick), func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) {
					n := rapid.SampledFrom([]int{3, 30, 150}).Draw(rt, "n")
					steps := rapid.SliceOfN(anAction, n, n).Draw(rt, "actions")
					m := &model{variant: s, fixed: tick, last: map[any]*modelled{}}
					m.states = rapid.Bool().Draw(rt, "states")
					m.limit = rapid.SampledFrom([]int{0, 0, 3}).Draw(rt, "limit")
					var fault error
					synctest.Test(t, func(t *testing.T) { fault = m.follow(steps) })
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
	runs     int          // how often it should have fired
	state    driver.State // that it had in its task
}

type model struct {
	variant
	d      *driver.Driver
	fixed  time.Duration // the tick of the driver, or zero
	states bool          // are known, of the last timer of each record
	limit  int           // of pending timers, if not zero
	timers []*modelled
	last   map[any]*modelled // by record
	resets int
	heard  []driver.Timer // by the handler of cancelled timers
	began  time.Time
	mu     sync.Mutex // protects the timers: a Queued driver shares no mutex with its worker
}

func (m *model) follow(steps []action) error {
	opts := []driver.Option{driver.WithCancelHandler(func(timer driver.Timer) {
		if !timer.Stop() && m.d.Len() == len(m.pending())-1 { // it may call the driver
			m.heard = append(m.heard, timer)
		}
	})}
	if m.fixed > 0 {
		opts = append(opts, driver.WithWaking(driver.FixedTick(m.fixed)))
	}
	if m.states {
		opts = append(opts, driver.WithStates())
	} else {
		_, m.states = m.inbox.(driver.Queued)
	}
	var err error
	if m.d, err = driver.Start(m.make(), m.options(append(opts, driver.WithMaxPending(m.limit))...)...); err != nil {
		return err
	}
	m.began = time.Now()
	synctest.Wait()
	for i, step := range steps {
		if err := m.take(step); err != nil {
			m.d.Close(context.Background())
			return fmt.Errorf("step %d, %+v: %w", i, step, err)
		}
	}
	return m.end()
}

func (m *model) take(a action) error {
	if a.far && m.horizon > 0 && !(a.kind == "pass" && m.fixed > 0) { // which would take very many ticks
		a.delay = max(a.delay, 0) + m.horizon - 5*ms
	}
	switch {
	case a.kind == "make":
		var err error
		deepDown(a.which, func() { err = m.add(a.delay, a.which%2 == 0) }) // to any shard of a Sharded driver
		return err
	case a.kind == "pass":
		pass(a.delay)
		return m.settle()
	case a.kind == "list":
		return m.list()
	case len(m.timers) == 0:
		return nil
	}
	t := m.timers[a.which%len(m.timers)]
	want := t.pending
	if a.kind == "stop" {
		heard := len(m.heard)
		if got := t.timer.Stop(); got != want || want && !slices.Equal(m.heard[heard:], []driver.Timer{t.timer}) {
			return fmt.Errorf("got %v, want %v; heard of %v", got, want, m.heard[heard:])
		}
		t.pending = false
		return m.settle()
	}
	got, err := t.timer.ResetPending(a.delay)
	refused := want && m.refuses(a.delay, err)
	if got != (want && !refused) || err != nil != refused {
		return fmt.Errorf("got %v, %v; want %v", got, err, want)
	}
	if got {
		m.resets++
		t.deadline = time.Since(m.began) + max(a.delay, 0)
		t.due = m.due(t.deadline)
	}
	return m.settle()
}

// refuses reports whether a delay has to be refused, given an error that is right where it may be.
func (m *model) refuses(delay time.Duration, err error) bool {
	if errors.Is(err, schedulers.ErrBeyondHorizon) {
		return m.horizon > 0 && delay > m.horizon-m.tick-m.fixed
	}
	return m.horizon > 0 && delay > m.horizon+m.tick
}

// add makes a timer: by AfterFunc, or by AtFunc, whose instant may have passed.
func (m *model) add(delay time.Duration, byInstant bool) (err error) {
	now := time.Since(m.began)
	t := &modelled{deadline: now + max(delay, 0), pending: true}
	f := func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		t.fired, t.state = append(t.fired, time.Since(m.began)), t.timer.State()
	}
	m.mu.Lock()
	if byInstant {
		t.deadline = max(now+delay, 0)
		t.timer, err = m.d.AtFunc(now+delay, f)
	} else {
		t.timer, err = m.d.AfterFunc(delay, f)
	}
	m.mu.Unlock()
	switch {
	case m.limit > 0 && len(m.pending()) == m.limit:
		if !errors.Is(err, driver.ErrMaxPending) || !strings.Contains(err.Error(), "3, the limit is 3") {
			return fmt.Errorf("beyond the limit: got %v", err)
		}
	case err != nil != m.refuses(delay, err):
		return fmt.Errorf("delay %v: got %v", delay, err)
	case err == nil:
		t.due = m.due(max(t.deadline, now))
		m.timers = append(m.timers, t)
		m.last[driver.RecordOf(t.timer)] = t
	}
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
	if at := m.d.Now(); at != now {
		return fmt.Errorf("the driver's clock is at %v, want %v", at, now)
	}
	pending := 0
	for i, t := range m.timers {
		if t.pending && len(t.fired) == t.runs+1 {
			at := t.fired[t.runs]
			if at < t.deadline || at > t.due {
				return fmt.Errorf("timer %d fired at %v, want %v to %v", i, at, t.deadline, t.due)
			}
			if m.states && t.state != driver.Fired {
				return fmt.Errorf("in its task timer %d is %v", i, t.state)
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

// compareState compares what a timer says with the truth.
func (m *model) compareState(t *modelled) error {
	want := driver.Cancelled
	switch {
	case !m.states || m.last[driver.RecordOf(t.timer)] != t:
		want = driver.Unknown
	case t.pending:
		want = driver.IsPending
	case t.runs > 0:
		want = driver.Fired
	}
	if got := t.timer.State(); got != want {
		return fmt.Errorf("is %v, says %v", want, got)
	}
	return nil
}

// pending returns the timers that are pending.
func (m *model) pending() map[driver.Timer]*modelled {
	pending := map[driver.Timer]*modelled{}
	for _, t := range m.timers {
		if t.pending {
			pending[t.timer] = t
		}
	}
	return pending
}

// list compares what All lists, and calls its functions.
func (m *model) list() error {
	all, err := m.d.All()
	if err != nil {
		return err
	}
	now, pending := time.Since(m.began), m.pending()
	for _, p := range all {
		t := pending[p.Timer]
		if t == nil || p.Remaining != t.deadline-now || p.Repeating != nil {
			return fmt.Errorf("lists %+v, want %+v", p, t)
		}
		delete(pending, p.Timer)
		if p.Func(); len(t.fired) != t.runs+1 {
			return fmt.Errorf("lists the function of another timer for %+v", *t)
		}
		t.fired = t.fired[:t.runs]
	}
	if len(pending) > 0 {
		return fmt.Errorf("does not list %d timers", len(pending))
	}
	return m.settle()
}

// end closes the driver, and compares the counts and what is unfired.
func (m *model) end() error {
	now, pending := time.Since(m.began), m.pending()
	fired := 0
	for _, t := range m.timers {
		fired += t.runs
	}
	unfired, err := m.d.Close(context.Background())
	if err != nil {
		return err
	}
	st, made := m.d.Stats(), len(m.timers)
	stopped := made - fired - len(pending)
	got := []int{int(st.Scheduled), int(st.Reset), int(st.Stopped), len(m.heard), int(st.Fired), st.Pending}
	if want := []int{made, m.resets, stopped, stopped, fired, 0}; !slices.Equal(got, want) {
		return fmt.Errorf("counts %v, want %v", got, want)
	}
	inOrder := slices.IsSortedFunc(unfired, func(a, b driver.Unfired) int { return cmp.Compare(a.Remaining, b.Remaining) })
	if !inOrder || len(unfired) != len(pending) {
		return fmt.Errorf("unfired %v, want %d in order", unfired, len(pending))
	}
	for _, u := range unfired {
		u.Func()
		for timer, t := range pending {
			if len(t.fired) == t.runs+1 && u.Remaining == t.deadline-now {
				delete(pending, timer)
				t.pending = false
				if err := m.compareState(t); err != nil {
					return fmt.Errorf("after Close: %w", err)
				}
			}
		}
	}
	if len(pending) > 0 {
		return fmt.Errorf("%d timers are not among the unfired", len(pending))
	}
	return nil
}
