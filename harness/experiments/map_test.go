package experiments

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/fifosched"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/heapsched"
	"schedbench/hierwheel"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/listsched"
	"schedbench/roundswheel"
	"schedbench/schedulers"
	"schedbench/singlewheel"
)

func mapPlan(contestants ...harness.Contestant) *harness.Plan {
	p := tiny(contestants...)
	p.Experiments, p.Pending, p.PendingGiven = []string{rundata.Map}, []int{30}, true
	return p
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// The counts are sums of independent ones, with standard deviations below the root of n. No ageing is needed for that.
func TestAMapScriptKeepsTheNumberPendingAndTheShareCancelled(t *testing.T) {
	for _, horizon := range mapHorizons() {
		for _, n := range []int{100, 1_000, 10_000} {
			script := newMapScript(n, horizon, seeded(uint64(n)))
			band := 4 * math.Sqrt(float64(n))
			script.fill()
			require.Len(t, script.pending, n)
			script.age()
			before := 0.0
			for _, percent := range mapCancelled() {
				share := float64(percent) / 100
				script.raise(before, share)
				for range 8 { // n timers live twice over in most shares
					part := script.run(share, n/2)
					cancelled := lists.Only(part.steps, func(s mapStep) bool { return s.value == 0 })
					require.InDelta(t, n, part.pending, band, "%d pending up to %v, %d %% cancelled", n, horizon, percent)
					require.InDelta(t, share*float64(n)/2, len(cancelled), band)
					require.InDelta(t, (1-share)*float64(n)/2, part.due.count, band)
				}
				before = share
			}
			require.Zero(t, script.run(1, n).due.count)
		}
	}
}

// An epoch is as long as it takes each level of the usual wheel to cascade, once or a few times.
func TestAnEpochOfTheMapIsWholeTurns(t *testing.T) {
	for _, c := range []struct {
		n               int
		horizon         time.Duration
		cancelled       float64
		least, arrivals int
	}{
		{1_000_000, 10 * time.Second, 0, 16_384, 51_200}, // 256 ms, one each 5 µs
		{1_000_000, 10 * time.Second, 1, 16_384, 102_400},
		{1_000_000, time.Hour, 0, 16_384, 36_408}, // 65.536 s, one each 1.8 ms
		{100_000, 10 * time.Second, 0, 16_384, 4 * 5120},
		{100, 10 * time.Second, 0, 333, 335}, // 5 a turn
		{1, time.Hour, 0, 333, 333},
	} {
		script := newMapScript(c.n, c.horizon, seeded(1))
		require.Equal(t, c.arrivals, script.epoch(c.cancelled, c.least), "%+v", c)
	}
	script := newMapScript(100_000, 10*time.Second, seeded(1))
	before := script.now
	script.run(0, script.epoch(0, 1))
	require.Equal(t, levelSlots*costTick, script.now-before)
}

// Delays are uniform, and a cancellation comes at any time of a life.
func TestAMapScriptDrawsLivesEvenly(t *testing.T) {
	const arrivals = 40_000
	script := newMapScript(arrivals, time.Hour, seeded(3))
	var delays, lives []float64
	for range arrivals {
		timer := script.arrival(time.Minute, true)
		delay := float64(timer.deadline - time.Minute)
		delays, lives = append(delays, delay/float64(time.Hour)), append(lives, float64(timer.ends-time.Minute)/delay)
		require.Less(t, timer.ends, timer.deadline)
	}
	for _, list := range [][]float64{delays, lives} {
		slices.Sort(list)
		for _, share := range []float64{0.01, 0.1, 0.5, 0.9, 0.99} {
			require.InDelta(t, share, list[int(share*arrivals)], 0.01)
		}
	}
}

// The same script comes to the same answers with any sound scheduler, at any size.
func TestAMapScriptHasTheRightAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "pending")
		horizon := rapid.SampledFrom([]time.Duration{3, time.Millisecond, 50 * time.Millisecond, 10 * time.Second, time.Hour}).Draw(t, "horizon")
		script := newMapScript(n, horizon, seeded(rapid.Uint64().Draw(t, "seed")))
		parts := []mapPart{script.fill(), script.age()}
		before := 0.0
		for range rapid.IntRange(1, 4).Draw(t, "shares") {
			share := before + (1-before)*rapid.Float64Range(0, 1).Draw(t, "share")
			parts = append(parts, script.raise(before, share), script.run(share, rapid.IntRange(1, 200).Draw(t, "arrivals")))
			before = share
		}
		for name, s := range theSix(t, mapGeometry(horizon)) {
			_, err := newMapped(s, false).playAll(t.Context(), parts)
			require.NoError(t, err, name)
		}
	})
}

