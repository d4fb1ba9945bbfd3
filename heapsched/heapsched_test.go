package heapsched_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

var tested = schedtest.Scheduler{
	Name: "heapsched",
	New:  func() (schedulers.Scheduler[uint64], error) { return heapsched.New[uint64](), nil },
}

func TestScheduler(t *testing.T) { schedtest.RunAll(t, tested) }

func FuzzHeap(f *testing.F) { schedtest.Fuzz(f, tested) }

// depth is the largest number of levels that an entry can rise or sink through among n.
func depth(n int) int { return int(math.Log(float64(max(n, 1)))/math.Log(16) + 1) }

// levels returns how many levels an operation moved entries through.
func levels(h *heapsched.Heap[uint64], operate func()) int {
	before := h.Work().Levels
	operate()
	return int(h.Work().Levels - before)
}

// orders are sequences of deadlines; descending ones are the worst to insert.
var orders = map[string]func(i int, rng *rand.Rand) time.Duration{
	"ascending":  func(i int, _ *rand.Rand) time.Duration { return time.Duration(i) },
	"descending": func(i int, _ *rand.Rand) time.Duration { return math.MaxInt64 - time.Duration(i) },
	"equal":      func(int, *rand.Rand) time.Duration { return time.Hour },
	"random":     func(_ int, rng *rand.Rand) time.Duration { return time.Duration(rng.Int64()) },
}

func TestNothingMovesThroughMoreThanTheLevels(t *testing.T) {
	const n = 10_000
	for name, deadline := range orders {
		t.Run(name, func(t *testing.T) {
			h, rng := heapsched.New[uint64](), rand.New(rand.NewPCG(1, 2))
			var ids []schedulers.ID
			for i := range n {
				at := deadline(i, rng)
				moved := levels(h, func() {
					id, _ := h.Schedule(at, 0)
					ids = append(ids, id)
				})
				require.LessOrEqual(t, moved, depth(i+1), "insert %d", i)
			}
			for i := range n {
				moved := levels(h, func() { h.Reset(ids[rng.IntN(n)], deadline(i, rng)) })
				require.LessOrEqual(t, moved, depth(n), "reset %d", i)
			}
			rng.Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
			for i, id := range ids[:n/2] {
				moved := levels(h, func() { require.True(t, h.Cancel(id)) })
				require.LessOrEqual(t, moved, depth(n-i), "cancel %d", i)
			}
			for h.Len() > 0 {
				limit := depth(h.Len()) * (1 + int(h.Work().Held)) // the vacant place is filled first
				before := h.Work()
				h.Expire(math.MaxInt64, make([]uint64, 1))
				work := h.Work().Sub(before)
				require.LessOrEqual(t, int(work.Levels), limit)
				require.LessOrEqual(t, int(work.Visits), 16*(limit+1), "the children of the root are looked at for what is due, too")
			}
		})
	}
}

// TestInsertInRandomOrderRisesLittle: the mean does not grow with n.
func TestInsertInRandomOrderRisesLittle(t *testing.T) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			h := heapsched.New[uint64]()
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			moved := levels(h, func() {
				for range n {
					h.Schedule(time.Duration(rng.Int64()), 0)
				}
			})
			require.Less(t, float64(moved)/float64(n), 0.6)
		})
	}
}

// TestScheduleTakesTheVacantPlace, so that a timer replaced by one of about the same deadline moves nothing else.
func TestScheduleTakesTheVacantPlace(t *testing.T) {
	const n = 10_000
	h, rng := heapsched.New[uint64](), rand.New(rand.NewPCG(7, 8))
	ids, deadlines := make([]schedulers.ID, n), make([]time.Duration, n)
	for i := range ids {
		deadlines[i] = time.Duration(rng.Int64())
		ids[i], _ = h.Schedule(deadlines[i], 0)
	}
	for range n {
		i := rng.IntN(n)
		require.Zero(t, levels(h, func() {
			require.True(t, h.Cancel(ids[i]))
			require.EqualValues(t, 1, h.Work().Held)
			ids[i], _ = h.Schedule(deadlines[i], 0)
			require.Zero(t, h.Work().Held)
		}))
	}
}
