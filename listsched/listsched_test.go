package listsched_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/listsched"
	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

var tested = schedtest.Scheduler{
	Name: "listsched",
	New:  func() (schedulers.Scheduler[uint64], error) { return listsched.New[uint64](), nil },
}

func TestScheduler(t *testing.T) { schedtest.RunAll(t, tested) }

func FuzzList(f *testing.F) { schedtest.Fuzz(f, tested) }

const meanDelay = time.Minute

// delays are distributions of delays, with the share of the list that an insertion passes in a steady state. What is
// left of the delay of a pending timer has the density (1-F(x))/mean, and the share is the probability that this is
// more than a new delay.
var delays = []struct {
	name  string
	draw  func(rng *rand.Rand) time.Duration
	share float64
}{
	{"constant", func(*rand.Rand) time.Duration { return meanDelay }, 0},
	{"uniform", func(rng *rand.Rand) time.Duration { return time.Duration(rng.Int64N(2 * int64(meanDelay))) }, 1. / 3},
	{"exponential", func(rng *rand.Rand) time.Duration { return time.Duration(rng.ExpFloat64() * float64(meanDelay)) }, 1. / 2},
}

// arrivals is a stream of timers at random instants that are never cancelled.
type arrivals struct {
	list *listsched.List[uint64]
	rng  *rand.Rand
	gap  float64 // mean time between two
	draw func(rng *rand.Rand) time.Duration
	now  time.Duration
}

// next waits for the next timer and returns how many were pending, and how many of them it passed.
func (a *arrivals) next() (pending, passed int) {
	a.now += time.Duration(a.rng.ExpFloat64() * a.gap)
	var due [64]uint64
	for a.list.Expire(a.now, due[:]) == len(due) {
	}
	pending = a.list.Len()
	before := a.list.Work().Visits
	a.list.Schedule(a.now+a.draw(a.rng), 0)
	return pending, int(a.list.Work().Visits - before)
}

// The share is the same however many are pending, so an insertion visits the more the longer the list.
func TestShareOfTheListPassedIsThatOfTheory(t *testing.T) {
	const count = 40_000 // insertions
	for _, d := range delays {
		for _, n := range []int{100, 1000} { // pending on average
			t.Run(fmt.Sprintf("%s/%d", d.name, n), func(t *testing.T) {
				a := arrivals{
					list: listsched.New[uint64](),
					rng:  rand.New(rand.NewPCG(1, 2)),
					gap:  float64(meanDelay) / float64(n),
					draw: d.draw,
				}
				for a.now < 20*meanDelay { // until the state is steady
					a.next()
				}
				var pending, passed int
				for range count {
					p, v := a.next()
					pending, passed = pending+p, passed+v
				}
				require.InDelta(t, d.share, float64(passed)/float64(pending), 0.02)
				require.InEpsilon(t, n, float64(pending)/count, 0.1)
			})
		}
	}
}

// TestCancelAndExpireVisitNothing: only insertion looks for its place.
func TestCancelAndExpireVisitNothing(t *testing.T) {
	const n = 1000
	l := listsched.New[uint64]()
	ids := make([]schedulers.ID, n)
	for i := range ids {
		ids[i], _ = l.Schedule(time.Duration(i), 0)
	}
	before := l.Work()
	for i := 0; i < n; i += 2 {
		require.True(t, l.Cancel(ids[i]))
	}
	require.Equal(t, n/2, l.Expire(n, make([]uint64, n)))
	require.Equal(t, before, l.Work())
}

func TestEqualDeadlinesComeOutInTheOrderOfScheduling(t *testing.T) {
	l := listsched.New[int]()
	first, _ := l.Schedule(time.Second, 0)
	for i := range 5 {
		l.Schedule(time.Second, i+1)
	}
	l.Schedule(time.Second-1, -1)
	l.Reset(first, time.Second) // now the last
	due := make([]int, 10)
	require.Equal(t, []int{-1, 1, 2, 3, 4, 5, 0}, due[:l.Expire(time.Second, due)])
}
