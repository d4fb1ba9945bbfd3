package harness

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// runoutDelays returns n delays as a run-out draws them.
func runoutDelays(n int) []time.Duration {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	delays := make([]time.Duration, n)
	for i := range delays {
		delays[i] = 1 + time.Duration(r.Int64N(int64(n)*int64(spacing)))
	}
	return delays
}

// replaced returns a contestant that schedules the value 7 by f, and the others
// as they should be.
func replaced(f func(s schedulers.Scheduler[uint64], deadline time.Duration) (schedulers.ID, error)) Contestant {
	return broken(faulty[uint64]{schedule: func(s schedulers.Scheduler[uint64], deadline time.Duration, value uint64) (schedulers.ID, error) {
		if value == 7 {
			return f(s, deadline)
		}
		return s.Schedule(deadline, value)
	}})
}

func TestARunOutTakesTheRightAnswers(t *testing.T) {
	for _, n := range []int{1, 2, 17, 1000, 20_000} {
		delays := runoutDelays(n)
		want := expected(delays)
		require.Equal(t, n, want.count)
		for _, repeats := range []int{1, 3} {
			_, _, _, err := runOut(t.Context(), sound("sound"), delays, repeats, want)
			require.NoError(t, err, "%d timers, %d times", n, repeats)
		}
	}
}

func TestARunOutHoldsAtTheEdgesOfATick(t *testing.T) {
	for _, delays := range [][]time.Duration{
		{costTick}, {costTick - 1}, {costTick + 1}, {1}, {costTick, costTick + 1, 2 * costTick, costTick - 1},
	} {
		for len(delays) < 40 { // so that the run lasts for two ticks
			delays = append(delays, 1)
		}
		_, _, _, err := runOut(t.Context(), sound("sound"), delays, 1, expected(delays))
		require.NoError(t, err, "%v", delays)
	}
}

func TestARunOutCatchesWrongAnswers(t *testing.T) {
	delays := runoutDelays(200)
	delays[6] = 5*costTick - costTick/2 // value 7
	for name, c := range map[string]Contestant{
		"a timer lost": replaced(func(schedulers.Scheduler[uint64], time.Duration) (schedulers.ID, error) { return 1, nil }),
		"a timer a tick early": replaced(func(s schedulers.Scheduler[uint64], d time.Duration) (schedulers.ID, error) {
			return s.Schedule(d-costTick, 7)
		}),
		"a timer a tick late": replaced(func(s schedulers.Scheduler[uint64], d time.Duration) (schedulers.ID, error) {
			return s.Schedule(d+costTick, 7)
		}),
		"a timer fired twice": replaced(func(s schedulers.Scheduler[uint64], d time.Duration) (schedulers.ID, error) {
			_, _ = s.Schedule(d, 7)
			return s.Schedule(d, 7)
		}),
		"another timer's value": replaced(func(s schedulers.Scheduler[uint64], d time.Duration) (schedulers.ID, error) {
			return s.Schedule(d, 8)
		}),
		"an insertion refused": replaced(func(schedulers.Scheduler[uint64], time.Duration) (schedulers.ID, error) { return 0, errFake }),
		"a value out of the blue": broken(faulty[uint64]{expire: func(s schedulers.Scheduler[uint64], now time.Duration, due []uint64) int {
			n := s.Expire(now, due)
			if now == 3*costTick && n < len(due) {
				due[n] = 1
				n++
			}
			return n
		}}),
		"two values exchanged": broken(faulty[uint64]{schedule: func(s schedulers.Scheduler[uint64], d time.Duration, v uint64) (schedulers.ID, error) {
			if v == 7 || v == 8 {
				v = 15 - v
			}
			return s.Schedule(d, v)
		}}),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, _, err := runOut(t.Context(), c, delays, 2, expected(delays))
			require.ErrorContains(t, err, "broken")
			require.ErrorContains(t, err, "want 200 with")
		})
	}
}

func TestARunOutCellFailsWithItsWorstContestant(t *testing.T) {
	lost := replaced(func(schedulers.Scheduler[uint64], time.Duration) (schedulers.ID, error) { return 1, nil })
	_, err := runOnly(t, tiny(sound("a"), lost), Cost, OpRunout)
	require.ErrorContains(t, err, "broken")
	_, err = runOnly(t, tiny(sound("a"), failing()), Cost, OpRunout)
	require.ErrorIs(t, err, errFake)
	require.ErrorContains(t, err, "failing")
}

func TestARunOutCellHasASeriesOfExpiriesBesideEachRunOut(t *testing.T) {
	p := tiny(sound("a"), runtimeTimers())
	series, err := runOnly(t, p, Cost, OpRunout)
	require.NoError(t, err)
	var names []string
	for _, s := range series {
		names = append(names, s.Name())
		require.Len(t, s.Iterations, p.Blocks)
		require.Len(t, s.Blocks(NsPerOp), p.Blocks)
	}
	for _, n := range p.Pending {
		for _, impl := range []string{EmptyControl, "a", "a" + AgainSuffix} {
			for _, op := range []string{OpRunout, OpExpire} {
				require.Contains(t, names, fmt.Sprintf("Cost/op=%s/impl=%s/pending=%d/delay=uniform", op, impl, n))
			}
		}
	}
	require.Len(t, names, 12, "time.AfterFunc cannot be run out in virtual time")
}

func TestTheTraceIsOfWhichValueInWhichTick(t *testing.T) {
	delays := runoutDelays(100) // of six ticks
	want := expected(delays)
	require.Equal(t, want, expected(slices.Clone(delays)))

	within := slices.Clone(delays)
	within[3] = (within[3]+costTick-1)/costTick*costTick - 1
	require.Equal(t, want, expected(within), "the place within a tick is open")

	swapped := slices.Clone(delays)
	swapped[0], swapped[1] = costTick/2, 4*costTick
	other := slices.Clone(swapped)
	other[0], other[1] = swapped[1], swapped[0]
	require.NotEqual(t, expected(swapped), expected(other), "which of two comes first is not")
}
