package compare

import (
	"flag"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/must"
)

var whole = flag.Bool("whole", false, "compare 60 runs of one build with others of it in each scenario, and not 10")

// scenarios are ways in which a machine spoils measurements.
var scenarios = map[string]func(*fabric){
	"layout 3 %":      func(*fabric) {},
	"layout 10 %":     func(f *fabric) { f.layout = 0.1 },
	"noise":           func(f *fabric) { f.round, f.outliers = 0.08, true },
	"a stalled round": func(f *fabric) { f.stalled = true },
	"few blocks":      func(f *fabric) { f.blocks = 3 },
}

func folders(t *testing.T, old, new *rundata.Data, terms Terms) *Result {
	t.Helper()
	return must.Get(Folders(old, new, terms))(t)
}

func processes(t *testing.T, old, new []*rundata.Data, terms Terms) *Result {
	t.Helper()
	return must.Get(Processes(old, new, terms))(t)
}

func significant(r *Result) (differ, all int) {
	return len(r.with(Better)) + len(r.with(Worse)), len(r.Rows)
}

// Two runs of one build, also if the margin hides nothing, and if the machine has slowed down in between.
func TestOfTheSameHardlyAnythingIsCalledDifferent(t *testing.T) {
	t.Parallel()
	draws := 10
	if *whole {
		draws = 60
	}
	for name, spoil := range scenarios {
		for _, slowdown := range []float64{1, 1.3} {
			for _, margin := range []float64{1.0001, judge.Margin} {
				differ, all, some := 0, 0, 0
				for i := range draws {
					f := newFabric(uint64(i))
					spoil(f)
					old := f.run()
					f.machine = slowdown
					n, of := significant(folders(t, old, f.run(), Terms{Margin: margin, Only: exactly(rundata.Cost, rundata.Jitter)}))
					differ, all = differ+n, all+of
					if n > 0 {
						some++
					}
				}
				require.LessOrEqual(t, float64(differ)/float64(all), 0.05, "%s, %g times as slow, margin %g", name, slowdown, margin)
				require.LessOrEqual(t, float64(some)/float64(draws), 0.05+3*math.Sqrt(0.05*0.95/float64(draws)), "%s, %g times as slow, margin %g: runs", name, slowdown, margin)
			}
		}
	}
}

func exactly(experiments ...string) func(string) bool {
	return func(name string) bool {
		of, _, _ := strings.Cut(name, "/")
		return slices.Contains(experiments, of)
	}
}

// What is a third slower is worse, and nothing else; the other way round it is better.
func TestWhatIsSlowerIsWorseAndNothingElse(t *testing.T) {
	t.Parallel()
	right, wrong, all := 0, 0, 0
	for i := range 20 {
		f := newFabric(uint64(i))
		old := f.run()
		f.slow = map[string]float64{"hierwheel": 1.3}
		new := f.run()
		for _, d := range []struct {
			old, new *rundata.Data
			want     Answer
		}{{old, new, Worse}, {new, old, Better}} {
			for _, row := range folders(t, d.old, d.new, Terms{}).Rows {
				slower := row.impl == "hierwheel"
				switch {
				case slower && row.Answer == d.want:
					right++
				case row.Answer == Better || row.Answer == Worse:
					wrong++
				}
				if slower {
					all++
				}
			}
		}
	}
	require.Greater(t, float64(right), 0.97*float64(all))
	require.LessOrEqual(t, float64(wrong), 0.05*float64(right))
}

