package compare

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
)

func untouched(impl string) bool { return impl != "hierwheel" }

func costOfHierwheel(name string) bool {
	return strings.Contains(name, "impl=hierwheel") && strings.HasPrefix(name, rundata.Cost)
}

// linkedBuilds makes up pairs of processes of two builds, in one of which hierwheel takes so many times as long.
func linkedBuilds(seed uint64, linked, slow float64) (old, new []*rundata.Data) {
	f := newFabric(seed)
	f.blocks, f.linked = 2, linked
	var sides [2][]*rundata.Data
	for side := range sides {
		f.places = map[string]float64{}
		if side == 1 {
			f.slow = map[string]float64{"hierwheel": slow}
		}
		for range 10 {
			sides[side] = append(sides[side], f.run())
		}
	}
	return sides[0], sides[1]
}

// Two builds have the same hierwheel, but the linker puts its code elsewhere. The table is in docs/comparing.md.
func TestWhereTheLinkerPutsCodeMakesNothingBetter(t *testing.T) {
	draws := 5
	if *whole {
		draws = 200
	}
	rules := []Terms{{Only: exactly(rundata.Cost)}, {Only: exactly(rundata.Cost), Untouched: untouched}}
	for _, c := range []struct{ linked, found float64 }{{0, 1}, {0.03, 0.99}, {0.06, 0.6}, {0.1, 0.1}} {
		t.Run(fmt.Sprint(c.linked), func(t *testing.T) {
			t.Parallel()
			var wrong [2]int // runs with a false answer, without the rule and with it
			found := 0
			for i := range draws {
				old, new := linkedBuilds(uint64(i), c.linked, 1)
				for k, terms := range rules {
					r := processes(t, old, new, terms)
					if k == 0 {
						for i := range r.Rows {
							r.Rows[i].noise, r.Rows[i].equals = r.Rows[i].most, nil
						}
						r.answer()
					}
					if n, _ := significant(r); n > 0 {
						wrong[k]++
					}
				}
				old, new = linkedBuilds(uint64(i), c.linked, 1.4)
				for _, row := range processes(t, old, new, rules[1]).with(Worse) {
					require.Equal(t, "hierwheel", row.impl)
					found++
				}
			}
			of := draws * len(madeOps) * len(madePending)
			t.Logf("builds scatter by %g: a false answer in %d and %d of %d runs; of changes by 1.4 %d of %d are found", c.linked, wrong[0], wrong[1], draws, found, of)
			require.LessOrEqual(t, wrong[1], max(1, draws/20))
			if c.linked > 0.05 {
				require.Equal(t, draws, wrong[0], "the scatter of builds is in no interval")
			}
			require.GreaterOrEqual(t, float64(found), c.found*float64(of))
		})
	}
}

func TestTheSameCodeIsNeitherBetterNorOpen(t *testing.T) {
	old, new := linkedBuilds(1, 0.1, 1)
	r := processes(t, old, new, Terms{Only: exactly(rundata.Cost), Untouched: func(string) bool { return true }})
	require.Empty(t, append(r.with(Better), r.with(Worse)...))
	require.Empty(t, r.open(), "no change has made it worse")
	tables, sentences := said(t, r)
	require.Contains(t, tables, "unclear: the code is the same")
	require.NotContains(t, sentences, "Only a change by more than")

	_, sentences = said(t, processes(t, old, new, Terms{Only: exactly(rundata.Cost), Untouched: untouched}))
	require.Regexp(t, `code that is the same in both \(container-heap, heapsched and roundswheel\) .* Only a change by more than \d\.\d+× to \d\.\d+× is called`, sentences)
	_, only := said(t, processes(t, old, new, Terms{Only: costOfHierwheel, Untouched: untouched}))
	require.Regexp(t, `\(container-heap, heapsched and roundswheel\) .* Only a change by more than 1\.\d+×`, only, "also if these are not compared themselves")
	require.NotContains(t, sentences+only, "fewer than 3 series")
	require.Regexp(t, `(?s) unclear \(\d+ of them the same code in OLD and NEW\)\..*\d+ unclear series whose code may differ: `, sentences)
	require.NotContains(t, only, "the same code in OLD and NEW")

	alone := func(all []*rundata.Data) (left []*rundata.Data) {
		for _, d := range all {
			c := *d
			c.Series = lists.Only(d.Series, func(s *rundata.Series) bool { return s.Get("impl") == "hierwheel" })
			left = append(left, &c)
		}
		return left
	}
	_, sentences = said(t, processes(t, alone(old), alone(new), Terms{Only: exactly(rundata.Cost), Untouched: untouched}))
	require.NotContains(t, sentences, "Only a change by more than", "there is nothing to hold it against")
	require.Contains(t, sentences, "12 series have fewer than 3 of unchanged code to be held against: ")
}