func theSix(t require.TestingT, g harness.Geometry) map[string]schedulers.Scheduler[uint64] {
	single := must.Get(singlewheel.New[uint64](g.Tick, int(g.Horizon/g.Tick)+1))(t)
	rounds := must.Get(roundswheel.New[uint64](g.Tick, 64))(t)
	hier := must.Get(hierwheel.New[uint64](g.Tick, 16))(t)
	return map[string]schedulers.Scheduler[uint64]{
		"heapsched": heapsched.New[uint64](), "listsched": listsched.New[uint64](), "fifosched": fifosched.New[uint64](),
		"singlewheel": single, "roundswheel": rounds, "hierwheel": hier,
	}
}

func TestTheMapAndTailsCatchWrongAnswers(t *testing.T) {
	for name, faults := range faults() {
		_, err := runOnly(t, mapPlan(sound("a"), broken(faults)), rundata.Map, rundata.OpPair)
		require.ErrorContains(t, err, "broken", name)
		require.ErrorContains(t, err, "gave a wrong answer", name)
		_, err = runOnly(t, tiny(broken(faults)), rundata.Tails, rundata.OpPair)
		require.ErrorContains(t, err, "gave a wrong answer", name)
	}
}

type stuck struct{ schedulers.Scheduler[uint64] }

func (stuck) Next() (time.Duration, bool) { return 0, true }

func TestTheMapEndsWhereNextStandsStill(t *testing.T) {
	c := sound("stuck")
	c.New = func(g harness.Geometry) (schedulers.Scheduler[uint64], error) {
		s, err := sound("").New(g)
		return stuck{s}, err
	}
	_, err := runOnly(t, mapPlan(c), rundata.Map, rundata.OpPair)
	require.ErrorContains(t, err, "gave a wrong answer")
}

func TestAMapCellHasASeriesForEachShare(t *testing.T) {
	p := mapPlan(sound("a"), standIn("b"), runtimeTimers())
	series := must.Get(runOnly(t, p, rundata.Map, rundata.OpPair))(t)
	require.Equal(t, []string{rundata.EmptyControl, "a", "b", "b" + rundata.AASuffix}, rundata.Distinct(series, "impl"), "bare schedulers alone")
	require.Equal(t, []string{"0", "25", "50", "75", "90", "99", "100"}, rundata.Distinct(series, "cancel"))
	require.Equal(t, []string{"10s", "1h0m0s"}, rundata.Distinct(series, "horizon"))
	require.Len(t, series, 4*7*2)
	require.Equal(t, "Map/impl=empty/pending=30/cancel=0/horizon=10s", series[0].Name())
	for _, s := range series {
		require.Len(t, s.Blocks(rundata.NsPerOp), p.Blocks, s.Name())
		require.GreaterOrEqual(t, s.Iterations[0], lives(p))
		require.Positive(t, s.Values[rundata.NsPerOp][0])
	}
}

func TestTheMapLeavesOutASlowContestant(t *testing.T) {
	slow := broken(noting[uint64](func() {
		for start := time.Now(); time.Since(start) <= mostPerLife; {
		}
	}))
	p, dir := mapPlan(slow, sound("a")), t.TempDir()
	p.Pending = []int{1}
	d := must.Get(harness.Run(t.Context(), p, dir, nil, nil))(t)
	for _, s := range d.Select(rundata.Map, "impl=broken") {
		require.Equal(t, rundata.GaveUp, s.State())
		require.NotContains(t, s.Values, rundata.NsPerOp)
	}
	require.Contains(t, textOfBlock(t, dir, 0), "impl=broken")
	require.NotContains(t, textOfBlock(t, dir, 1), "impl=broken")
	require.Len(t, d.Select(rundata.Map, "impl=a")[0].Blocks(rundata.NsPerOp), p.Blocks)
}

func TestAContestantGivesUpOnTheMapWhenMostEpochsAreSlow(t *testing.T) {
	for slow, gaveUp := range map[int]bool{0: false, 1: false, 4: false, 5: true, 8: true} {
		turn := &mapTurn{s: sessionOf(t, mapPlan(sound("a"))), rounds: make([][]mapPart, 12)}
		for i := range 8 {
			if i%2 == 0 {
				turn.series = append(turn.series, rundata.NewSeries(rundata.Map, "impl", "a", "cancel", i))
			}
			perLife := 300.0
			if i < slow {
				perLife = 21_000
			}
			turn.add(i/2, 1_000, perLife)
		}
		require.Equal(t, gaveUp, turn.series[0].State() == rundata.GaveUp, "%d of 8 epochs", slow)
	}
}

func TestTheMapLeavesOutASlowList(t *testing.T) {
	p := mapPlan(sound("a"), list("l"))
	p.Pending = []int{100, 100_000}
	cells := p.Cells()
	require.Len(t, cells, 4, "two sizes and two horizons")
	for i, want := range []int{4, 3} { // the control and the A/A too
		require.Len(t, must.Get(cells[i].Make(sessionOf(t, p)))(t), want, cells[i].Name)
	}
	require.Empty(t, mapCells((&harness.Plan{Contestants: []harness.Contestant{runtimeTimers()}, Pending: []int{10}, Blocks: 1, Rounds: 1})),
		"no contestant")
}
