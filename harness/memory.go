package harness

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
)

// Memory asks what pending timers take up, and empty wheels. Timers are weighed in the populations
// of which costs are measured.
const Memory = "Memory"

// HoldingFunctions is the value of the parameter holding of timers that are weighed as a
// program has them: on the real clock, by a driver or the Go runtime, each with a function
// to run. Bare schedulers hold numbers, and their series do not have the parameter.
const HoldingFunctions = "functions"

// horizons are those for which empty wheels are weighed.
var horizons = []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// weighedBlocks is how many blocks weigh timers where the budget decides: what they take up hardly
// varies, and to collect garbage until none is left takes long.
const weighedBlocks = 6

// memoryCells returns the cell of empty wheels, and those of pending timers if their costs are not
// measured in the same.
func (p *Plan) memoryCells() (cells []Cell) {
	if !p.measures(Cost) {
		weighing := *p
		weighing.Ops, weighing.Delays = []string{OpPair, OpLivePair}, p.Delays[:min(1, len(p.Delays))]
		cells = weighing.costCells()
		for i := range cells {
			cells[i].Experiment, cells[i].most = Memory, weighedBlocks
		}
	}
	weighed := p.which(func(c Contestant) bool { return c.bare() && !c.Baseline })
	if len(weighed) == 0 {
		return cells
	}
	return append(cells, turnsCell(Memory, "memory-empty", len(weighed)*len(horizons), 10*time.Millisecond, func(s *session) (all []*competitor) {
		for _, c := range weighed {
			for _, h := range horizons {
				all = append(all, &competitor{series: newSeries(Memory, "impl", c.Name, "horizon", h), turn: func(int) (int, sample, error) {
					bytes, err := emptyWheel(c, h)
					return 1, sample{BytesPerWheel: bytes}, err
				}})
			}
		}
		return all
	}).atMost(2))
}

// weighed reports whether functions are weighed with n pending: with few and with middling many, as far
// as the plan goes.
func (p *Plan) weighed(n int) bool {
	return p.measures(Memory) && (p.Every || slices.Contains(p.counts(1_000, middling), n))
}

// weighs reports whether timers of a contestant are weighed in the cost cell of n with a
// distribution of delays: in the first of them.
func (s *session) weighs(c Contestant, n int, delay string) bool {
	return s.plan.measures(Memory) && c.Name != EmptyControl && delay == s.plan.Delays[0] && n <= mostJudged
}

// knows reports whether enough blocks have weighed timers before.
func (s *session) knows(block int) bool { return s.plan.Blocks == 0 && block >= weighedBlocks }

// scales weigh a population of n timers while it is made.
type scales struct {
	n            int
	taken        func() float64 // bytes on the heap
	empty, names float64
	values       sample
}

// newScales begins before anything is made.
func newScales(n int, taken func() float64) *scales {
	return &scales{n: n, taken: taken, empty: taken(), values: sample{}}
}

// named weighs what the harness keeps of each timer to name it, when reserve makes room for that: a
// program that never stops a timer need not keep it.
func (w *scales) named(reserve func()) {
	made := w.taken()
	reserve()
	w.names = max(w.taken()-made, 0)
	w.values[NamePerTimer] = w.names / float64(w.n)
}

// perTimer returns what each timer takes up.
func (w *scales) perTimer() float64 { return (w.taken() - w.empty - w.names) / float64(w.n) }

// filled weighs the timers when all are there.
func (w *scales) filled() { w.values[BytesPerTimer] = w.perTimer() }

// churned weighs them when some have been replaced, and returns all that was weighed. ok is false where
// so few timers take no more than what the runtime frees meanwhile.
func (w *scales) churned() (values sample, ok bool) {
	w.values[ChurnedPerTimer] = w.perTimer()
	return w.values, min(w.values[BytesPerTimer], w.values[ChurnedPerTimer]) > 0
}

// replacedAtOnce is how many timers are replaced between two looks at whether the run was
// interrupted.
const replacedAtOnce = 1 << 12

// replace makes so many replacements of n timers, a part at a time, until it ends or the run
// is interrupted.
func (s *session) replace(pop population, n, replaced int, d delay, r *rand.Rand) (wrong int, err error) {
	all := newReplacements(replacedAtOnce)
	for left := replaced; left > 0; left -= replacedAtOnce {
		if err := s.ctx.Err(); err != nil {
			return wrong, err
		}
		part := all.part(0, left)
		part.draw(r, n, d)
		wrong += pop.pairs(part)
	}
	return wrong, nil
}

// heapNow returns the bytes of all objects on the heap after one collection: all that there are, where
// nothing is let go of later.
func heapNow() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// heapTaken returns the bytes of all objects on the heap after collections, as many as it
// takes until none finds more to free: the runtime lets go of stopped timers a while after
// they were stopped. It is exact to the object, where the heap in use comes in spans of 8 kB,
// which is 8 B for each of a thousand timers.
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

// collect returns how long a forced garbage collection takes: the least of a few, since in others a
// thread waits for the system's next tick, which is longer than what the timers take.
func collect() float64 {
	least := time.Duration(math.MaxInt64)
	for range 7 {
		took, _ := timed(func() int { runtime.GC(); return 0 })
		least = min(least, took)
	}
	return float64(least.Nanoseconds())
}

// emptyWheel weighs an empty scheduler.
func emptyWheel(c Contestant, horizon time.Duration) (bytes float64, err error) {
	before := heapTaken()
	sched, err := c.New(Geometry{Tick: costTick, Horizon: horizon})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", c.Name, err)
	}
	id, err := sched.Schedule(horizon, 0)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", c.Name, err)
	}
	sched.Cancel(id)
	bytes = max(heapTaken()-before, 0)
	runtime.KeepAlive(sched)
	return bytes, nil
}
