package compare

import (
	"slices"
	"strings"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
)

// figures has the figures of a series, block by block, less those of its control.
type figures struct {
	unit   string
	blocks []float64
	aa     []float64 // the second measurement of the cell's A/A contestant, in multiples of the first
	ids    []string  // of measurements
	note   string
}

type measuredRun struct {
	byName  map[string]*rundata.Series
	seconds []*rundata.Series
	alone   map[*rundata.Series]figures // without A/A
}

func newMeasuredRun(d *rundata.Data) measuredRun {
	m := measuredRun{byName: map[string]*rundata.Series{}, alone: map[*rundata.Series]figures{}}
	for _, s := range d.Series {
		m.byName[s.Name()], m.alone[s] = s, figuresOf(s, d)
		if strings.HasSuffix(s.Get("impl"), rundata.AASuffix) {
			m.seconds = append(m.seconds, s)
		}
	}
	return m
}

func (d measuredRun) figures(name string) (f figures) {
	if s := d.byName[name]; s != nil {
		f = d.alone[s]
		f.aa = d.aaOf(s)
	}
	return f
}

func (d measuredRun) aaOf(s *rundata.Series) (times []float64) {
	for _, second := range beside(s, d.seconds) {
		impl := second.Get("impl")
		first := d.byName[strings.Replace(second.Name(), "/impl="+impl, "/impl="+strings.TrimSuffix(impl, rundata.AASuffix), 1)]
		if first == nil || first.Note != "" || second.Note != "" {
			continue
		}
		a, b := d.alone[second].blocks, d.alone[first].blocks
		for i := range min(len(a), len(b)) {
			times = append(times, a[i]/b[i])
		}
	}
	return times
}

// figuresOf returns the figures of a series without A/A.
func figuresOf(s *rundata.Series, d *rundata.Data) (f figures) {
	f.unit, f.note = rundata.ExperimentOf(s.Experiment).Unit, s.Note
	if f.note != "" || len(s.Values[f.unit]) == 0 {
		return f
	}
	f.ids, f.blocks = s.Identities(), s.Blocks(f.unit)
	if c := d.ControlOf(s); c != nil && len(c.Blocks(f.unit)) == len(f.blocks) {
		net := judge.NetTime
		if f.share() {
			net = judge.Net
		}
		f.blocks = net(f.blocks, c.Blocks(f.unit))
		for i, id := range c.Identities()[:min(len(f.ids), len(f.blocks))] {
			f.ids[i] += id
		}
	}
	if f.share() {
		for i := range f.blocks {
			f.blocks[i] /= 1e9 // nanoseconds that a whole core gives in a second
		}
	}
	return f
}

// share reports whether the figures are shares of a core, which may be nothing and are compared by their difference.
func (f figures) share() bool { return f.unit == rundata.CPUPerSecond }

// figuresOfAll returns the figures of a series in several processes: the median of each, NaN where it has none.
func figuresOfAll(processes []measuredRun, name string) (all figures) {
	some := false
	for _, d := range processes {
		f := d.figures(name)
		if f.unit != "" {
			all.unit, all.note = f.unit, f.note
		}
		some = some || len(f.blocks) > 0
		all.blocks = append(all.blocks, judge.MedianFinite(f.blocks))
		all.aa = append(all.aa, f.aa...)
	}
	if !some {
		all.blocks = nil
	}
	return all
}

// without returns the blocks but those of some measurements.
func (f figures) without(ids []string) (left []float64) {
	for i, b := range f.blocks {
		if i >= len(f.ids) || !slices.Contains(ids, f.ids[i]) {
			left = append(left, b)
		}
	}
	return left
}

// contestant reports whether a series is of a contestant: not of a control, not A/A, and not of one phase (during).
func contestant(s *rundata.Series) bool {
	impl := s.Get("impl")
	return s.Get("during") == "" && impl != "" && !slices.Contains(rundata.Controls(), impl) && !strings.HasSuffix(impl, rundata.AASuffix)
}

// ways are the parameters in which two contestants of one cell may differ.
var ways = []string{"impl", "waking", "waiting", "inbox", "running"}

// beside returns the series, among all, that are in the cell of s and have another impl.
func beside(s *rundata.Series, all []*rundata.Series) (found []*rundata.Series) {
	for _, y := range all {
		if y.Experiment != s.Experiment || y.Get("impl") == s.Get("impl") {
			continue
		}
		differs := func(p rundata.Param) bool {
			return !slices.Contains(ways, p.Key) && y.Get(p.Key) != s.Get(p.Key)
		}
		if !slices.ContainsFunc(y.Params, differs) && !slices.ContainsFunc(s.Params, differs) {
			found = append(found, y)
		}
	}
	return found
}
