package experiments

import (
	"context"
	"slices"
	"time"
)

// notYet is how much further than drawn the deadlines of live timers lie as a rule, so
// that none is reached.
const notYet = time.Hour

// livePopulation is a population on the real clock, of which a goroutine can change timers
// at random.
type livePopulation interface {
	population
	// churn stops ops timers, one by one, and starts others in their place.
	churn(source *splitMix, ops int) (wrong int)
	// resets gives ops timers, one by one, other deadlines.
	resets(source *splitMix, ops int) (wrong int)
	// lifeCourse returns the life of its timers, to be timed call by call.
	lifeCourse(l life) timedLife
}

// timers is a population of live timers, each named by an H. All run the same function.
type timers[H any] struct {
	start   func(time.Duration, func()) (H, error)
	stop    func(H) bool
	reset   func(H, time.Duration) bool
	further time.Duration // than drawn all deadlines lie
	pending []H
	count   func() int // how many are pending, if that is counted
	end     func() error
}

// nothing is what they do.
func nothing() {}

func (t *timers[H]) reserve(n int) { t.pending = slices.Grow(t.pending, n) }

func (t *timers[H]) fill(ctx context.Context, n int, draw func() time.Duration) error {
	t.reserve(n)
	return fill(ctx, n, draw, func(_ int, d time.Duration) error {
		h, err := t.start(t.further+d, nothing)
		t.pending = append(t.pending, h)
		return err
	})
}

func (t *timers[H]) pairs(rs *replacements) (wrong int) {
	for i, p := range rs.picks {
		wrong += t.replace(int(p), rs.delays[i])
	}
	return wrong
}

func (t *timers[H]) churn(source *splitMix, ops int) (wrong int) {
	n := len(t.pending)
	for range ops {
		p, delay := source.next(n)
		wrong += t.replace(p, delay)
	}
	return wrong
}

// replace stops a timer and starts another.
func (t *timers[H]) replace(p int, delay time.Duration) (wrong int) {
	if !t.stop(t.pending[p]) {
		wrong++
	}
	h, err := t.start(t.further+delay, nothing)
	if err != nil {
		wrong++
	}
	t.pending[p] = h
	return wrong
}

func (t *timers[H]) resets(source *splitMix, ops int) (wrong int) {
	n := len(t.pending)
	for range ops {
		p, delay := source.next(n)
		if !t.reset(t.pending[p], t.further+delay) {
			wrong++
		}
	}
	return wrong
}

func (t *timers[H]) lifeCourse(l life) timedLife {
	return newLifeCourse(l, timedCalls[H]{
		schedule: func(at time.Duration, _ int) (H, error) { return t.start(t.further+at, nothing) },
		cancel:   t.stop,
		reset:    func(h H, at time.Duration, _ int) (H, bool) { return h, t.reset(h, t.further+at) },
		len:      t.count,
		close:    t.close,
	})
}

func (t *timers[H]) len() int {
	if t.count != nil {
		return t.count()
	}
	return len(t.pending)
}

func (t *timers[H]) close() {
	for _, h := range t.pending {
		t.stop(h)
	}
	if t.end != nil {
		_ = t.end() // nothing is left to fail for
	}
}
