package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
)

// Answer says how something new compares with what was.
type Answer int

// The answers. What is none of the others is unclear.
const (
	Unclear Answer = iota
	Same
	Better
	Worse
)

// String returns the answer in words.
func (a Answer) String() string { return [...]string{"unclear", "the same", "better", "worse"}[a] }

// answers are what those of a judge mean, since less is better everywhere.
var answers = map[judge.Answer]Answer{judge.AsFast: Same, judge.Faster: Better, judge.Slower: Worse}

// Row is how one series compares.
type Row struct {
	// Name is that of the series, and Unit that of its figures.
	Name, Unit string
	Answer     Answer
	// Share says that the figures are shares of a core.
	Share bool
	// Old and New are the medians of blocks.
	Old, New float64
	// Value is the ratio of new to old, with its interval. For shares of a core it is the difference, new less old.
	Value judge.Estimate
	// Blocks is the smaller number of blocks. More would decide an unclear answer, judge.TooMany if none would.
	Blocks, More int
	// Identical says that both are the same measurement.
	Identical bool
	// Alone is the answer without a correction for other comparisons, if only that answer is significant.
	Alone Answer
	// Drift is the difference of unchanged code in that cell, as Value; 0 if none was measured or the machine is another.
	Drift float64
	// Why says why there are no figures, if there are none.
	Why string

	was, is          figures
	paired           bool
	constant         bool // its code is the same in both
	driftSignificant bool
	impl             string
	cells            string    // of rows whose equals scatter alike: experiment, pending, goroutines, driver
	most, noise      float64   // the greatest Value that counts as none, and that is not significant
	equals           []float64 // logarithms of the ratios of unchanged code in such cells
}

// row returns the row of a series, and false if there are no figures to compare. It leaves the answer open if that
// depends on an interval.
func (m measurements) row(s *rundata.Series, t Terms) (r Row, judged bool) {
	margin, was, is := t.margin(), m.old(s.Name()), m.new(s.Name())
	r = Row{Name: s.Name(), Unit: is.unit, Share: is.share(), Old: judge.MedianFinite(was.blocks), New: judge.MedianFinite(is.blocks), paired: m.paired,
		impl:     s.Get("impl"),
		cells:    fmt.Sprint(s.Experiment, " ", s.Get("pending"), " ", strings.HasPrefix(s.Get("op"), "live-"), " ", s.Get("goroutines")),
		constant: m.oneMachine && t.constant(s)}
	if (was.note == "") != (is.note == "") {
		r.out(was.note, is.note)
		return r, true
	}
	if len(was.blocks) == 0 || len(is.blocks) == 0 {
		return r, false
	}
	r.was, r.is = was, is
	switch { // a block of both counts only in the measurement with fewer blocks
	case m.paired:
	case len(was.blocks) > len(is.blocks):
		r.was = was.without(is.ids)
	default:
		r.is = is.without(was.ids)
	}
	if len(r.was.blocks) == 0 || len(r.is.blocks) == 0 { // one measurement
		r.Identical, r.Answer, r.Blocks = true, Same, len(is.blocks)
		if !r.Share {
			r.Value = judge.Estimate{Value: 1, Low: 1, High: 1}
		}
		return r, true
	}
	r.most = margin
	if r.Share {
		r.most = max(judge.Imperceptible, (margin-1)*r.Old)
	}
	r.noise = r.most
	if m.oneMachine {
		r.drift(was, is)
	} else {
		r.was.baseline, r.is.baseline = nil, nil
	}
	return r, true
}

// out answers for a contestant with figures in one measurement only: unclear if it took too long, or is unchanged.
func (r *Row) out(was, is string) {
	r.Why, r.Answer = "in OLD: "+was, Better
	if is != "" {
		r.Why, r.Answer = "in NEW: "+is, Worse
	}
	if r.constant || strings.HasPrefix(was+is, rundata.GaveUp) {
		r.Answer = Unclear
	}
}

// drift notes by how much unchanged code differs in the cell: the baselines, the loop and A/A.
func (r *Row) drift(was, is figures) {
	if len(was.baseline) > 0 && len(is.baseline) > 0 {
		y := Row{Share: r.Share, paired: r.paired, most: r.most, noise: r.most, was: figures{blocks: was.baseline}, is: figures{blocks: is.baseline}}
		v := y.compared(1)
		r.Drift, r.driftSignificant = v.Value, v.significant()
	}
	loop := math.Abs(judge.MedianFinite(is.control) - judge.MedianFinite(was.control))
	switch {
	case r.Share:
		r.noise = max(r.noise, math.Abs(r.Drift))
	case loop > 0:
		r.noise = max(r.noise, 1+loop/min(r.Old, r.New))
	}
	if !r.Share {
		r.noise = max(r.noise, apart(was.aa), apart(is.aa))
	}
}

// drifted reports whether the same code differs by more than the margin.
func (r Row) drifted() bool {
	if r.Share {
		return math.Abs(r.Drift) > r.most
	}
	return r.Drift > 0 && max(r.Drift, 1/r.Drift) > r.most
}

