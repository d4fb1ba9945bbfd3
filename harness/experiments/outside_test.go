package experiments_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/live"
)

func outsidePlan(took *[]string, drawn map[int][]uint64, fail error) *harness.Plan {
	turn := func(name string, ns float64) harness.Participant {
		return harness.Participant{
			Params: []rundata.Param{{Key: "impl", Value: name}, {Key: "held", Value: "10"}}, Time: time.Second,
			Take: func(_ context.Context, block int, r *rand.Rand) (harness.Sample, error) {
				*took = append(*took, name)
				drawn[block] = append(drawn[block], r.Uint64())
				fired := []live.Firing{{Timer: 0, At: 2 * time.Millisecond, Deadline: time.Millisecond}, {Timer: 1, At: time.Millisecond, Deadline: time.Second}}
				return harness.Sample{
					Iterations: 7, Values: map[string]float64{rundata.NsPerOp: ns},
					Outcome: &live.Outcome{Fired: 2, Early: 1, Firings: fired},
				}, fail
			},
		}
	}
	p := experiments.QuickPlan()
	p.Experiments, p.Blocks, p.Rough = nil, 4, true
	p.Custom = []harness.CustomCell{{Experiment: "Elsewhere", Name: "elsewhere-10", Blocks: 4, Participants: []harness.Participant{turn("a", 100), turn("b", 300)}}}
	return p
}

func TestACellFromOutsideIsMeasuredAndReadAsAnyOther(t *testing.T) {
	var took []string
	drawn := map[int][]uint64{}
	p := outsidePlan(&took, drawn, nil)
	require.Equal(t, 8*time.Second, p.Time())
	dir := t.TempDir()
	d, _ := measure(t, p, dir)
	require.Len(t, took, 8)
	for block := range 3 {
		require.NotEqual(t, took[2*block], took[2*block+1], "both have a turn in each block")
	}
	for block := range 4 {
		require.Equal(t, drawn[block][0], drawn[block][1], "and get the same")
	}
	require.NotEqual(t, drawn[0], drawn[1])

	series := d.Select("Elsewhere", "impl=b", "held=10")
	require.Len(t, series, 1)
	require.Equal(t, []float64{300, 300, 300, 300}, series[0].Blocks(rundata.NsPerOp))
	require.Equal(t, []float64{1, 1, 1, 1}, series[0].Blocks(rundata.Early))
	require.EqualValues(t, 4, series[0].Late.TotalCount())
	require.EqualValues(t, 4, series[0].Early.TotalCount())
	require.InDelta(t, 1e6, series[0].Blocks(rundata.P99Late)[0], 1e3)

	took = nil
	again, seen := measure(t, p, dir)
	require.Empty(t, took, "it was measured before")
	require.Empty(t, seen.blocks)
	require.Equal(t, d.Select("Elsewhere")[0].Values, again.Select("Elsewhere")[0].Values)

	require.NoError(t, os.Remove(filepath.Join(dir, "block-00.hlog")))
	_, err := rundata.Load(dir)
	require.ErrorContains(t, err, "lacks a histogram")
}

func TestATurnFromOutsideThatFailsIsAnErrorThatNamesIt(t *testing.T) {
	var took []string
	broken := errors.New("the disk is full")
	_, err := harness.Run(t.Context(), outsidePlan(&took, map[int][]uint64{}, broken), t.TempDir(), nil, nil)
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "Elsewhere/impl=")
}

func TestBadCellsFromOutsideAreRefused(t *testing.T) {
	for want, spoil := range map[string]func(*harness.Plan){
		"is of Idle":          func(p *harness.Plan) { p.Custom[0].Experiment = rundata.Idle },
		"given twice":         func(p *harness.Plan) { p.Custom = append(p.Custom, p.Custom[0]) },
		"0 blocks":            func(p *harness.Plan) { p.Custom[0].Blocks = 0 },
		"0 turns":             func(p *harness.Plan) { p.Custom[0].Participants = nil },
		"series Elsewhere/im": func(p *harness.Plan) { p.Custom[0].Participants[1] = p.Custom[0].Participants[0] },
	} {
		var took []string
		p := outsidePlan(&took, map[int][]uint64{}, nil)
		require.NoError(t, p.Check())
		spoil(p)
		require.ErrorContains(t, p.Check(), want)
	}
}
