package wheeltest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// WithoutUpkeep returns what was done for the values of the calls themselves.
func WithoutUpkeep(w schedulers.Work) schedulers.Work {
	w.Upkeep = 0
	return w
}

// metered is a scheduler that counts.
type metered interface {
	schedulers.Scheduler[uint64]
	schedulers.Resetter
	schedulers.Meter
}

// RequireLittleUpkeep lets a wheel grow and shrink and be used meanwhile, and checks that
// no Schedule, Cancel or Reset does more steps for others than most, and nothing else
// that counts.
func RequireLittleUpkeep(t *testing.T, w metered, most uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	var ids []schedulers.ID
	now := time.Duration(0)
	counted := func(call func()) {
		before := w.Work()
		call()
		work := w.Work().Sub(before)
		require.LessOrEqual(t, work.Upkeep, most)
		require.Equal(t, schedulers.Work{}, WithoutUpkeep(work))
	}
	deadline := func() time.Duration { return now + time.Duration(rng.Int64N(int64(time.Hour)))>>rng.IntN(20) }
	for _, n := range []int{50_000, 100, 20_000, 5_000, 60_000, 0} {
		for len(ids) != n {
			at := rng.IntN(len(ids) + 1)
			switch {
			case len(ids) < n:
				counted(func() {
					id, err := w.Schedule(deadline(), 0)
					require.NoError(t, err)
					ids = append(ids, id)
				})
			default:
				at = min(at, len(ids)-1)
				counted(func() { w.Cancel(ids[at]) })
				ids[at] = ids[len(ids)-1]
				ids = ids[:len(ids)-1]
			}
			if at < len(ids) {
				counted(func() {
					_, err := w.Reset(ids[at], deadline())
					require.NoError(t, err)
				})
			}
		}
		now += 20 * time.Millisecond
		for due := make([]uint64, 8); w.Expire(now, due) == len(due); {
		}
	}
}