// asked reports whether there are figures to compare.
func (r Row) asked() bool { return r.most > 0 }

type verdict struct {
	judge.Estimate
	answer Answer
	blocks int
	more   func() int // blocks that would decide it
}

func never() int { return judge.TooMany }

func (v verdict) significant() bool { return v.answer == Better || v.answer == Worse }

// compared judges a row that counts as one of so many comparisons.
func (r *Row) compared(comparisons int) (v verdict) {
	if r.Share {
		v = r.differ(comparisons)
	} else {
		v = r.beyondDrift(r.ratio(r.was.blocks, r.is.blocks, comparisons), comparisons)
	}
	if r.constant && v.significant() {
		v.answer, v.more = Unclear, never
	}
	return v
}

func (r *Row) ratio(old, new []float64, comparisons int) verdict {
	compare := judge.CompareApart
	if r.paired {
		compare = judge.Compare
	}
	c := compare(new, old, judge.Terms{Comparisons: comparisons, Margin: r.most, Noise: r.noiseLimit(comparisons)})
	return verdict{judge.Estimate{Value: c.Ratio, Low: c.Low, High: c.High}, answers[c.Answer], c.Blocks, c.More}
}

// beyondDrift checks a verdict by a second one: that of the ratio to the baselines in the same blocks. The first stands
// if both agree. Better and Worse also stand if that ratio is beyond the noise and the baselines are within the margin.
// Same also stands if the baselines do not differ significantly. Otherwise the verdict is Unclear.
func (r *Row) beyondDrift(v verdict, comparisons int) verdict {
	old, new := r.was.relative(), r.is.relative()
	if v.answer == Unclear || len(old) == 0 || len(new) == 0 {
		return v
	}
	to := r.ratio(old, new, comparisons)
	stays := to.answer == v.answer
	switch v.answer {
	case Same:
		stays = stays || !r.driftSignificant
	case Worse:
		stays = stays || !r.drifted() && to.Value > r.noise
	case Better:
		stays = stays || !r.drifted() && to.Value < 1/r.noise
	}
	if !stays {
		v.answer, v.more = Unclear, func() int { return max(to.more(), 1) }
	}
	return v
}

func (r *Row) differ(comparisons int) verdict {
	differ := judge.DifferApart
	if r.paired {
		differ = judge.Differ
	}
	d := differ(r.is.blocks, r.was.blocks, r.noise, judge.Terms{Comparisons: comparisons})
	v := verdict{d.Estimate, answers[d.Answer], d.Blocks, d.More}
	if v.answer == Same && !(-r.most <= v.Low && v.High <= r.most) { // the machine may differ by as much
		v.answer, v.more = Unclear, never
	}
	return v
}

// answer sets the answer of a row. alone is its verdict as a single comparison. Better and worse are corrected for the
// number of comparisons; Same needs no correction.
func (r *Row) answer(alone verdict, comparisons int) {
	v := alone
	if alone.significant() {
		if v = r.compared(comparisons); !v.significant() {
			r.Alone, v.Estimate = alone.answer, alone.Estimate
		}
	}
	r.Answer, r.Value, r.Blocks = v.answer, v.Estimate, v.blocks
	if r.Answer == Unclear {
		r.More = v.more()
	}
}

// fewestEquals is how many equals show how far they scatter. Of two only a difference of four times that counts.
const fewestEquals = 3

// apart returns the mean of ratios or its inverse, whichever is at least 1. Without ratios it is 1.
func apart(times []float64) float64 {
	return judge.Noise(judge.Compare(times, slices.Repeat([]float64{1}, len(times)), judge.Terms{Margin: 1}))
}

// scatter notes the differences of unchanged code: the linker puts code in one place for all processes of a build.
func (r *Result) scatter() {
	if !r.OneMachine {
		return
	}
	of, all := map[string][]float64{}, map[string][]float64{}
	for _, row := range slices.Concat(r.Rows, r.others) {
		if v := row.compared(1).Value; row.asked() && row.constant && !row.Share && v > 0 {
			of[row.cells] = append(of[row.cells], math.Log(v))
			all[row.Unit] = append(all[row.Unit], math.Log(v))
		}
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.constant || row.Share || !row.asked() {
			continue
		}
		if row.equals = of[row.cells]; len(row.equals) < fewestEquals {
			row.equals = all[row.Unit]
		}
	}
}

// noiseLimit returns the greatest Value that the scatter of equals hides, by Student's t, in so many comparisons.
func (r *Row) noiseLimit(comparisons int) float64 {
	n := float64(len(r.equals))
	if n < fewestEquals {
		return r.noise
	}
	missed := (1 - judge.Confidence) / float64(max(comparisons, 1))
	t := judge.QuantileOfT(1-missed, n)
	return max(r.noise, math.Exp(t*floats.Norm(r.equals, 2)/math.Sqrt(n)))
}
