package experiments

import (
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
)

const (
	probed   = 1 << 17 // timers that a large population has when it is weighed: fixed costs hardly count
	perName  = 16      // bytes that the harness keeps for each timer, at most: their memory is not all touched yet
	headroom = 1.25    // the factor for lists, which are copied when they grow
)

// look returns a function to call now and then while a population of n is made, with the number of its timers. The error
// says that the run was interrupted, or that n timers would take more memory than there is, by what the first ones take.
// All that the harness keeps for the timers is there already.
func look(s *harness.Session, n int) func(made int) error {
	if !s.Large(n) {
		return func(int) error { return s.Ctx.Err() }
	}
	before, at := heapTaken(), min(n/2, probed)/lookEvery*lookEvery
	return func(made int) error {
		if made != at || at == 0 {
			return s.Ctx.Err()
		}
		at = 0 // once, though several goroutines have a part of the population
		each := (heapTaken()-before)/float64(made) + perName
		return s.Fits(each * float64(n) * headroom)
	}
}

var horizons = []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// weighedBlocks is how many blocks weigh timers if the budget decides: memory hardly varies, and collections take long.
const weighedBlocks = 6

func init() {
	register(harness.Experiment{Name: rundata.Memory, Cells: memoryCells, Reads: "delays pending"})
}

func memoryCells(p *harness.Plan) (cells []harness.Cell) {
	if !measures(p, rundata.Cost) {
		weighing := *p
		weighing.Ops, weighing.Delays = []string{rundata.OpPair}, p.Delays[:min(1, len(p.Delays))]
		cells = costCells(&weighing)
		for i := range cells {
			cells[i].Experiment, cells[i].Most = rundata.Memory, weighedBlocks
		}
	}
	for _, n := range p.Pending {
		if takes(p, n) && (p.Full || slices.Contains(p.Counts(1_000, middling), n)) {
			cells = append(cells, functionsCell(p, n)...)
		}
	}
	weighed := lists.Only(p.Contestants, func(c harness.Contestant) bool { return c.Bare() && !c.Baseline })
	if len(weighed) == 0 {
		return cells
	}
	empty := harness.Cell{Experiment: rundata.Memory, Name: "memory-empty", Time: time.Duration(len(weighed)*len(horizons)) * 10 * time.Millisecond, Most: 2}
	empty.Make = func(*harness.Session) (all []*harness.Turns, err error) {
		for _, c := range weighed {
			for _, h := range horizons {
				all = append(all, &harness.Turns{Series: rundata.NewSeries(rundata.Memory, "impl", c.Name, "horizon", h), Turn: func(int) (int, rundata.Values, error) {
					bytes, err := emptyWheel(c, h)
					return 1, rundata.Values{rundata.BytesPerWheel: bytes}, err
				}})
			}
		}
		return all, nil
	}
	return append(cells, empty)
}

// functionsCell returns the cell that weighs n timers of functions, of one contestant at a time, and times a collection.
func functionsCell(p *harness.Plan, n int) []harness.Cell {
	variants := withAA(slices.DeleteFunc(pairVariants(p, n), func(r variant) bool { return r.Preset }))
	cell := harness.Cell{Experiment: rundata.Memory, Name: fmt.Sprintf("memory-functions-%d", n), Most: weighedBlocks, Pending: n, Memory: harness.MemoryOf(n, 2)}
	return shared{cell, variants, time.Duration(2*n)*perLivePair + 20*time.Millisecond, func(s *harness.Session) (func(variant) *harness.Turns, error) {
		return func(r variant) *harness.Turns {
			t := &pairsTurn{s: s, r: r, n: n, goroutines: 1, crew: newCrew(p, 1)}
			series := rundata.NewSeries(rundata.Memory, "impl", r.Name, "pending", n, "holding", rundata.HoldingFunctions)
			return &harness.Turns{Series: series, Holds: n, Turn: func(int) (int, rundata.Values, error) {
				if r.Launch != nil {
					return weighElsewhere(s, r.Contestant, n)
				}
				return t.weigh(series)
			}}
		}, nil
	}}.cells(p)
}

func (t *pairsTurn) weigh(series *rundata.Series) (int, rundata.Values, error) {
	t.seed = t.s.Random(fmt.Sprint("memory", t.n)).Uint64()
	defer t.close()
	w := newScales(t.s, series, t.n, heapTaken)
	if err := t.fill(w); err != nil {
		return 0, nil, err
	}
	values := rundata.Values{}
	maps.Copy(values, w.churned())
	values[rundata.GCNs] = collect(t.s)
	return t.n, values, nil
}

// weighs reports whether the cost cell of n with a distribution of delays, the first one, weighs a contestant's timers.
func weighs(s *harness.Session, c harness.Contestant, n int, delay string) bool {
	return measures(s.Plan, rundata.Memory) && c.Name != rundata.EmptyControl && delay == s.Plan.Delays[0] && n <= harness.MostJudged
}

// scales weigh a population of n timers while it is made. Nil scales weigh nothing.
type scales struct {
	n            int
	taken        func() float64 // bytes on the heap
	empty, names float64
	values       rundata.Values
}

// newScales weighs the heap before anything is made. It returns nil if the block fills no series of weights.
func newScales(s *harness.Session, weighed *rundata.Series, n int, taken func() float64) *scales {
	if weighed == nil || s.Plan.Blocks == 0 && s.First >= weighedBlocks {
		return nil
	}
	return &scales{n: n, taken: taken, empty: taken(), values: rundata.Values{}}
}

// named notes the bytes that the harness keeps to name the timers: a program may not need them.
func (w *scales) named(bytes float64) {
	if w != nil {
		w.names, w.values[rundata.NamePerTimer] = bytes, bytes/float64(w.n)
	}
}

func (w *scales) weigh(unit string) {
	if w != nil {
		w.values[unit] = (w.taken() - w.empty - w.names) / float64(w.n)
	}
}

// churned weighs the population after some timers were replaced, and returns all weights: none if the runtime has freed
// more meanwhile than so few timers take.
func (w *scales) churned() rundata.Values {
	if w.weigh(rundata.ChurnedPerTimer); w == nil || min(w.values[rundata.BytesPerTimer], w.values[rundata.ChurnedPerTimer]) <= 0 {
		return nil
	}
	return w.values
}

// heapTaken returns the bytes of all objects on the heap, exact to the object: the heap in use is in spans of 8 kB. It
// collects garbage until a collection frees nothing: the runtime frees stopped timers with a delay.
func heapTaken() float64 {
	var m runtime.MemStats
	for last := uint64(math.MaxUint64); ; last = m.HeapAlloc {
		time.Sleep(time.Millisecond)
		runtime.GC()
		if runtime.ReadMemStats(&m); m.HeapAlloc >= last {
			return float64(last)
		}
	}
}

// collect returns how long a forced garbage collection takes: the shortest of a few. In others a thread waits for a tick.
func collect(s *harness.Session) float64 {
	least, times := time.Duration(math.MaxInt64), 7
	if s.Plan.Rough {
		times = 1
	}
	for range times {
		took, _ := timed(func() int { runtime.GC(); return 0 })
		least = min(least, took)
	}
	return float64(least.Nanoseconds())
}

func emptyWheel(c harness.Contestant, horizon time.Duration) (bytes float64, err error) {
	before := heapTaken()
	sched, err := c.New(harness.Geometry{Tick: costTick, Horizon: horizon})
	if err != nil {
		return 0, err
	}
	id, err := sched.Schedule(horizon, 0)
	sched.Cancel(id)
	bytes = max(heapTaken()-before, 0)
	runtime.KeepAlive(sched)
	return bytes, err
}
