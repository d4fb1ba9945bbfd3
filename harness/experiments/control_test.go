package experiments

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/live"
)

func needUsage(t *testing.T) {
	t.Helper()
	if _, ok := live.ReadUsage(); !ok {
		t.Skip("the system does not say CPU time")
	}
}

func TestTheControlsGiveWhatIsKnownAndWhatWasRead(t *testing.T) {
	needUsage(t)
	p := tiny(sound("a"))
	d := measured(t, p, rundata.Control, rundata.OpPair)
	controls := strings.Fields("clock-read histogram-record spin slow-call spin-at-once lateness burn")
	if runtime.GOMAXPROCS(0) == 1 {
		controls = slices.DeleteFunc(controls, func(what string) bool { return what == "spin-at-once" })
	}
	require.Equal(t, controls, rundata.Distinct(d.Series, "what"))

	for _, what := range []string{"clock-read", "histogram-record"} {
		s := d.Select(rundata.Control, "what="+what)
		require.Len(t, s, 1)
		require.Len(t, s[0].Values[rundata.NsPerOp], p.Blocks*p.Rounds)
		require.Positive(t, s[0].Iterations[0])
	}
	for what, known := range map[string][]string{"spin": {"50ns", "500ns", "5µs"}, "slow-call": {"50µs"}, "spin-at-once": {"500ns"}, "lateness": {"3ms"}, "burn": nil} {
		if !slices.Contains(controls, what) {
			continue
		}
		found := d.Select(rundata.Control, "what="+what)
		require.Equal(t, known, rundata.Distinct(found, "known"))
		for _, s := range found {
			samples := p.Blocks
			if slices.Contains([]string{"spin", "slow-call", "spin-at-once"}, what) {
				samples *= p.Rounds
			}
			require.Len(t, s.Values[rundata.KnownNs], samples, s.Name())
			require.Len(t, s.Values[rundata.ReadNs], samples, s.Name())
			if what == "burn" {
				continue // it rests longer than a slice of this plan is
			}
			for _, v := range s.Values[rundata.KnownNs] {
				require.Positive(t, v, s.Name())
			}
		}
	}
	for _, s := range d.Select(rundata.Control, "what=lateness") {
		require.Equal(t, []float64{float64(knownLate), float64(knownLate)}, s.Values[rundata.KnownNs])
		for i, n := range s.Iterations {
			require.Positive(t, min(float64(n), s.Values[rundata.ReadNs][i]))
		}
	}
}

func TestIdleCellsMeasureEachContestantAndTheIdleProcess(t *testing.T) {
	needUsage(t)
	p := tiny(sound("a"), runtimeTimers())
	series := must.Get(runOnly(t, p, rundata.Idle, rundata.OpPair))(t)
	require.Equal(t, []string{"a", "runtime", "process"}, firstTime(series))
	for _, s := range series {
		require.Equal(t, "100", s.Get("pending"))
		for _, unit := range []string{rundata.CPUPerSecond, rundata.SwitchesPerSecond, rundata.WakeupsPerSecond} {
			require.Len(t, s.Values[unit], p.Blocks, "%s of %s", unit, s.Name())
		}
	}
}

func TestEveryCellThatComparesHasAnAA(t *testing.T) { // that of processes has a test of its own
	needUsage(t)
	p := tiny(sound("a"), standIn("b"), runtimeTimers())
	p.Drain, p.Blocks = 10, 1
	for _, c := range p.Cells() {
		if c.Experiment == rundata.Control || c.Name == "memory-empty" {
			continue // these compare nothing
		}
		synctest.Test(t, func(t *testing.T) {
			series, err := c.Measure(sessionOf(t, p))
			require.NoError(t, err, c.Name)
			require.Contains(t, rundata.Distinct(series, "impl"), "b"+rundata.AASuffix, c.Name)
		})
	}
}

func TestAWindowHoldsWholeTicks(t *testing.T) {
	for _, tc := range []struct{ slice, tick, want time.Duration }{
		{240 * ms, 0, 240 * ms}, {240 * ms, ms, 240 * ms}, {240 * ms, 100 * ms, 300 * ms},
		{200 * ms, 100 * ms, 200 * ms}, {240 * ms, 240 * ms, 240 * ms}, {240 * ms, time.Second, 240 * ms},
	} {
		require.Equal(t, tc.want, wholeTicks(tc.slice, tc.tick), "%v", tc)
	}
}
