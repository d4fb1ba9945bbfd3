package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
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
	// Why says why there are no figures, if there are none.
	Why string

	was, is     []float64 // blocks
	paired      bool
	constant    bool // its code is the same in both
	impl        string
	cells       string    // of rows whose equals scatter alike: experiment, pending, goroutines, driver
	most, noise float64   // the greatest Value that counts as none, and that is not significant
	equals      []float64 // logarithms of the ratios of unchanged code in such cells
}

// row returns the row of a series, and false if there are no figures to compare. It leaves the answer open if that
// depends on an interval.
func (m measurements) row(s *rundata.Series, t Terms) (r Row, judged bool) {
	margin, was, is := t.margin(), m.old(s.Name()), m.new(s.Name())
	r = Row{Name: s.Name(), Unit: is.unit, Share: is.share(), Old: judge.MedianFinite(was.blocks), New: judge.MedianFinite(is.blocks), paired: m.paired,
		impl:     s.Get("impl"),
		cells:    fmt.Sprint(s.Experiment, " ", s.Get("pending"), " ", strings.HasPrefix(s.Get("op"), "live-"), " ", s.Get("goroutines")),
		constant: m.oneMachine && t.constant(s.Get("impl"))}
	if (was.note == "") != (is.note == "") {
		r.out(was.note, is.note)
		return r, true
	}
	if len(was.blocks) == 0 || len(is.blocks) == 0 {
		return r, false
	}
	r.was, r.is = was.blocks, is.blocks
	switch { // a block of both counts only in the measurement with fewer blocks
	case m.paired:
	case len(was.blocks) > len(is.blocks):
		r.was = was.without(is.ids)
	default:
		r.is = is.without(was.ids)
	}
	if len(r.was) == 0 || len(r.is) == 0 { // one measurement
		r.Identical, r.Answer, r.Blocks = true, Same, len(is.blocks)
		if !r.Share {
			r.Value = judge.Estimate{Value: 1, Low: 1, High: 1}
		}
		return r, true
	}
	if r.Share {
		r.most = max(judge.Imperceptible, (margin-1)*r.Old)
		return r, true
	}
	r.most, r.noise = margin, margin
	if m.oneMachine {
		r.noise = max(margin, apart(was.aa), apart(is.aa))
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

// asked reports whether there are figures to compare.
func (r Row) asked() bool { return r.most > 0 }

type verdict struct {
	judge.Estimate
	answer Answer
	blocks int
	more   func() int // blocks that would decide it
}

func (v verdict) significant() bool { return v.answer == Better || v.answer == Worse }

// compared judges a row that counts as one of so many comparisons.
func (r *Row) compared(comparisons int) (v verdict) {
	compare, differ := judge.CompareApart, judge.DifferApart
	if r.paired {
		compare, differ = judge.Compare, judge.Differ
	}
	c := judge.Comparison{}
	if r.Share {
		c = differ(r.is, r.was, r.most, judge.Terms{Comparisons: comparisons})
	} else {
		c = compare(r.is, r.was, judge.Terms{Comparisons: comparisons, Margin: r.most, Noise: r.noiseLimit(comparisons)})
	}
	v = verdict{c.Estimate, answers[c.Answer], c.Blocks, c.More}
	if r.constant && v.significant() {
		v.answer, v.more = Unclear, func() int { return judge.TooMany }
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
	switch {
	case r.Answer == Unclear:
		r.More = v.more()
	case r.Answer == Same && !r.sameAsEquals():
		r.Answer, r.More = Unclear, judge.TooMany
	}
}

// sameAsEquals reports whether a row that is the same is so beside its equals too. On a machine that has become faster,
// unchanged figures may be those of slower code.
func (r *Row) sameAsEquals() bool {
	if r.constant || len(r.equals) < fewestEquals {
		return true
	}
	shift := judge.Compare(lists.Each(r.equals, math.Exp), slices.Repeat([]float64{1}, len(r.equals)), judge.Terms{Margin: 1})
	if shift.Low <= 1 && 1 <= shift.High {
		return true
	}
	return r.Value.High/shift.Value <= r.most && r.Value.Low/shift.Value >= 1/r.most
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
