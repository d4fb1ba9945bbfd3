package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"schedbench/harness"
	"schedbench/judge"
	"schedbench/report/chart"
)

// view is the data of a run as charts, tables and the verdict ask for it.
type view struct {
	data *harness.Data
	// names are the contenders, in the order in which they are shown.
	names []string
	looks map[string]chart.Style
}

func newView(d *harness.Data) *view {
	if d == nil {
		d = &harness.Data{}
	}
	names := contenders(d)
	return &view{data: d, names: names, looks: looks(names)}
}

// one returns the first series that has the parameters, or nil.
func (v *view) one(experiment string, params ...string) *harness.Series {
	if found := v.data.Select(experiment, params...); len(found) > 0 {
		return found[0]
	}
	return nil
}

// withMost returns the series of an experiment that have the most timers pending,
// in the order in which contenders are shown.
func (v *view) withMost(experiment string) []*harness.Series {
	counts := integers(v.data.Select(experiment), "pending")
	if len(counts) == 0 {
		return nil
	}
	return v.ordered(v.data.Select(experiment, "pending="+strconv.Itoa(counts[len(counts)-1])))
}

// samples returns the samples of a unit; a missing series has none.
func samples(s *harness.Series, unit string) []float64 {
	if s == nil {
		return nil
	}
	return s.Values[unit]
}

// summarize leaves out samples that are not numbers, which no interval can
// hold.
func summarize(values []float64) judge.Summary {
	finite := slices.DeleteFunc(slices.Clone(values), func(v float64) bool {
		return math.IsNaN(v) || math.IsInf(v, 0)
	})
	return judge.Summarize(finite, judge.Confidence)
}

// summary is of one unit of a series.
func summary(s *harness.Series, unit string) judge.Summary { return summarize(samples(s, unit)) }

// total returns the sum of a unit over all rounds.
func total(s *harness.Series, unit string) float64 {
	var sum float64
	for _, v := range samples(s, unit) {
		if !math.IsNaN(v) {
			sum += v
		}
	}
	return sum
}

// operations are those known, in the order of the charts; others come after them.
var operations = []string{harness.OpInsert, harness.OpPair, harness.OpReset, harness.OpExpire, harness.OpRunout, harness.OpTick}

// ops returns the operations measured, except those on the real clock.
func (v *view) ops() []string {
	seen := harness.Distinct(v.data.Select(harness.Cost), "op")
	rank := func(op string) int {
		if i := slices.Index(operations, op); i >= 0 {
			return i
		}
		return len(operations)
	}
	seen = slices.DeleteFunc(seen, func(op string) bool { return op == harness.OpLivePair })
	slices.SortStableFunc(seen, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return seen
}

// delays returns the distributions that an operation was measured with, the
// one with the most series first. It is [""] if the data name none.
func (v *view) delays(op string) []string {
	series := v.data.Select(harness.Cost, "op="+op)
	found := harness.Distinct(series, "delay")
	if len(found) == 0 {
		return []string{""}
	}
	slices.SortStableFunc(found, func(a, b string) int {
		return cmp.Compare(number(series, "delay", b), number(series, "delay", a))
	})
	return found
}

// number returns how many series have a parameter.
func number(series []*harness.Series, key, value string) int {
	n := 0
	for _, s := range series {
		if s.Get(key) == value {
			n++
		}
	}
	return n
}

// prevalent returns the value of a parameter that most of the series have.
func prevalent(series []*harness.Series, key string) string {
	var best string
	for _, value := range harness.Distinct(series, key) {
		if best == "" || number(series, key, value) > number(series, key, best) {
			best = value
		}
	}
	return best
}

// integers returns the values of a parameter as numbers, ascending.
func integers(series []*harness.Series, key string) []int {
	var found []int
	for _, value := range harness.Distinct(series, key) {
		if n, err := strconv.Atoi(value); err == nil && n >= 0 {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	return found
}

// durations returns the values of a parameter that are durations, ascending.
func durations(series []*harness.Series, key string) []time.Duration {
	var found []time.Duration
	for _, value := range harness.Distinct(series, key) {
		if d, err := time.ParseDuration(value); err == nil && d > 0 {
			found = append(found, d)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// labelOf returns the value of a parameter that stands for a duration.
func labelOf(series []*harness.Series, key string, d time.Duration) string {
	for _, label := range harness.Distinct(series, key) {
		if parsed, err := time.ParseDuration(label); err == nil && parsed == d {
			return label
		}
	}
	return d.String()
}

// floats converts what an axis shows.
func floats[T int | time.Duration](values []T) []float64 {
	converted := make([]float64, len(values))
	for i, v := range values {
		converted[i] = float64(v)
	}
	return converted
}

// costAt returns the series of a contender for one operation, or nil.
func (v *view) costAt(op, delay, impl string, pending int) *harness.Series {
	return v.one(harness.Cost, "op="+op, "delay="+delay, "impl="+impl, fmt.Sprintf("pending=%d", pending))
}

// net returns the time of an operation round by round without that of the loop
// around it. Where no loop was measured the second result is false, and the
// samples include it.
func (v *view) net(s *harness.Series) ([]float64, bool) {
	raw := samples(s, harness.NsPerOp)
	if s == nil {
		return nil, false
	}
	var cell []string
	for _, p := range s.Params {
		if p.Key != "impl" {
			cell = append(cell, p.Key+"="+p.Value)
		}
	}
	loop := samples(v.one(harness.Cost, append(cell, "impl="+harness.EmptyControl)...), harness.NsPerOp)
	if len(loop) == 0 {
		return raw, false
	}
	return judge.Net(raw, loop), true
}

// again reports whether a name is of a second measurement of the same.
func again(name string) bool { return strings.HasSuffix(name, harness.AgainSuffix) }

// at returns a summary as a point.
func at(x float64, s judge.Summary) chart.Point {
	if !s.Bounded() {
		return chart.At(x, s.Median)
	}
	return chart.Point{X: x, Y: s.Median, Low: s.Low, High: s.High}
}
