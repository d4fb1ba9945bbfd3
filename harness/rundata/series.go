// Package rundata has the data of a run: series of samples, the files that hold them, and what is known of the machine. It
// loads, saves, merges and resumes, and knows nothing of how anything is measured.
//
// A run is a folder. Each block has a file of benchfmt text, which benchstat reads, and an HdrHistogram log where the
// experiment is about lateness or single calls. run.bench describes the run.
package rundata

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"schedbench/internal/judge"
	"schedbench/internal/lists"
)

// Values is what was measured in a turn, by unit.
type Values = map[string]float64

// Param is a parameter of a series, such as pending=1000.
type Param struct{ Key, Value string }

// Series is what was measured of one contestant in one cell: for each unit, a sample for each round of each block.
type Series struct {
	Experiment string
	Params     []Param
	Iterations []int
	Values     map[string][]float64

	// Block is the number of the block of each sample, ascending. If Block is nil, each sample is a block. All
	// contestants measure the blocks of one number side by side.
	Block []int

	// Note is why there are no figures of the contestant, in one line, and empty if there are. See State.
	Note string

	// Late and Early are histograms over all rounds: how late, and how early, timers fired, in nanoseconds from their
	// planned deadlines. They are nil if the experiment does not measure lateness.
	Late, Early *hdrhistogram.Histogram

	// Took and Collecting hold how long single calls took, in nanoseconds, over all rounds: those while no garbage was
	// collected, and the others.
	Took, Collecting *hdrhistogram.Histogram

	level []float64 // see Level; nil: all are 1
}

// NewSeries returns a series without samples. params are keys and values by turns.
func NewSeries(experiment string, params ...any) *Series {
	s := &Series{Experiment: experiment}
	for p := range slices.Chunk(params, 2) {
		s.Params = append(s.Params, Param{fmt.Sprint(p[0]), fmt.Sprint(p[1])})
	}
	return s
}

// Get returns the value of a parameter, and "" if the series does not have it.
func (s *Series) Get(key string) string { return Get(s.Params, key) }

// Name returns the name as of a benchmark: Cost/op=pair/impl=hierwheel/pending=1000.
func (s *Series) Name() string {
	var b strings.Builder
	b.WriteString(s.Experiment)
	for _, p := range s.Params {
		b.WriteString("/" + p.Key + "=" + p.Value)
	}
	return b.String()
}

// Add appends a sample of a block.
func (s *Series) Add(block, iterations int, values Values) {
	if s.Values == nil {
		s.Values = map[string][]float64{}
	}
	s.Block = append(s.Block, block)
	s.Iterations = append(s.Iterations, iterations)
	for unit, v := range values {
		s.Values[unit] = append(s.Values[unit], v)
	}
}

// Blocks returns the median of each block for a unit, by block number: the independent samples of the series. A block
// without samples is NaN. A nil series has no blocks. See Level.
func (s *Series) Blocks(unit string) []float64 {
	if s == nil {
		return nil
	}
	samples := s.Values[unit]
	if unit == ExperimentOf(s.Experiment).Unit && len(s.level) == len(samples) {
		samples = slices.Clone(samples)
		for i, level := range s.level {
			samples[i] /= level
		}
	}
	return judge.Blocks(samples, s.blocks())
}

func (s *Series) blocks() []int {
	if s.Block == nil {
		return InBlocks(lists.Most(lists.Keys(s.Values), func(unit string) int { return len(s.Values[unit]) }), 1)
	}
	return s.Block
}

// InBlocks returns the block of each sample, if every block has the same number of samples.
func InBlocks(samples, each int) (blocks []int) {
	for i := range samples {
		blocks = append(blocks, i/each)
	}
	return blocks
}

// Identities returns a key for each block of the series, by its number: all its samples, "" where it has
// none. Equal keys are of one measurement, since clocks never show the same twice.
func (s *Series) Identities() (ids []string) {
	if s == nil {
		return nil
	}
	units := lists.Keys(s.Values)
	var keys [][]byte
	for i, block := range s.blocks() {
		keys = append(keys, make([][]byte, max(block+1-len(keys), 0))...)
		for _, unit := range units {
			keys[block] = binary.LittleEndian.AppendUint64(append(keys[block], unit...), math.Float64bits(s.Values[unit][i]))
		}
	}
	return lists.Each(keys, func(key []byte) string { return string(key) })
}

