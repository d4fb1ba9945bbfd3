package experiments

import (
	"time"

	"schedbench/driver"
	"schedbench/live"
)

// notYet is added to the delays of live populations: no deadline is reached.
const notYet = time.Hour

// livePopulation is a population on the real clock whose timers a goroutine can change at random.
type livePopulation interface {
	// reserve makes room for the names of n timers, which fill needs, and returns how many bytes it takes.
	reserve(n int) (bytes float64)
	fill(look func(made int) error, n int, draw func() time.Duration) error
	len() int // how many are pending
	churn(source *splitMix, ops int) (wrong int)
	resets(source *splitMix, ops int) (wrong int)
	// live runs the life of timers, timed call by call.
	live(l life) error
	stopAll()
}

// timers is a population of live timers, each named by an H. All run the same function.
type timers[H any] struct {
	start   func(time.Duration, func()) (H, error)
	stop    func(H) bool
	reset   func(H, time.Duration) bool
	pending []H
	count   func() int // how many are pending, if that is counted
}

func nothing() {}

func (t *timers[H]) reserve(n int) (bytes float64) { return reserve(&t.pending, n) }

func (t *timers[H]) fill(look func(made int) error, n int, draw func() time.Duration) error {
	return fill(look, n, draw, func(_ int, d time.Duration) error {
		h, err := t.start(notYet+d, nothing)
		t.pending = append(t.pending, h)
		return err
	})
}

func (t *timers[H]) churn(source *splitMix, ops int) (wrong int) {
	n := len(t.pending)
	for range ops {
		p, delay := source.next(n)
		if !t.stop(t.pending[p]) {
			wrong++
		}
		h, err := t.start(notYet+delay, nothing)
		if err != nil {
			wrong++
		}
		t.pending[p] = h
	}
	return wrong
}

func (t *timers[H]) resets(source *splitMix, ops int) (wrong int) {
	n := len(t.pending)
	for range ops {
		p, delay := source.next(n)
		if !t.reset(t.pending[p], notYet+delay) {
			wrong++
		}
	}
	return wrong
}

func (t *timers[H]) live(l life) error {
	return newLifeCourse(l, timedCalls[H]{
		schedule: func(at time.Duration, _ int) (H, error) { return t.start(notYet+at, nothing) },
		cancel:   t.stop,
		reset:    func(h H, at time.Duration, _ int) (H, bool) { return h, t.reset(h, notYet+at) },
		len:      t.count,
	}).live()
}

func (t *timers[H]) len() int { return len(t.pending) }

func (t *timers[H]) stopAll() {
	for _, h := range t.pending {
		t.stop(h)
	}
}

// started keeps the timers of a variant: a driver, timers with a clock of their own, or with neither the Go runtime.
type started struct {
	driver *driver.Driver
	own    live.Timers
}

// close stops the timers of populations, and ends what runs them.
func (s started) close(populations ...livePopulation) {
	for _, p := range populations {
		p.stopAll()
	}
	_ = s.target(0).Close() // an error would change nothing
}

// target returns n timers, which also end the driver.
func (s started) target(n int) live.Target {
	if s.own != nil {
		return live.OnTimers(s.own, n)
	}
	return live.On(s.driver, n)
}

// wakeups returns how often the driver's worker has woken; 0 without a driver.
func (s started) wakeups() float64 { return float64(s.target(0).Stats().Wakeups) }

// population returns timers, none so far.
func (s started) population() livePopulation {
	switch d := s.driver; {
	case s.own != nil:
		return &timers[live.Timer]{
			start: s.own.AfterFunc,
			stop:  func(t live.Timer) bool { return t != nil && t.Stop() },
			reset: func(live.Timer, time.Duration) bool { return false },
		}
	case d == nil:
		return &timers[*time.Timer]{
			start: func(d time.Duration, f func()) (*time.Timer, error) { return time.AfterFunc(d, f), nil },
			stop:  (*time.Timer).Stop,
			reset: (*time.Timer).Reset,
		}
	default:
		return &timers[driver.Timer]{
			start: d.AfterFunc,
			stop:  driver.Timer.Stop,
			reset: func(t driver.Timer, delay time.Duration) bool {
				ok, err := t.ResetPending(delay)
				return ok && err == nil
			},
			count: d.Len,
		}
	}
}