func TestWhatIsTheSameIsSoBesideItsEquals(t *testing.T) {
	row := func(low, high float64, equals ...float64) *Row {
		return &Row{Value: judge.Estimate{Value: math.Sqrt(low * high), Low: low, High: high}, most: 1.1, equals: lists.Each(equals, math.Log)}
	}
	require.True(t, row(0.97, 1.03).sameAsEquals(), "nothing to hold it against")
	require.True(t, row(0.97, 1.03, 0.7, 0.7).sameAsEquals(), "two may differ by chance")
	require.True(t, row(0.97, 1.03, 0.7, 1.3, 1.1, 0.8).sameAsEquals(), "equals that scatter show no shift")
	require.True(t, row(0.97, 1.03, 1.01, 1.02, 1.03).sameAsEquals(), "a shift within the margin")
	require.False(t, row(0.97, 1.03, 0.7, 0.71, 0.72, 0.69).sameAsEquals(), "the machine is faster, and the code slower")
	require.False(t, row(0.97, 1.03, 1.4, 1.41, 1.42, 1.39).sameAsEquals(), "the machine is slower, and the code faster")

	r := row(0.97, 1.03, 0.7, 0.71, 0.72, 0.69)
	r.answer(verdict{Estimate: r.Value, answer: Same}, 1)
	require.Equal(t, Unclear, r.Answer)
	require.Equal(t, judge.TooMany, r.More)
}

func TestContainerHeapIsTheSameOnlyIfItsCodeIs(t *testing.T) {
	f := newFabric(9)
	old := f.run()
	f.slow = map[string]float64{catalog.ContainerHeap: 1.5}
	new := f.run()
	cost := exactly(rundata.Cost)
	require.Empty(t, folders(t, old, new, Terms{Only: cost}).with(Worse))
	changed := folders(t, old, new, Terms{Only: cost, Untouched: func(impl string) bool { return impl != catalog.ContainerHeap }})
	worse := changed.with(Worse)
	require.NotEmpty(t, worse)
	for _, row := range worse {
		require.Equal(t, catalog.ContainerHeap, row.impl)
	}
	require.Empty(t, changed.with(Better), "no other is held against it")
}

func TestEqualsScatterWithTheirLike(t *testing.T) {
	cells := map[string]bool{}
	for _, params := range []string{
		"op=pair pending=9", "op=reset pending=9", "op=live-pair pending=9 goroutines=1", "op=live-reset pending=9 goroutines=1",
		"op=live-pair pending=9 goroutines=2", "op=pair pending=10",
	} {
		f, d := newFabric(1), &rundata.Data{}
		f.series(d, rundata.Cost, params+" impl=a", rundata.NsPerOp, func() float64 { return 1 + f.r.Float64() }, 1)
		cells[folders(t, d, d, Terms{}).Rows[0].cells] = true
	}
	require.Len(t, cells, 4)
}

// A/A that is apart by a third makes a difference of a fifth no answer.
func TestWhatAAShowsIsNoDifference(t *testing.T) {
	f := newFabric(3)
	old := f.run()
	f.slow = map[string]float64{"hierwheel": 1.2}
	new := f.run()
	only := Terms{Only: costOfHierwheel}
	require.NotEmpty(t, folders(t, old, new, only).with(Worse))
	for _, s := range old.Series {
		if s.Get("impl") == "hierwheel-again" {
			for i := range s.Values[rundata.NsPerOp] {
				s.Values[rundata.NsPerOp][i] *= 1.33
			}
		}
	}
	require.Empty(t, folders(t, old, new, only).with(Worse))
}

// fabric makes up runs of known truth.
type fabric struct {
	r             *rand.Rand
	layout, round float64 // the scatter of blocks and of rounds, as that of logarithms
	blocks        int
	outliers      bool
	machine       float64            // how many times as long everything takes
	slow          map[string]float64 // how many times as long contestants take besides
	stalled       bool               // one round takes ten times as long
	linked        float64            // the scatter of builds, as that of logarithms: a cell's code has one place in a build
	places        map[string]float64 // what that came to in this build
}

// place returns how the place of its code slows a series: the same for a contestant and its A/A.
func (f *fabric) place(where, name string) float64 {
	if f.places == nil {
		return 1
	}
	key := where + strings.TrimSuffix(name, rundata.AASuffix)
	if _, drawn := f.places[key]; !drawn {
		f.places[key] = math.Exp(f.linked * f.r.NormFloat64())
	}
	return f.places[key]
}