// NewHistogram returns a histogram of durations up to a minute, exact to a thousandth.
func NewHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(1, int64(time.Minute), 3) }

// Record adds a duration to a histogram, beyond its range as the highest: the maximum is never trimmed away unseen.
func Record(h *hdrhistogram.Histogram, d time.Duration) {
	_ = h.RecordValue(min(max(int64(d), 1), h.HighestTrackableValue()))
}

// Data is what a run has measured.
type Data struct {
	Env        map[string]string // the machine and the run: cpu, kernel, go-version, seed and so on, by configuration key
	Series     []*Series         // in the order they were measured
	Complete   bool              // all blocks of the plan are here
	Missing    []string          // cells of the plan that are in none of them
	Lost       []string          // blocks whose processes died, and how
	SystemLoad []SystemLoad      // what the machine did around each block
}

// Select returns the series of an experiment ("" is any) that have all parameters, each written key=value.
func (d *Data) Select(experiment string, params ...string) []*Series {
	wanted := paramsOf(params)
	return lists.Only(d.Series, func(s *Series) bool {
		return (experiment == "" || s.Experiment == experiment) &&
			!slices.ContainsFunc(wanted, func(p Param) bool { return s.Get(p.Key) != p.Value })
	})
}

// paramsOf reads parameters that are each written key=value.
func paramsOf(texts []string) []Param {
	return lists.Each(texts, func(text string) Param {
		key, value, _ := strings.Cut(text, "=")
		return Param{key, value}
	})
}

// Distinct returns the values that a parameter takes in some series, in the order of their first appearance.
func Distinct(series []*Series, key string) []string {
	var values []string
	for _, s := range series {
		if v := s.Get(key); v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// ControlOf returns the control of a series' cell, or nil: its samples are subtracted before contestants are compared.
func (d *Data) ControlOf(s *Series) *Series {
	control := ExperimentOf(s.Experiment).Control
	for _, c := range d.Select(s.Experiment, "impl="+control) {
		other := slices.ContainsFunc(c.Params, func(p Param) bool {
			return p.Key != "impl" && p.Key != "waking" && s.Get(p.Key) != p.Value // a control has no driver to wake
		})
		if control != "" && !other {
			return c
		}
	}
	return nil
}

// Level finds the factor by which each round of a block was slow, for all contestants of a cell. Contestants take their
// turns of a round within milliseconds: a slow machine slows all of them. From then on Blocks divides figures by these
// factors. A series with fewer rounds than others keeps its figures. O(samples).
func Level(series []*Series) {
	for _, group := range BesideEachOther(series) {
		unit, rounds := ExperimentOf(group[0].Experiment).Unit, map[int][][]float64{}
		for _, s := range group {
			if s.level = nil; len(s.Values[unit]) < len(s.blocks()) || slices.Contains(Controls(), s.Get("impl")) {
				continue
			}
			for block, samples := range s.perBlock(s.Values[unit]) {
				rounds[block] = append(rounds[block], samples)
			}
		}
		levels := map[int][]float64{}
		for block, samples := range rounds {
			levels[block] = judge.Levels(samples)
		}
		for _, s := range group {
			s.level = slices.Repeat([]float64{1}, len(s.blocks()))
			for block, level := range s.perBlock(s.level) {
				if l := levels[block]; len(l) == len(level) {
					copy(level, l)
				}
			}
		}
	}
}

// BesideEachOther returns series in groups whose parameters differ by the contestant only.
func BesideEachOther(series []*Series) [][]*Series {
	return lists.Groups(series, func(s *Series) string {
		cell := Series{Experiment: s.Experiment, Params: lists.Only(s.Params, func(p Param) bool { return p.Key != "impl" })}
		return cell.Name()
	})
}

// perBlock cuts a list that has a value for each sample.
func (s *Series) perBlock(values []float64) map[int][]float64 {
	parts := map[int][]float64{}
	for i, block := range s.blocks() {
		parts[block] = values[i-len(parts[block]) : i+1]
	}
	return parts
}
