package harness

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
)

// Memory asks what pending timers take up, and empty wheels.
const Memory = "Memory"

// HoldingFunctions is the value of the parameter holding of timers that are weighed as a
// program has them: on the real clock, by a driver or the Go runtime, each with a function
// to run. Bare schedulers hold numbers, and their series do not have the parameter.
const HoldingFunctions = "functions"

// weighedAhead is how much further than drawn the deadlines of n live timers lie that are
// weighed: none is reached meanwhile, and wheels need no more slots than bare ones.
func weighedAhead(n int) time.Duration { return beyond(n) / 2 }

// horizons are those for which empty wheels are weighed.
var horizons = []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// memoryCells returns two cells for each pending count: of bare schedulers, and of what
// holds functions. The counts are those asked for, or the largest of some; in a plan that
// is not of everything none is more than middling. Another cell is of empty wheels.
// Figures hardly vary, so the fewest blocks will do.
func (p *Plan) memoryCells() (cells []Cell) {
	if len(p.Pending) == 0 {
		return nil
	}
	limits := []int{1_000, middling}
	if p.Every {
		limits = append(limits, math.MaxInt)
	}
	bare, live := p.which(Contestant.bare), p.which(func(c Contestant) bool { return c.Live() && !c.Preset && !c.AddOnly })
	for _, n := range slices.Concat(p.counts(limits...), p.Large) {
		cells = append(cells, p.memoryCell(fmt.Sprintf("memory-%d", n), n, bare, holdingNumbers)...)
		if n > mostJudged && !p.Asked { // a collection of so many functions takes half a minute
			continue
		}
		cells = append(cells, p.memoryCell(fmt.Sprintf("memory-functions-%d", n), n, live, holdingFunctions, "holding", HoldingFunctions)...)
	}
	if slices.ContainsFunc(p.Contestants, weighedEmpty) {
		cells = append(cells, Cell{
			Experiment: Memory,
			Name:       "memory-empty",
			Time:       time.Duration(len(p.Contestants)*len(horizons)*p.emptyBlocks()) * 10 * time.Millisecond,
			run:        (*session).emptyWheels,
		})
	}
	return cells
}

// weighedEmpty reports whether a contestant is one to weigh without timers.
func weighedEmpty(c Contestant) bool { return c.bare() && !c.Baseline }

// memoryCell returns the cell of n timers pending, if there are contestants, one of which
// is weighed twice. of makes their populations, and params are what their series have
// besides.
func (p *Plan) memoryCell(name string, n int, contestants []Contestant, of func(Contestant, int) (population, error), params ...any) []Cell {
	if len(contestants) == 0 {
		return nil
	}
	contestants = p.againIn(n, contestants)
	blocks := p.atMost(p.fewBlocks(), n)
	if n > mostAtOnce && !p.AllBlocks { // which hardly differ, and take long
		blocks = min(blocks, 2)
	}
	turn := time.Duration(n)*700*time.Nanosecond + 10*time.Millisecond
	return []Cell{turnsCell(Memory, name, blocks, len(contestants)+1, turn, func(s *session) []*competitor {
		return s.memory(n, contestants, of, params)
	})}
}

// holdingNumbers makes populations of bare schedulers.
func holdingNumbers(c Contestant, n int) (population, error) {
	return newVirtual(c, costGeometry(OpPair, n))
}

// holdingFunctions makes populations of live timers. A driver and the Go runtime hold the
// same function for each.
func holdingFunctions(c Contestant, n int) (population, error) {
	if c.Launch != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, errElsewhere)
	}
	s, err := runner{Contestant: c}.start(costTick, costGeometry(OpPair, n).Horizon)
	if err != nil {
		return nil, err
	}
	return s.population(weighedAhead(n)), nil
}

// memory returns the competitors of the cell of n pending timers, and a control with none.
func (s *session) memory(n int, contestants []Contestant, of func(Contestant, int) (population, error), params []any) []*competitor {
	series := func(impl string) *Series {
		return newSeries(Memory, append([]any{"impl", impl, "pending", n}, params...)...)
	}
	competitors := []*competitor{{series: series(NothingControl), turn: func(int) (int, sample, error) {
		return 1, sample{GCNs: collect()}, nil
	}}}
	for _, c := range contestants {
		made := func() (population, error) { return of(c, n) }
		weigh := func(int) (int, sample, error) { return s.weigh(c, n, of) }
		if c.Launch != nil {
			weigh = func(int) (int, sample, error) { return s.weighElsewhere(c, n) }
		}
		competitors = append(competitors, &competitor{series: series(c.Name), holds: burdenOf(c, n, made), turn: weigh})
	}
	return competitors
}

// weigh makes and fills a population and returns what it takes up, and how long a forced
// collection takes meanwhile. What the harness keeps of each timer to name it counts by
// itself: a program that never stops a timer need not keep it.
func (s *session) weigh(c Contestant, n int, of func(Contestant, int) (population, error)) (int, sample, error) {
	spread, r := uniform(shortest, longest), s.random(fmt.Sprint("memory", n)) // the same for all
	draw, replaced := func() time.Duration { return spread(r) }, n
	if c.LinearInsert { // see costed.aged
		draw, replaced = ascending(n, draw), min(fewestOps, n)
	}
	empty := heapTaken()
	pop, err := of(c, n)
	if err != nil {
		return 0, nil, err
	}
	defer pop.close()
	made := heapTaken()
	pop.reserve(n)
	names := heapTaken() - made
	if err := pop.fill(s.ctx, n, draw); err != nil {
		return 0, nil, err
	}
	perTimer := func() float64 { return (heapTaken() - empty - names) / float64(n) }
	filled, collection := perTimer(), collect()
	wrong, err := s.replace(pop, n, replaced, spread, r)
	if err != nil {
		return 0, nil, err
	}
	churned := perTimer()   // before there is a sample, which takes memory too
	runtime.KeepAlive(draw) // with the list that it may have, so that nothing seems to be given back
	values := sample{BytesPerTimer: filled, GCNs: collection, ChurnedPerTimer: churned, NamePerTimer: names / float64(n)}
	return n, values, unless(wrong == 0 && pop.len() == n,
		"%d operations gave a wrong answer, %d are pending, want %d", wrong, pop.len(), n)
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

// collect returns how long a forced garbage collection takes.
func collect() float64 {
	took, _ := timed(func() int { runtime.GC(); return 0 })
	return float64(took.Nanoseconds())
}

// emptyBlocks returns how often an empty wheel is weighed: what it takes up is the same each
// time, so that two see it where time is short.
func (p *Plan) emptyBlocks() int {
	if p.Every {
		return p.Blocks
	}
	return min(p.Blocks, 2)
}

// emptyWheels weighs schedulers that are empty, after a timer at the horizon
// has come and gone.
func (s *session) emptyWheels() ([]*Series, error) {
	var list []*Series
	for _, c := range s.plan.which(weighedEmpty) {
		for _, h := range horizons {
			if err := s.ctx.Err(); err != nil {
				return nil, err
			}
			series := newSeries(Memory, "impl", c.Name, "horizon", h)
			for range s.plan.emptyBlocks() {
				bytes, err := emptyWheel(c, h)
				if err != nil {
					return nil, err
				}
				series.add(1, sample{BytesPerWheel: bytes})
			}
			list = append(list, series)
		}
	}
	return list, nil
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
