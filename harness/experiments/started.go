package experiments

import (
	"time"

	"schedbench/driver"
	"schedbench/live"
)

// started is what keeps the timers of a variant: a driver, or timers with a clock of their
// own, or, with neither, the Go runtime.
type started struct {
	driver *driver.Driver
	own    live.Timers
	end    func() error // closes own, once
}

// resets reports whether timers of the variant's can be given other deadlines.
func (r variant) resets() bool { return r.Open == nil && r.Launch == nil }

// target returns n timers, which end what keeps them.
func (s started) target(n int) live.Target {
	if s.own != nil {
		return live.OnTimers(s.own, n)
	}
	return live.On(s.driver, n)
}

// wakeups tells how often the worker of a driver has woken; without a driver never.
func (s started) wakeups() float64 {
	if s.driver == nil {
		return 0
	}
	return float64(s.driver.Stats().Wakeups)
}

// population returns timers that end what keeps them. Deadlines lie somewhat further ahead
// than drawn.
func (s started) population(further time.Duration) livePopulation {
	switch d := s.driver; {
	case s.own != nil:
		return &timers[live.Timer]{
			start:   s.own.AfterFunc,
			stop:    func(t live.Timer) bool { return t != nil && t.Stop() },
			reset:   func(live.Timer, time.Duration) bool { return false },
			further: further,
			end:     s.end,
		}
	case d == nil:
		return &timers[*time.Timer]{
			start:   func(d time.Duration, f func()) (*time.Timer, error) { return time.AfterFunc(d, f), nil },
			stop:    (*time.Timer).Stop,
			reset:   (*time.Timer).Reset,
			further: further,
		}
	default:
		return &timers[driver.Timer]{
			start: d.AfterFunc,
			stop:  driver.Timer.Stop,
			reset: func(t driver.Timer, delay time.Duration) bool {
				ok, err := t.Reset(delay)
				return ok && err == nil
			},
			further: further,
			count:   d.Len,
			end:     live.On(d, 0).Close,
		}
	}
}
