package schedtest_test

import (
	"time"

	"schedbench/schedulers"
)

// hooked is sound with one method in the place of its own.
type hooked struct {
	*sound
	schedule func(m *sound, deadline time.Duration, value uint64) (schedulers.ID, error)
	cancel   func(m *sound, id schedulers.ID) bool
	expire   func(m *sound, now time.Duration, due []uint64) int
	next     func(m *sound) (time.Duration, bool)
	reset    func(m *sound, id schedulers.ID, deadline time.Duration) (bool, error)
	value    func(m *sound, id schedulers.ID) *uint64
}

func (h hooked) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	return h.schedule(h.sound, deadline, value)
}
func (h hooked) Cancel(id schedulers.ID) bool               { return h.cancel(h.sound, id) }
func (h hooked) Expire(now time.Duration, due []uint64) int { return h.expire(h.sound, now, due) }
func (h hooked) Next() (time.Duration, bool)                { return h.next(h.sound) }
func (h hooked) Value(id schedulers.ID) *uint64             { return h.value(h.sound, id) }
func (h hooked) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	return h.reset(h.sound, id, deadline)
}

// with returns what makes a mutant by changing some methods.
func with(change func(h *hooked)) func(*sound) scheduler {
	return func(s *sound) scheduler {
		h := hooked{s, (*sound).Schedule, (*sound).Cancel, (*sound).Expire, (*sound).Next, (*sound).Reset, (*sound).Value}
		change(&h)
		return h
	}
}

func schedules(f func(*sound, time.Duration, uint64) (schedulers.ID, error)) func(*sound) scheduler {
	return with(func(h *hooked) { h.schedule = f })
}

func cancels(f func(*sound, schedulers.ID) bool) func(*sound) scheduler {
	return with(func(h *hooked) { h.cancel = f })
}

func expires(f func(*sound, time.Duration, []uint64) int) func(*sound) scheduler {
	return with(func(h *hooked) { h.expire = f })
}

func wakes(f func(*sound) (time.Duration, bool)) func(*sound) scheduler {
	return with(func(h *hooked) { h.next = f })
}

func resets(f func(*sound, schedulers.ID, time.Duration) (bool, error)) func(*sound) scheduler {
	return with(func(h *hooked) { h.reset = f })
}

func values(f func(*sound, schedulers.ID) *uint64) func(*sound) scheduler {
	return with(func(h *hooked) { h.value = f })
}
