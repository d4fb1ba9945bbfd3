package price

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

// made says what data are made up of: what everybody takes of each unit.
type made struct {
	blocks  int
	scatter float64
	seed    uint64
	// of returns the figure of a unit, 0 for none.
	of func(k Keeper, held int, unit string) float64
}

// usual is what might be measured.
func usual(k Keeper, held int, unit string) float64 {
	memory := map[string]float64{AckedNs: 200, PostedNs: 200, CancelNs: 100, AckedCPU: 250, PostedCPU: 250, CancelCPU: 120, rundata.BytesPerTimer: 60,
		rundata.P99Late: 1e6, rundata.CPUPerSecond: 1e6}
	durable := map[string]float64{AckedNs: 20_000, PostedNs: 7_000, CancelNs: 19_000, AckedCPU: 25_000, PostedCPU: 12_000, CancelCPU: 24_000, rundata.BytesPerTimer: 600,
		rundata.P99Late: 2e6, rundata.CPUPerSecond: 4e6, ReadyNs: 2e8, ReadyBytes: 1e8, CrashedNs: 6e8, CrashedBytes: 2e8, DiskPerTimer: 400, FillNs: 8_000}
	switch {
	case k.inMemory():
		return memory[unit]
	case k.Impl == Poll && unit == rundata.P99Late:
		return float64(k.Interval)
	case k.Impl == Poll && unit == rundata.CPUPerSecond:
		return 4e6 + 0.2e6*1e9/float64(k.Interval)
	case k.Impl == Engine && unit == rundata.P99Late:
		return 250e6
	case k.Killed && unit == rundata.P99Late:
		return 6e9
	case strings.HasPrefix(unit, "late-at-"):
		return pick(k.Killed && madeLooks(0, 7*time.Second)[unit], 800) * 5e6
	case k.Servers > 1 && unit == ServersCPU:
		return 20e6
	case k.Servers > 1 && strings.HasSuffix(unit, "/op"):
		return 3 * durable[unit]
	case k.Sync == SyncAlways && strings.HasSuffix(unit, "/op"):
		return 100 * durable[unit]
	}
	return durable[unit]
}

// madeLooks are the units of how late timers are that are due within some time after a server was killed.
func madeLooks(from, to time.Duration) map[string]bool {
	units := map[string]bool{}
	for at := from; at < to; at += lookEvery {
		units[LateAt(at)] = true
	}
	return units
}

// data makes data of what a plan of a config would measure.
func (m made) data(t *testing.T, c Config) *rundata.Data {
	t.Helper()
	p, _, err := c.Plan()
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(m.seed, 4))
	d := &rundata.Data{Complete: true, Env: map[string]string{"cpu": "a machine", "goos": "linux", "goarch": "amd64", "command": "bench durable | more"}}
	units := []string{AckedNs, PostedNs, CancelNs, AckedCPU, PostedCPU, CancelCPU, rundata.BytesPerTimer, rundata.P99Late, rundata.CPUPerSecond, ServersCPU,
		ReadyNs, ReadyBytes, CrashedNs, CrashedBytes, DiskPerTimer, FillNs}
	for _, cell := range p.Custom {
		for _, turn := range cell.Participants {
			s := &rundata.Series{Experiment: cell.Experiment, Params: turn.Params, Values: map[string][]float64{}}
			var held int
			_, err := fmt.Sscan(s.Get("held"), &held)
			require.NoError(t, err)
			fires := cell.Experiment != HeldExperiment
			of := units
			if cell.Experiment == ChangeExperiment {
				of = append(slices.Sorted(maps.Keys(madeLooks(-beforeKill, c.Change-beforeKill))), rundata.P99Late)
			}
			for _, unit := range of {
				late := cell.Experiment == ChangeExperiment || slices.Contains([]string{rundata.P99Late, rundata.CPUPerSecond, ServersCPU}, unit)
				v := m.of(keeperOf(s), held, unit)
				if v == 0 || late != fires {
					continue
				}
				for range m.blocks {
					s.Values[unit] = append(s.Values[unit], v*math.Exp(m.scatter*r.NormFloat64()))
				}
			}
			for range m.blocks {
				s.Iterations = append(s.Iterations, 1)
				if fires {
					for unit, n := range map[string]float64{rundata.Fired: 1000, rundata.Early: 0, rundata.Lost: 0, rundata.Doubled: 0} {
						s.Values[unit] = append(s.Values[unit], n)
					}
				}
			}
			if fires {
				s.Late, s.Early = hdrhistogram.New(1, int64(time.Minute), 3), hdrhistogram.New(1, int64(time.Minute), 3)
				for i := range 1000 {
					require.NoError(t, s.Late.RecordValue(int64(m.of(keeperOf(s), held, rundata.P99Late)*float64(i+1)/990)))
				}
			}
			d.Series = append(d.Series, s)
		}
	}
	return d
}

// said is what is said of data in which somebody takes so many times what is usual of a unit.
func said(t *testing.T, scatter float64, change func(k Keeper, held int, unit string) float64) string {
	t.Helper()
	m := made{blocks: 5, scatter: scatter, of: func(k Keeper, held int, unit string) float64 {
		return usual(k, held, unit) * change(k, held, unit)
	}}
	return strings.Join(Sentences(m.data(t, Default())), "\n")
}

// as changes nothing.
func as(Keeper, int, string) float64 { return 1 }

// times multiplies a unit of somebody.
func times(who Keeper, unit string, by float64) func(Keeper, int, string) float64 {
	return func(k Keeper, _ int, u string) float64 {
		if k == who && u == unit {
			return by
		}
		return 1
	}
}
