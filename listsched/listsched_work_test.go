package listsched_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/montanaflynn/stats"
	"github.com/stretchr/testify/require"

	"schedbench/listsched"
	"schedbench/schedulers"
)

const meanDelay = time.Minute

// delays are distributions of delays, with the share of the list that an
// insertion passes in a steady state. What is left of the delay of a pending
// timer has the density (1-F(x))/mean, and the share is the probability that
// this is more than a new delay.
var delays = []struct {
	name  string
	draw  func(rng *rand.Rand) time.Duration
	share float64
}{
	{"constant", func(*rand.Rand) time.Duration { return meanDelay }, 0},
	{"uniform", func(rng *rand.Rand) time.Duration { return time.Duration(rng.Int64N(2 * int64(meanDelay))) }, 1. / 3},
	{"exponential", func(rng *rand.Rand) time.Duration {
		return time.Duration(rng.ExpFloat64() * float64(meanDelay))
	}, 1. / 2},
}

// arrivals is a stream of timers at random instants that are never cancelled.
type arrivals struct {
	list *listsched.List[uint64]
	rng  *rand.Rand
	gap  float64 // mean time between two
	draw func(rng *rand.Rand) time.Duration
	now  time.Duration
}

// next waits for the next timer and returns how many were pending, and how many
// of them it passed.
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

func TestShareOfTheListPassedIsThatOfTheory(t *testing.T) {
	const n, count = 500, 40_000 // pending on average, insertions
	for _, d := range delays {
		t.Run(d.name, func(t *testing.T) {
			a := arrivals{
				list: listsched.New[uint64](),
				rng:  rand.New(rand.NewPCG(1, 2)),
				gap:  float64(meanDelay) / n,
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

// visits returns how many values an insertion passes on average with n pending.
func visits(n int, rng *rand.Rand) float64 {
	const count = 500
	deadline := func() time.Duration { return time.Duration(rng.Int64N(int64(time.Hour))) }
	l := listsched.New[uint64]()
	ids := make([]schedulers.ID, n)
	for i := range ids {
		ids[i], _ = l.Schedule(deadline(), 0)
	}
	before := l.Work().Visits
	for range count {
		i := rng.IntN(n)
		l.Cancel(ids[i])
		ids[i], _ = l.Schedule(deadline(), 0)
	}
	return float64(l.Work().Visits-before) / count
}

func TestInsertVisitsGrowAsThePending(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var points stats.Series
	for n := 100; n <= 6_400; n *= 2 {
		points = append(points, stats.Coordinate{X: math.Log(float64(n)), Y: math.Log(visits(n, rng))})
	}
	line, err := stats.LinearRegression(points)
	require.NoError(t, err)
	first, last := line[0], line[len(line)-1]
	require.InDelta(t, 1, (last.Y-first.Y)/(last.X-first.X), 0.05)
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
