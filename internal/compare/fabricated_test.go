package compare

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

// fabric makes up runs of known truth.
type fabric struct {
	r *rand.Rand
	// layout and round are the scatter of blocks and of rounds, as that of logarithms.
	layout, round float64
	blocks        int
	outliers      bool
	// machine is how many times as long everything takes.
	machine float64
	// slow is how many times as long contestants take besides.
	slow map[string]float64
	// stalled says that one round takes ten times as long.
	stalled bool
	// linked is the scatter of builds, as that of logarithms: where the linker has put the code
	// of a cell is the same in all processes of a build. places has what it came to in this one.
	linked float64
	places map[string]float64
}

// build makes up where the code of another build lies.
func (f *fabric) build() { f.places = map[string]float64{} }

// place returns how many times as long a series takes because of where its code lies, the
// same for a contestant and its A/A.
func (f *fabric) place(where, name string) float64 {
	key := where + strings.TrimSuffix(name, rundata.AASuffix)
	if _, drawn := f.places[key]; !drawn && f.places != nil {
		f.places[key] = math.Exp(f.linked * f.r.NormFloat64())
	}
	if f.places == nil {
		return 1
	}
	return f.places[key]
}

func newFabric(seed uint64) *fabric {
	return &fabric{r: rand.New(rand.NewPCG(seed, 7)), layout: 0.03, round: 0.02, blocks: 8, machine: 1}
}

const roundsOfBlock = 3

// costs are the made-up times of an operation, without the loop.
var costs = map[string]float64{"heapsched": 30, "roundswheel": 25, "hierwheel": 20, "hierwheel-again": 20, catalog.ContainerHeap: 90}

// made-up cells.
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
		f.series(d, rundata.Jitter, "waking=tickless impl="+name, rundata.P99Late, f.of(name, 1e6), 1)
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

// of returns what makes up figures of a contestant.
func (f *fabric) of(name string, about float64) func() float64 {
	block := f.block(name, 1)
	return func() float64 { return about * block() }
}

// block returns what draws the factors of a contestant, round by round,
// so many to a block.
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

// series adds a series.
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