func TestARunAndItsCopyAreTheSame(t *testing.T) {
	f := newFabric(1)
	f.layout = 0.1
	run := f.run()
	r := folders(t, run, copied(run, "nothing", 1), Terms{})
	require.Len(t, r.with(Same), len(r.Rows))
	require.Empty(t, r.open())
	for _, row := range r.Rows {
		require.True(t, row.Identical, row.Name)
	}
	_, sentences := said(t, r)
	require.Contains(t, sentences, "OLD and NEW are the same measurements")

	r = folders(t, run, copied(run, "hierwheel", 1.3), Terms{})
	for _, row := range r.Rows {
		want := Same
		if row.impl == "hierwheel" {
			want = Worse
		}
		require.Equal(t, want, row.Answer, "%s: %+v", row.Name, row.Value)
	}
	_, sentences = said(t, r)
	require.NotContains(t, sentences, "OLD and NEW are the same measurements")
	require.Contains(t, sentences, "the same to the last digit: one measurement, or what does not vary")
}

// A run and what it was merged with share blocks, which are no independent samples.
func TestWhatBothHoldCountsOnce(t *testing.T) {
	f := newFabric(2)
	a, b := f.run(), f.run()
	both := copied(a, "nothing", 1)
	for i, s := range both.Series {
		for unit := range s.Values {
			s.Values[unit] = append(s.Values[unit], b.Series[i].Values[unit]...)
		}
		s.Iterations = append(slices.Clone(s.Iterations), b.Series[i].Iterations...)
		s.Block = rundata.InBlocks(len(s.Iterations), len(s.Iterations)/2/f.blocks)
	}
	for _, pair := range [][2]*rundata.Data{{a, both}, {both, a}} {
		for _, row := range folders(t, pair[0], pair[1], Terms{Only: exactly(rundata.Cost)}).Rows {
			require.False(t, row.Identical)
			require.Equal(t, f.blocks, row.Blocks)
			require.Len(t, row.was, f.blocks)
			require.Len(t, row.is, f.blocks)
		}
	}
}

// Processes that take turns share what drifts from one pair to the next, which runs one after the other do not.
func TestPairsOfProcessesCancelDrift(t *testing.T) {
	t.Parallel()
	differ, seen, of := 0, 0, 0
	for i := range 20 {
		f := newFabric(uint64(i))
		f.blocks = 2
		var old, same, slower []*rundata.Data
		for p := range 8 {
			f.machine = 1 + 0.1*float64(p) // all the time slower
			f.slow = nil
			old, same = append(old, f.run()), append(same, f.run())
			f.slow = map[string]float64{"hierwheel": 1.1}
			slower = append(slower, f.run())
		}
		r := processes(t, old, same, Terms{Margin: 1.02, Only: exactly(rundata.Cost)})
		require.Equal(t, 8, r.Rows[0].Blocks)
		n, _ := significant(r)
		differ += n
		for _, row := range processes(t, old, slower, Terms{Margin: 1.02, Only: exactly(rundata.Cost)}).with(Worse) {
			if row.impl == "hierwheel" {
				seen++
			}
		}
		of += len(madeOps) * len(madePending)
	}
	require.LessOrEqual(t, differ, 4)
	require.Greater(t, float64(seen), 0.9*float64(of))
}

func TestSharesOfACoreAreComparedByTheirDifference(t *testing.T) {
	f := newFabric(3)
	idle := func(share float64) *rundata.Data {
		d := &rundata.Data{}
		f.series(d, rundata.Idle, "impl=hierwheel waking=tickless pending=9", rundata.CPUPerSecond, func() float64 { return (share + 0.0001*f.r.Float64()) * 1e9 }, 1)
		f.series(d, rundata.Idle, "impl=process waking=none pending=9", rundata.CPUPerSecond, func() float64 { return 0.0002 * 1e9 }, 1)
		return d
	}
	row := folders(t, idle(0.0003), idle(0.0009), Terms{}).Rows[0]
	require.Equal(t, Same, row.Answer, "three times as much, of what is too little to notice")
	require.True(t, row.Share)
	require.InDelta(t, 0.0006, row.Value.Value, 0.0001)
	require.InDelta(t, 0.00015, row.Old, 0.00005, "beyond the idle process")
	row = folders(t, idle(0.0003), idle(0.0103), Terms{}).Rows[0]
	require.Equal(t, Worse, row.Answer)
	require.Equal(t, Same, folders(t, idle(0.0103), idle(0.0109), Terms{}).Rows[0].Answer, "within a tenth")
	require.Equal(t, Better, folders(t, idle(0.0103), idle(0.0003), Terms{}).Rows[0].Answer)
}

