package harness

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/schedulers"
)

func TestSlackIsReadBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // so that all lateness is slack
		p := tiny(sound("a"), runtimeTimers())
		s := sessionOf(t, p)
		for _, slack := range slacks {
			series := newLateSeries(Slack)
			r := runner{Contestant: sound("a"), policy: policy{opts: []driver.Option{driver.WithSlack(slack)}}}
			_, values, err := s.jitterCompetitor(r, series, "waiting", leastPrecise).turn(0)
			require.NoError(t, err)
			require.Zero(t, values[Early]+values[Lost]+values[Doubled])
			require.LessOrEqual(t, series.Late.Max(), max(int64(slack)*1001/1000, 1), "as a histogram reads it")
			if slack > 0 {
				require.Greater(t, series.Late.Max(), int64(slack)*9/10)
			}
		}
	})
}

func TestSlackCellsAreOfOneContestant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		series, err := runOnly(t, tiny(sound("a"), standIn("wheel-for-all"), runtimeTimers()), Slack, OpPair)
		require.NoError(t, err)
		require.Equal(t, []string{"wheel-for-all"}, Distinct(series, "impl"))
		require.Equal(t, []string{"0s", "100µs", "500µs", "1ms", "5ms"}, Distinct(series, "slack"))
		for _, s := range series {
			require.Len(t, s.Values[WakeupsPerSecond], 2)
		}
	})
	require.Empty(t, tiny(runtimeTimers()).slackCells(), "nobody has a slack")
}

func TestWaysOfSleepingAreComparedOnAWheelAndAHeap(t *testing.T) {
	wheel, hier := sound("wheel"), standIn("wheel-for-all")
	wheel.HasTick, hier.HasTick = true, true
	p := tiny(sound("a"), list("b"), wheel, hier, sound("c"), runtimeTimers())
	require.Equal(t, []string{"wheel-for-all", "runtime", "a"}, implsOf(p.sleepers()))
	require.Equal(t, []int{0, 100}, p.others())
	p.Pending = []int{1_000_000}
	require.Equal(t, []int{0, 100_000}, p.others())
	p.Pending = nil
	require.Equal(t, []int{0}, p.others())
	require.False(t, p.compareWaiting(), "only a plan of everything does")
}

// TestCellsOfSleepingHaveEveryWay runs them with what there is.
func TestCellsOfSleepingHaveEveryWay(t *testing.T) {
	needUsage(t)
	p := tiny(standIn("wheel-for-all"), runtimeTimers())
	p.Every = true
	s := sessionOf(t, p)
	cells := p.jitterCells()[2:]
	require.Len(t, cells, len(p.others()))
	for _, c := range cells {
		series, err := allBlocks(s, c)
		require.NoError(t, err)
		require.Len(t, series, len(waitings(Contestant{}))+2, "time.AfterFunc, and one a second time")
		for _, one := range series {
			for i, n := range one.Iterations {
				require.Equal(t, float64(n), one.Values[Fired][i]+one.Values[Lost][i], one.Name())
				require.Zero(t, one.Values[Early][i]+one.Values[Doubled][i], one.Name())
			}
		}
	}
	idle := p.idleCells()
	series, err := allBlocks(s, idle[len(idle)-1])
	require.NoError(t, err)
	require.Len(t, series, len(waitings(Contestant{}))+2, "time.AfterFunc, and one a second time")
	require.Contains(t, Distinct(series, "waiting"), WaitRuntime)
}

func TestOthersThatAreRefusedAreAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sessionOf(t, tiny(sound("a")))
		r := runner{Contestant: brokenLive(faulty[driver.Task]{schedule: afterwards[driver.Task](3)}), others: 10}
		_, _, err := s.jitterTurn(r, newLateSeries(Jitter), arrivalsOf(t, s.plan, 0), nil)
		require.ErrorContains(t, err, "7 of 10 insertions failed")
		r.Contestant = brokenLive(faulty[driver.Task]{
			schedule: func(s schedulers.Scheduler[driver.Task], deadline time.Duration, v driver.Task) (schedulers.ID, error) {
				if deadline > notYet {
					deadline = math.MaxInt64
				}
				return s.Schedule(deadline, v)
			}})
		_, values, err := s.jitterTurn(r, newLateSeries(Jitter), arrivalsOf(t, s.plan, 0), nil)
		require.NoError(t, err)
		require.Zero(t, values[Lost], "others are not waited for")
	})
}
