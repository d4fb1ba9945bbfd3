package tune

import (
	"math/rand/v2"
	"time"
)

// reservoir keeps a sample of what it is offered, each with the same chance: J. S.
// Vitter, "Random Sampling with a Reservoir" (ACM TOMS 1985), algorithm R.
type reservoir[T any] struct {
	random *rand.Rand
	kept   []T
	seen   int
}

func newReservoir[T any](size int, seed uint64) reservoir[T] {
	return reservoir[T]{random: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), kept: make([]T, 0, size)}
}

// offer takes something into the sample, or does not. O(1).
func (r *reservoir[T]) offer(v T) {
	r.seen++
	if len(r.kept) < cap(r.kept) {
		r.kept = append(r.kept, v)
	} else if i := r.random.IntN(r.seen); i < len(r.kept) {
		r.kept[i] = v
	}
}

// lifetime is that of a timer from when it was armed to when it fired, was cancelled
// or reset.
type lifetime struct {
	at, deadline, end time.Duration // end is never if it was not seen
	weight            float64       // how many timers it stands for
}

// cancelled reports whether the timer was taken back or reset.
func (l *lifetime) cancelled() bool { return l.end < l.deadline }

// mostLifetimes is how many are kept of those that ended in the same way.
const mostLifetimes = 4096

// lifetimeSample is a sample of lifetimes: of those that fired, of those that were
// cancelled, and of those whose end was not seen, each apart, since one in a
// thousand may be what matters.
type lifetimeSample struct{ fired, cancelled, open reservoir[lifetime] }

func newLifetimeSample() lifetimeSample {
	return lifetimeSample{newReservoir[lifetime](mostLifetimes, 3), newReservoir[lifetime](mostLifetimes, 5), newReservoir[lifetime](mostLifetimes, 6)}
}

// end takes up a lifetime that ends now.
func (s *lifetimeSample) end(t *timerState, at time.Duration) {
	of := &s.fired
	if at < t.deadline {
		of = &s.cancelled
	}
	of.offer(lifetime{at: t.at, deadline: t.deadline, end: at})
}

// between returns the lifetimes that overlap a stretch of time, or would if they had
// not been cancelled.
func (s *lifetimeSample) between(from, to time.Duration) (all []lifetime) {
	for _, r := range []*reservoir[lifetime]{&s.fired, &s.cancelled, &s.open} {
		weight := float64(r.seen) / float64(max(len(r.kept), 1))
		for _, one := range r.kept {
			if one.at < to && one.deadline > from {
				one.weight = weight
				all = append(all, one)
			}
		}
	}
	return all
}

// all reports whether the sample has all there were.
func (s *lifetimeSample) all() bool {
	return s.fired.seen == len(s.fired.kept) && s.cancelled.seen == len(s.cancelled.kept) && s.open.seen == len(s.open.kept)
}