func newFabric(seed uint64) *fabric {
	return &fabric{r: rand.New(rand.NewPCG(seed, 7)), layout: 0.03, round: 0.02, blocks: 8, machine: 1}
}

const roundsOfBlock = 3

var costs = map[string]float64{"heapsched": 30, "roundswheel": 25, "hierwheel": 20, "hierwheel-again": 20, catalog.ContainerHeap: 90}

var (
	madeOps     = []string{"pair", "insert", "reset", "expire"}
	madePending = []string{"1000", "100000", "1000000"}
)

// run makes up a run of cost cells, and of one of lateness and one of idling.
func (f *fabric) run() *rundata.Data {
	d := &rundata.Data{Complete: true, Env: map[string]string{"cpu": "Made-up CPU", "kernel": "6.1", "go-version": "go1.26.0", "gomaxprocs": "2"}}
	for _, op := range madeOps {
		for _, n := range madePending {
			where := fmt.Sprintf("op=%s pending=%s", op, n)
			f.series(d, rundata.Cost, where+" impl="+rundata.EmptyControl, rundata.NsPerOp, func() float64 { return 2 }, roundsOfBlock)
			for _, name := range slices.Sorted(maps.Keys(costs)) {
				block := f.block(name, roundsOfBlock)
				f.series(d, rundata.Cost, where+" impl="+name, rundata.NsPerOp, func() float64 { return 2 + costs[name]*f.place(where, name)*block() }, roundsOfBlock)
			}
		}
	}
	for _, name := range []string{rundata.SleepControl, catalog.RuntimeTimer, "heapsched", "hierwheel"} {
		for _, rate := range []string{"100", "1000", "10000"} { // three equals
			f.series(d, rundata.Jitter, "rate="+rate+" impl="+name, rundata.P99Late, f.of(name, 1e6), 1)
		}
		f.series(d, rundata.Idle, "waking=1ms pending=1000 impl="+name, rundata.CPUPerSecond, f.of(name, 0.02*1e9), 1)
		f.series(d, rundata.Memory, "pending=1000 impl="+name, rundata.BytesPerTimer, func() float64 { return 28 * f.slower(name) }, 1)
	}
	f.series(d, rundata.Idle, "waking=none pending=1000 impl="+rundata.ProcessControl, rundata.CPUPerSecond, func() float64 { return 1e5 }, 1)
	return d
}

func (f *fabric) slower(name string) float64 {
	if s, ok := f.slow[strings.TrimSuffix(name, rundata.AASuffix)]; ok {
		return s
	}
	return 1
}

func (f *fabric) of(name string, about float64) func() float64 {
	block := f.block(name, 1)
	return func() float64 { return about * block() }
}

// block returns what draws the factors of a contestant, round by round, so many to a block.
func (f *fabric) block(name string, rounds int) func() float64 {
	n, layout := 0, 1.0
	stall := -1
	if f.stalled {
		stall = f.r.IntN(f.blocks * rounds)
	}
	return func() float64 {
		if n%rounds == 0 {
			layout = math.Exp(f.layout * f.r.NormFloat64())
		}
		noise := f.round * f.r.NormFloat64()
		if f.outliers && f.r.Float64() < 0.05 {
			noise = 10 * math.Abs(noise)
		}
		v := f.machine * f.slower(name) * layout * math.Exp(noise)
		if n == stall {
			v *= 10
		}
		n++
		return v
	}
}

func (f *fabric) series(d *rundata.Data, experiment, params, unit string, next func() float64, rounds int) {
	s := &rundata.Series{Experiment: experiment, Block: rundata.InBlocks(f.blocks*rounds, rounds), Values: map[string][]float64{}}
	for p := range strings.FieldsSeq(params) {
		key, value, _ := strings.Cut(p, "=")
		s.Params = append(s.Params, rundata.Param{Key: key, Value: value})
	}
	for range f.blocks * rounds {
		s.Iterations = append(s.Iterations, 1)
		s.Values[unit] = append(s.Values[unit], next())
	}
	d.Series = append(d.Series, s)
}

// copied returns a copy of a run in which a contestant is so many times as slow.
func copied(d *rundata.Data, name string, slow float64) *rundata.Data {
	c := *d
	c.Series = nil
	for _, s := range d.Series {
		twin := *s
		twin.Values = map[string][]float64{}
		for unit, values := range s.Values {
			twin.Values[unit] = slices.Clone(values)
			if strings.TrimSuffix(s.Get("impl"), rundata.AASuffix) == name {
				for i := range values {
					twin.Values[unit][i] *= slow
				}
			}
		}
		c.Series = append(c.Series, &twin)
	}
	return &c
}
