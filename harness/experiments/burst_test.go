package experiments

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

func TestABurstIsOfEveryLiveContestantWithoutTicks(t *testing.T) {
	preset := sound("netty")
	preset.New, preset.Preset = nil, true
	p := tiny(sound("a"), list("b"), broken(faulty[uint64]{}), runtimeTimers(), preset)
	p.Full = true
	series := must.Get(runOnly(t, p, rundata.Burst, rundata.OpPair))(t)
	require.Equal(t, []string{"a", "b", "runtime", "netty"}, firstTime(series))
	require.Equal(t, []string{rundata.Tickless, rundata.RuntimeWaking, rundata.PresetWaking}, rundata.Distinct(series, "waking"))
	for _, s := range series {
		require.Equal(t, []int{p.Burst, p.Burst}, s.Iterations)
		allFired(t, s)
		for i := range s.Iterations {
			require.GreaterOrEqual(t, s.Values[rundata.DoneNs][i], s.Values[rundata.GapNs][i])
			require.InDelta(t, s.Values[rundata.MaxLate][i], s.Values[rundata.DoneNs][i], s.Values[rundata.DoneNs][i]/500, "as the histogram has it")
		}
	}
	p.Burst = 0
	require.Empty(t, burstCells(p))
}

// However many rounds there are, no part of a tick is left out for long.
func TestBurstsComeAtAllTimesOfATick(t *testing.T) {
	for _, rounds := range []int{3, 5, 8, 20} {
		var at []time.Duration
		for round := range rounds {
			at = append(at, burstPhase(round))
		}
		slices.Sort(at)
		require.GreaterOrEqual(t, at[0], time.Duration(0))
		require.Less(t, at[rounds-1], burstPhases)
		longest := at[0] + burstPhases - at[rounds-1]
		for i := 1; i < rounds; i++ {
			longest = max(longest, at[i]-at[i-1])
		}
		require.Less(t, longest, 2*burstPhases/time.Duration(rounds), "%v", at)
	}
}

func TestTheCourseOfABurstIsReadBack(t *testing.T) {
	done, gap := course(lateness(4*ms, ms, 25*ms, 9*ms, 16*ms).Firings) // roughly in the order of time
	require.Equal(t, []float64{float64(25 * ms), float64(9 * ms)}, []float64{done, gap})
	done, gap = course(nil)
	require.Zero(t, done+gap, "nothing has fired")
}

func TestABurstFindsWhatGoesWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := 0
		series, err := runOnly(t, tiny(brokenLive(faulty[driver.Task]{
			schedule: func(s schedulers.Scheduler[driver.Task], deadline time.Duration, v driver.Task) (schedulers.ID, error) {
				switch made++; made % 50 {
				case 1: // fires early; later ones the worker might sleep through, not knowing
					deadline -= ms
				case 2: // comes out twice, and the driver begins it once
					_, _ = s.Schedule(deadline, v)
				case 3: // is lost
					deadline = math.MaxInt64
				}
				return s.Schedule(deadline, v)
			}})), rundata.Burst, rundata.OpPair)
		require.NoError(t, err, "it is counted, not fatal")
		for i := range series[0].Iterations {
			values := series[0].Values
			require.Equal(t, []float64{1, 0, 1, 49},
				[]float64{values[rundata.Lost][i], values[rundata.Doubled][i], values[rundata.Early][i], values[rundata.Fired][i]})
		}
	})
}

func TestTimersRunOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		preset := sound("netty")
		preset.Preset = true
		p := tiny(sound("a"), runtimeTimers(), preset)
		p.Drain = 200
		series := must.Get(runOnly(t, p, rundata.Drain, rundata.OpPair))(t)
		require.Equal(t, []string{"a", "runtime"}, firstTime(series), "a preset would be measured by its tick")
		for _, s := range series {
			require.LessOrEqual(t, s.Late.Max(), int64(1), s.Name())
			require.Equal(t, []int{p.Drain, p.Drain}, s.Iterations)
			allFired(t, s)
		}
		p.Drain = 0
		require.Empty(t, drainCells(p))
	})
}

func TestFloodTellsHowLateTheNextTimerIs(t *testing.T) {
	stopped := 0
	c := brokenLive(faulty[driver.Task]{cancel: func(s schedulers.Scheduler[driver.Task], id schedulers.ID) bool {
		stopped++
		return s.Cancel(id)
	}})
	synctest.Test(t, func(t *testing.T) {
		p := tiny(c)
		p.Flood = 300
		series := must.Get(runOnly(t, p, rundata.Flood, rundata.OpPair))(t)
		require.Equal(t, []string{"broken"}, firstTime(series))
		require.Equal(t, []float64{0, 0}, series[0].Values[rundata.LateAfter], "nothing takes time here")
		require.Equal(t, 300*2*2, stopped, "in each turn of both")
	})
}
