package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
)

// tail makes up calls in blocks of which the p99.9 scatters.
func (g *synthetic) tail(params string, calls int, p999, scatter float64) *rundata.Series {
	s := g.series(rundata.Tails, params, nil)
	s.Took, s.Collecting = hdrhistogram.New(1, 60e9, 2), hdrhistogram.New(1, 60e9, 2)
	for i := range s.Iterations {
		s.Iterations[i] = calls
		ns := p999 * math.Exp(scatter*g.rng.NormFloat64())
		for unit, share := range map[string]float64{rundata.P50Took: 0.01, rundata.P99Took: 0.05, rundata.P999Took: 1} {
			s.Values[unit] = append(s.Values[unit], share*ns)
		}
		n := int64(calls)
		_ = s.Took.RecordValues(int64(ns/100), n/2)
		_ = s.Collecting.RecordValues(int64(ns/20), n/2-n/500)
		_ = s.Took.RecordValues(int64(ns), n/500)
	}
	return s
}

// tails makes up calls of some contestants that take so many times as long as others, by
// name, and of the clock. hierwheel has a cascade.
func (g *synthetic) tails(pending, calls int, scatter float64, takes map[string]float64) {
	of := func(holding string, ops []string, names ...string) {
		add := func(op, during, name string, p999 float64) *rundata.Series {
			return g.tail(fmt.Sprintf("op=%s impl=%s pending=%d during=%s%s", op, name, pending, during, holding), calls, p999, scatter)
		}
		for _, name := range append(names, catalog.Hier, catalog.Hier+rundata.AASuffix) {
			by := cmp.Or(takes[name], 1)
			add(rundata.CallSchedule, rundata.DuringGrow, name, 8e3*by)
			add(rundata.CallCancel, rundata.DuringShrink, name, 7e3*by)
			for _, op := range ops {
				s := add(op, rundata.DuringHold, name, 5e3*by)
				if op == rundata.CallExpire {
					g.longest(s, 40e3, 80, 0)
					if strings.HasPrefix(name, catalog.Hier) {
						g.longest(s, 500e3, 3, 25e3)
					}
				}
			}
		}
		g.longest(add(rundata.CallExpire, rundata.DuringHold, rundata.ClockControl, 500), 2e3, 0, 0)
	}
	of("", rundata.Calls(), catalog.Heap, catalog.Rounds, catalog.ContainerHeap)
	of(" holding="+rundata.HoldingFunctions, rundata.Calls()[:3], catalog.RuntimeTimer)
}

// longest makes up the longest Expire of blocks.
func (g *synthetic) longest(s *rundata.Series, ns, due, cascaded float64) {
	for unit, v := range map[string]float64{rundata.LongestExpire: ns, rundata.LongestDue: due, rundata.LongestCascaded: cascaded} {
		s.Values[unit] = slices.Repeat([]float64{v}, len(s.Iterations))
	}
	for i := range s.Iterations {
		s.Values[rundata.LongestExpire][i] *= math.Exp(0.05 * g.rng.NormFloat64())
	}
}

func TestSingleCallsDifferSignificantly(t *testing.T) {
	g := newSynthetic(8)
	g.tails(100_000, 20_000, 0.1, map[string]float64{catalog.ContainerHeap: 10, catalog.RuntimeTimer: 4, catalog.Heap: 0.5})
	lines := Judge(g.data, Options{}).Verdict()
	said(t, lines, "The 99.9th percentile of single calls (100k pending): heapsched leads for Schedule, Cancel, Reset and Expire, and the next (", "; 1 call in 1,000 takes longer.")
	said(t, lines, "The 99.9th percentile of single calls (100k timers on the real clock): hierwheel leads for AfterFunc, Stop and Reset, and the next (time.AfterFunc) takes ")
}

func TestNoContestantLeadsAtSingleCallsByChance(t *testing.T) {
	for name, c := range map[string]struct {
		calls   int
		scatter float64
		takes   map[string]float64
		want    string
	}{
		"alike": {20_000, 0.02, nil, `The 99\.9th percentile of single calls \(100k pending\): .* are within 10 % of it, for Expire`},
		"a p99.9 of 999 calls, which is the longest": {999, 0.1, map[string]float64{catalog.ContainerHeap: 10}, `^$`},
	} {
		t.Run(name, func(t *testing.T) {
			g := newSynthetic(8)
			g.tails(100_000, c.calls, c.scatter, c.takes)
			lines := Judge(g.data, Options{}).Verdict()
			got := strings.Join(lists.Only(lines, func(l string) bool { return strings.Contains(l, "99.9th percentile of single calls") }), "\n")
			require.NotContains(t, got, "leads for")
			require.Regexp(t, c.want, got)
		})
	}
}

func TestTablesOfSingleCalls(t *testing.T) {
	g := newSynthetic(8)
	g.tails(100_000, 20_000, 0.01, map[string]float64{catalog.ContainerHeap: 10})
	tables := tablesOf(t, g.data)
	for _, form := range []string{
		`Single calls of bare schedulers\n`, `Single calls of timers on the real clock\n`, `The longest Expire of a cascade\n`,
		`Schedule +hold +heapsched +100k +160k .* (4\.9|5\.0)\d µs .* 49\.8 % +(4\.9|5\.0)\d µs`,
		`Schedule +grow +heapsched +100k`, `Cancel +shrink +container-heap +100k .* (69|70)\.\d µs`,
		`AfterFunc +hold +time\.AfterFunc +100k`, `Expire +hold +clock +100k`,
		`hierwheel +100k +\d+ µs [^ ]+ +3 .* +25k`,
	} {
		require.Regexp(t, form, tables)
	}
	require.NotContains(t, tables, rundata.AASuffix)
}

// Of two blocks one has the slow calls: they are in the percentile of all calls, and in its interval.
func TestPercentilesAreOfAllCalls(t *testing.T) {
	g := newSynthetic(8)
	s := g.tail("op=cancel impl=hierwheel pending=1000 during=hold", 1000, 5e3, 0)
	require.InEpsilon(t, 5e3, pooled(s, rundata.P999Took).Median, 0.01)
	require.InEpsilon(t, 50, pooled(s, rundata.P50Took).Median, 0.02)
	_ = s.Collecting.RecordValues(1e6, 100)
	of := pooled(s, rundata.P999Took)
	require.InEpsilon(t, 1e6, of.Median, 0.01)
	require.InEpsilon(t, 1e6, of.High, 0.01)
	require.InEpsilon(t, 5e3, of.Low, 0.01)
	g.longest(s, 9e6, 1, 2)
	require.InEpsilon(t, 9e6, pooled(s, rundata.LongestExpire).Median, 0.2, "the median of blocks")
}

// What a run lacks that a full one has is not answered: larger counts, and single calls.
func TestWhatADefaultRunLacksIsNotAnswered(t *testing.T) {
	open := func(most int, tails bool) string {
		g := newSynthetic(6)
		g.costs([]string{"pair"}, []string{"uniform"}, []int{100, most}, "heapsched", "hierwheel")
		if tails {
			g.tails(1_000, 2_000, 0.1, nil)
		}
		return fmt.Sprint(Judge(g.data, Options{}).Card().Open)
	}
	has(t, open(100_000, false), "{more than 100k timers bench --experiments cost,memory --pending 1M}", "{the slowest calls bench --experiments tails}")
	has(t, open(1_000_000, true), "{more than 1M timers bench --experiments cost,memory --pending 10M}")
	lacks(t, open(1_000_000, true), "slowest calls")
	lacks(t, open(10_000_000, true), "more than")
}
