package experiments

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

func limited(name string, most int) harness.Contestant {
	return brokenTwice(name, faulty[uint64]{schedule: full[uint64](most)}, faulty[driver.Task]{schedule: full[driver.Task](most)})
}

// full returns a Schedule that refuses more than so many values as a scheduler does that has a limit.
func full[T any](most int) func(schedulers.Scheduler[T], time.Duration, T) (schedulers.ID, error) {
	return func(s schedulers.Scheduler[T], deadline time.Duration, value T) (schedulers.ID, error) {
		if s.Len() >= most {
			return 0, fmt.Errorf("limited: %w: %d", schedulers.ErrFull, most)
		}
		return s.Schedule(deadline, value)
	}
}

// crowded are plans of the cells in which timers are pending, by what each is of. They have no driver with a queue, which
// drops what is refused, and says so to a log.
func crowded(n int, contestants ...harness.Contestant) map[string]*harness.Plan {
	plans := map[string]*harness.Plan{}
	for _, what := range append(rundata.Ops(), rundata.Memory, rundata.Idle, rundata.Tails) {
		p := tiny(contestants...)
		if p.Experiments = []string{what}; slices.Contains(rundata.Ops(), what) {
			p.Experiments, p.Ops = []string{rundata.Cost}, []string{what}
		}
		p.Pending, p.PendingGiven, p.Blocks = []int{n}, true, 1
		plans[what] = p
	}
	return plans
}

// measuredBy returns what the cells of a plan show in a session that has so many timers of several contestants at once.
func measuredBy(t *testing.T, p *harness.Plan, atOnce int) (series []*rundata.Series) {
	t.Helper()
	s := sessionOf(t, p)
	s.AtOnce = atOnce
	for _, c := range p.Cells() {
		series = append(series, must.Get(allBlocks(s, c))(t)...)
	}
	require.NotEmpty(t, series)
	return series
}

func leftIn(series []*rundata.Series, name string) (of []*rundata.Series) {
	for _, s := range series {
		if strings.TrimSuffix(s.Get("impl"), rundata.AASuffix) == name && s.Get("pending") != "" {
			of = append(of, s)
		}
	}
	return of
}

func TestAContestantThatRefusesTimersIsLeftOut(t *testing.T) {
	for _, atOnce := range []int{0, 100} { // side by side, and one after another
		for name, p := range crowded(2000, limited("small", 1000), standIn("a"), runtimeTimers()) {
			if name == rundata.Idle {
				needUsage(t)
			}
			t.Run(fmt.Sprint(name, " ", atOnce), func(t *testing.T) {
				series := measuredBy(t, p, atOnce)
				out := leftIn(series, "small")
				require.NotEmpty(t, out)
				for _, s := range out {
					require.Equal(t, rundata.CannotHold, s.State(), s.Name())
					require.Equal(t, "cannot hold 2k timers: limited: too many pending: 1000", s.Note)
					require.Equal(t, []int{0}, slices.Compact(slices.Clone(s.Block)), "as of the others")
					require.Equal(t, []string{rundata.ToHold}, lists.Keys(s.Values))
					require.Equal(t, 2000., s.Values[rundata.ToHold][0])
				}
				others := leftIn(series, "a")
				require.NotEmpty(t, others)
				for _, s := range others {
					require.Empty(t, s.Note, s.Name())
					require.NotContains(t, s.Values, rundata.ToHold)
				}
			})
		}
	}
}

func TestAContestantThatNeedsTooMuchMemoryIsLeftOut(t *testing.T) {
	const n = 3000
	for _, name := range []string{rundata.OpPair, rundata.OpInsert, rundata.OpTick, rundata.Memory} {
		t.Run(name, func(t *testing.T) {
			p := crowded(n, weighing("heavy", 100), weighing("light", 1))[name]
			p.Memory = n * 50 * knownBytes
			series := measuredBy(t, p, 100)
			for _, s := range leftIn(series, "heavy") {
				require.Equal(t, rundata.CannotHold, s.State(), s.Name())
				require.Regexp(t, `^cannot hold 3k timers: that would take about 1\d(\.\d+)? MB of memory, and 4\.8 MB are available$`, s.Note)
			}
			require.NotEmpty(t, leftIn(series, "light"))
			for _, s := range leftIn(series, "light") {
				require.Empty(t, s.Note, s.Name())
			}
			for _, s := range leftIn(measuredBy(t, p, 0), "heavy") { // few enough are not looked at
				require.Empty(t, s.Note, s.Name())
			}
		})
	}
}

func TestMemoryIsEstimatedFromTheFirstTimers(t *testing.T) {
	const n = 2_000_000
	all := n * (knownBytes + perName) * headroom
	for limit, most := range map[float64]int{0.97 * all: probed, 1.03 * all: n} {
		s, made := sessionOf(t, tiny(sound("a"))), &knownWeight{each: 1}
		s.Plan.Memory = int64(limit)
		v := &virtual{s: made}
		v.reserve(n)
		err := v.fill(look(s, n), n, func() time.Duration { return time.Second })
		require.Equal(t, most == n, err == nil, err)
		require.Equal(t, most, made.Len())
	}
}

// Of very many a budget has one block, which nothing is judged by, and a number of blocks is what it is.
func TestVeryManyHaveOneBlockUnlessMoreAreAskedFor(t *testing.T) {
	p := tiny(sound("a"), sound("b"))
	p.Blocks, p.Budget = 0, time.Hour
	for n, most := range map[int]int{harness.MostJudged: 0, harness.MostJudged + 1: 1} {
		require.Equal(t, most, costCell(p, []string{rundata.OpPair}, n, "uniform")[0].Most)
	}
	require.Contains(t, namesOf(bare(p, harness.MostJudged, fewestPassed(harness.MostJudged))), "b"+rundata.AASuffix)
	require.NotContains(t, namesOf(bare(p, harness.MostJudged+1, fewestPassed(harness.MostJudged+1))), "b"+rundata.AASuffix)
	p.Blocks, p.Budget = 12, 0
	require.Contains(t, namesOf(bare(p, harness.MostJudged+1, fewestPassed(harness.MostJudged+1))), "b"+rundata.AASuffix)
}

func TestOfLargeCountsOnlyPairsAreMeasured(t *testing.T) {
	p := tiny(sound("a"), runtimeTimers())
	p.Full, p.Delays = true, Delays()
	few := cellNames(p)
	p.Large = []int{10_000_000, 100_000_000}
	require.NoError(t, p.Check())
	more := slices.DeleteFunc(cellNames(p), func(name string) bool { return slices.Contains(few, name) })
	require.ElementsMatch(t, []string{"cost-10000000-uniform", "cost-100000000-uniform"}, more)
	p.Large = []int{harness.MostPending + 1}
	require.ErrorContains(t, p.Check(), "pending count 100000001, want 1 to 100000000")
	p.Large = []int{100}
	require.ErrorContains(t, p.Check(), "pending count 100 is given twice")
}

// Deadlines of very many lie further ahead, by as long as they take to arrive.
func TestAWheelReachesAsFarAsVeryManyTimersDo(t *testing.T) {
	require.Equal(t, longest+time.Minute, costGeometry(rundata.OpPair, 1_000_000, longest).Horizon)
	require.Equal(t, 2*time.Minute, costGeometry(rundata.OpPair, 1_000_000, time.Minute).Horizon, "a near horizon has fewer slots")
	for _, n := range []int{10_000_000, 100_000_000} {
		arrivals := time.Duration(n+n/2+n) * arrival // made, aged, and replaced
		require.Greater(t, costGeometry(rundata.OpPair, n, longest).Horizon, longest+arrivals)
	}
}
