package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Param is a parameter of a series, such as pending=1000.
type Param struct{ Key, Value string }

// Series is what was measured of one contestant in one cell: for each unit, a
// sample for each round. Samples of two series of the same cell that have the
// same index were taken in the same round.
type Series struct {
	Experiment string
	Params     []Param
	Iterations []int
	Values     map[string][]float64

	// Note is why there are no figures of the contestant, in one line, and empty
	// if there are. See State.
	Note string

	// Late and Early hold, where an experiment is about it, how late and how early timers fired
	// against their planned deadlines, in nanoseconds, over all rounds.
	Late, Early *hdrhistogram.Histogram
}

// Get returns the value of a parameter, and "" if the series does not have it.
func (s *Series) Get(key string) string {
	for _, p := range s.Params {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

// Name returns the series' name in the form of the testing package's
// benchmarks: Cost/op=pair/impl=hierwheel/pending=1000.
func (s *Series) Name() string {
	var b strings.Builder
	b.WriteString(s.Experiment)
	for _, p := range s.Params {
		fmt.Fprintf(&b, "/%s=%s", p.Key, p.Value)
	}
	return b.String()
}

// add appends a sample.
func (s *Series) add(iterations int, values map[string]float64) {
	if s.Values == nil {
		s.Values = map[string][]float64{}
	}
	s.Iterations = append(s.Iterations, iterations)
	for unit, v := range values {
		s.Values[unit] = append(s.Values[unit], v)
	}
}

// Data is what a run has measured.
type Data struct {
	// Env describes the machine and the run: cpu, kernel, go-version, seed,
	// commit and so on, by configuration key.
	Env map[string]string
	// Series are in the order they were measured.
	Series []*Series
	// Complete says that every cell of the plan is here.
	Complete bool
	// Missing names the cells of the plan that are not here.
	Missing []string
}

// Select returns the series of an experiment that have all the given
// parameters, each written key=value. No experiment, "", means any.
func (d *Data) Select(experiment string, params ...string) []*Series {
	var found []*Series
	for _, s := range d.Series {
		if experiment != "" && s.Experiment != experiment {
			continue
		}
		if !slices.ContainsFunc(params, func(p string) bool {
			key, value, _ := strings.Cut(p, "=")
			return s.Get(key) != value
		}) {
			found = append(found, s)
		}
	}
	return found
}

// Distinct returns the values that a parameter takes in some series, in the
// order of their first appearance.
func Distinct(series []*Series, key string) []string {
	var values []string
	for _, s := range series {
		if v := s.Get(key); v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}
