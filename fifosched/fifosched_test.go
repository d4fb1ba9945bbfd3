package fifosched_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/fifosched"
	"schedbench/internal/must"
	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

var tested = schedtest.Scheduler{
	Name: "fifosched",
	New:  func() (schedulers.Scheduler[uint64], error) { return fifosched.New[uint64](), nil },
}

func TestScheduler(t *testing.T) { schedtest.RunAll(t, tested) }

func FuzzQueues(f *testing.F) { schedtest.Fuzz(f, tested) }

// program is one that sets, resets and cancels timers with a few delays, on a clock that only
// its own timers follow at once: the scheduler hears of the time now and then.
type program struct {
	queues *fifosched.Queues[uint64]
	delays []time.Duration
	now    time.Duration
	ids    []schedulers.ID
}

func (p *program) deadline(t *rapid.T) time.Duration {
	return p.now + rapid.SampledFrom(p.delays).Draw(t, "delay")
}

func (p *program) step(t *rapid.T) {
	p.now += time.Duration(rapid.IntRange(0, 3).Draw(t, "pause"))
	switch step := rapid.IntRange(0, 9).Draw(t, "step"); {
	case step < 5 || len(p.ids) == 0:
		p.ids = append(p.ids, must.Get(p.queues.Schedule(p.deadline(t), 0))(t))
	case step < 7:
		p.queues.Cancel(rapid.SampledFrom(p.ids).Draw(t, "id"))
	case step < 9:
		must.Get(p.queues.Reset(rapid.SampledFrom(p.ids).Draw(t, "id"), p.deadline(t)))(t)
	default:
		p.queues.Expire(p.now, make([]uint64, rapid.IntRange(0, 20).Draw(t, "room")))
	}
}

// TestNoMoreQueuesThanDelays is what makes the structure: whatever is cancelled, reset and
// handed out late, as many queues as distinct delays will do.
func TestNoMoreQueuesThanDelays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := program{queues: fifosched.New[uint64]()}
		p.delays = rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(0, 100).Draw(t, "delay"))
		}), 1, 6, rapid.ID[time.Duration]).Draw(t, "delays")
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			p.step(t)
			if n := p.queues.Count(); n > len(p.delays) {
				require.Fail(t, "more queues than delays", "%d queues, delays of %v", n, p.delays)
			}
		}
	})
}

// longestDescending returns how long the longest strictly descending subsequence is: as many
// queues as are needed, by the theorem of Dilworth.
func longestDescending(deadlines []time.Duration) int {
	var ends []time.Duration // of the best of each length, negated: ascending
	for _, d := range deadlines {
		i, _ := slices.BinarySearch(ends, -d)
		if i == len(ends) {
			ends = append(ends, 0)
		}
		ends[i] = -d
	}
	return len(ends)
}

func TestAsFewQueuesAsCanBe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		deadlines := rapid.SliceOf(rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(0, 50).Draw(t, "deadline"))
		})).Draw(t, "deadlines")
		s := fifosched.New[uint64]()
		for _, d := range deadlines {
			must.Get(s.Schedule(d, 0))(t)
		}
		require.Equal(t, longestDescending(deadlines), s.Count())
	})
}

// TestQueuesGoWithTheirTime: after a burst of random delays a program of one delay has one
// queue again once the clock has passed what the others were for.
func TestQueuesGoWithTheirTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := fifosched.New[uint64]()
	for range 10_000 {
		s.Schedule(time.Duration(rng.Int64N(int64(time.Hour))), 0)
	}
	due := make([]uint64, 10_001)
	require.Equal(t, 10_000, s.Expire(time.Hour, due))
	for now := time.Hour; now < time.Hour+1000*time.Second; now += time.Second {
		s.Schedule(now+10*time.Second, 0)
		s.Expire(now, due)
	}
	require.Equal(t, 1, s.Count())
	require.Equal(t, 10, s.Len())
}

// TestOneDelayCostsNoSearch: with one delay nothing is compared but the one bound, and what
// is handed out from one queue is not sifted.
func TestOneDelayCostsNoSearch(t *testing.T) {
	const n = 1000
	s := fifosched.New[uint64]()
	for i := range n {
		s.Schedule(time.Duration(i), 0)
	}
	w := s.Work()
	require.EqualValues(t, n-1, w.Visits)
	require.Zero(t, w.Levels)
	require.Equal(t, n, s.Expire(n, make([]uint64, n)))
	require.Equal(t, w.Visits, s.Work().Visits)
	require.Zero(t, s.Work().Levels)
}