func TestWhoIsOutOfOneRunIsSaid(t *testing.T) {
	f := newFabric(4)
	with := func(note string) *rundata.Data {
		d := &rundata.Data{}
		f.series(d, rundata.Profiles, "profile=p impl=listsched", rundata.NsPerOp, func() float64 { return 10 + f.r.Float64() }, 1)
		d.Series[0].Note = note
		return d
	}
	row := folders(t, with(""), with(rundata.Wrong+": lost one"), Terms{}).Rows[0]
	require.Equal(t, Worse, row.Answer)
	require.Equal(t, "in NEW: wrong: lost one", row.Why)
	require.Equal(t, Better, folders(t, with("wrong"), with(""), Terms{}).Rows[0].Answer)
	require.Equal(t, Unclear, folders(t, with(""), with(rundata.GaveUp+" after 4s"), Terms{}).Rows[0].Answer, "by how little is unknown")
	same := folders(t, with("wrong"), with(""), Terms{Untouched: func(string) bool { return true }})
	require.Equal(t, Unclear, same.Rows[0].Answer, "its code is the same")
	require.Empty(t, same.open())
	_, err := Folders(with("wrong"), with("wrong"), Terms{})
	require.ErrorIs(t, err, ErrNothing)
}

func TestSeriesArePairedByName(t *testing.T) {
	f := newFabric(5)
	old, new := f.run(), f.run()
	old.Series = append(old.Series, &rundata.Series{Experiment: rundata.Cost, Params: []rundata.Param{{Key: "impl", Value: "gone"}}})
	new.Series = append(new.Series, &rundata.Series{Experiment: rundata.Cost, Params: []rundata.Param{{Key: "impl", Value: "born"}}})
	r := folders(t, old, new, Terms{})
	require.Equal(t, []string{"Cost/impl=gone"}, r.OnlyOld)
	require.Equal(t, []string{"Cost/impl=born"}, r.OnlyNew)
	for _, row := range r.Rows {
		for _, control := range []string{"impl=empty", "impl=sleep", "impl=process", "-again"} {
			require.NotContains(t, row.Name, control)
		}
	}
	r = folders(t, old, new, Terms{Only: func(name string) bool {
		return strings.Contains(name, "heapsched") && strings.Contains(name, "op=pair")
	}})
	require.Len(t, r.Rows, len(madePending))
	require.Empty(t, r.OnlyNew)
	_, err := Folders(old, new, Terms{Only: func(string) bool { return false }})
	require.ErrorIs(t, err, ErrNothing)
}

// On another machine time.AfterFunc and container/heap are contestants like others.
func TestBaselinesShowTheMachineWhereItIsOne(t *testing.T) {
	f := newFabric(6)
	old := f.run()
	f.machine = 2
	new := f.run()
	only := Terms{Only: exactly(rundata.Cost)}
	r := folders(t, old, new, only)
	require.True(t, r.OneMachine)
	differ, _ := significant(r)
	require.Zero(t, differ)
	_, sentences := said(t, r)
	require.Contains(t, sentences, "(container-heap) show what the machine and the linker do. Only a change by more than")

	new.Env["cpu"] = "Another CPU"
	r = folders(t, old, new, only)
	require.False(t, r.OneMachine)
	require.Len(t, r.with(Worse), len(r.Rows))
	require.True(t, slices.ContainsFunc(r.with(Worse), func(row Row) bool { return strings.Contains(row.Name, catalog.ContainerHeap) }))
	_, sentences = said(t, r)
	require.NotContains(t, sentences, "the machine and the linker")
}
