package harness

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// Memory asks what pending timers take up, and empty wheels.
const Memory = "Memory"

// horizons are those for which empty wheels are weighed.
var horizons = []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// memoryCells returns a cell for each pending count asked for, or of the largest, which in
// a plan that is not of everything is middling at most; and one for empty wheels. Their
// figures hardly vary, so the fewest rounds will do.
func (p *Plan) memoryCells() (cells []Cell) {
	if len(p.Pending) == 0 {
		return nil
	}
	most := middling
	if p.Every {
		most = math.MaxInt
	}
	for _, n := range p.counts(most) {
		turn := time.Duration(n)*700*time.Nanosecond + 10*time.Millisecond
		name := fmt.Sprintf("memory-%d", n)
		cells = append(cells, turnsCell(Memory, name, p.fewBlocks(), len(p.Contestants)+1, turn, func(s *session) []*competitor {
			return s.memory(n)
		}))
	}
	if slices.ContainsFunc(p.Contestants, weighedEmpty) {
		cells = append(cells, Cell{
			Experiment: Memory,
			Name:       "memory-empty",
			Time:       time.Duration(len(p.Contestants)*len(horizons)*p.fewBlocks()) * 5 * time.Millisecond,
			run:        (*session).emptyWheels,
		})
	}
	return cells
}

// weighedEmpty reports whether a contestant is one to weigh without timers.
func weighedEmpty(c Contestant) bool { return c.New != nil && !c.Baseline }

// memory returns the competitors of the cell of n pending timers.
func (s *session) memory(n int) []*competitor {
	draw, r := uniform(shortest, longest), s.random(fmt.Sprint("memory", n))
	delays := drawn(n, func() time.Duration { return draw(r) })
	sorted := slices.Sorted(slices.Values(delays))
	churn := newReplacements(n)
	churn.draw(r, n, draw)

	none := newSeries(Memory, "impl", NothingControl, "pending", n)
	competitors := []*competitor{{series: none, turn: func(int) (int, sample, error) {
		return 1, sample{GCNs: collect()}, nil
	}}}
	for _, c := range s.plan.which(Contestant.virtual) {
		delays, churn := delays, churn
		if c.LinearInsert { // see session.aged
			delays, churn = sorted, churn.part(0, fewestOps)
		}
		series := newSeries(Memory, "impl", c.Name, "pending", n)
		competitors = append(competitors, &competitor{series: series, turn: func(int) (int, sample, error) {
			return s.weigh(c, delays, churn)
		}})
	}
	return competitors
}

// weigh fills a population and returns what it takes up, and how long a forced
// collection takes meanwhile.
func (s *session) weigh(c Contestant, delays []time.Duration, churn *replacements) (int, sample, error) {
	n := len(delays)
	empty := heapInUse()
	pop, err := newVirtual(c, costGeometry(OpPair))
	if err != nil {
		return 0, nil, err
	}
	defer pop.close()
	if err := pop.fill(s.ctx, delays); err != nil {
		return 0, nil, err
	}
	handles := float64(8 * n) // what the harness keeps of each timer
	values := sample{BytesPerTimer: (heapInUse() - empty - handles) / float64(n)}
	values[GCNs] = collect()
	wrong, err := s.replace(pop, churn)
	if err != nil {
		return 0, nil, err
	}
	values[ChurnedPerTimer] = (heapInUse() - empty - handles) / float64(n)
	return n, values, unless(wrong == 0 && pop.len() == n,
		"%d operations gave a wrong answer, %d are pending, want %d", wrong, pop.len(), n)
}

// replace makes replacements, a part at a time, until it ends or the run is
// interrupted.
func (s *session) replace(pop population, rs *replacements) (wrong int, err error) {
	const atOnce = 1 << 14
	for from := 0; from < len(rs.picks); from += atOnce {
		if err := s.ctx.Err(); err != nil {
			return wrong, err
		}
		wrong += pop.pairs(rs.part(from, from+atOnce))
	}
	return wrong, nil
}

// heapInUse returns the bytes of the heap in use after collections, as many as
// it takes until none finds more to free: the runtime lets go of stopped timers
// a while after they were stopped.
func heapInUse() float64 {
	var m runtime.MemStats
	for last := uint64(math.MaxUint64); ; last = m.HeapInuse {
		time.Sleep(time.Millisecond)
		runtime.GC()
		if runtime.ReadMemStats(&m); m.HeapInuse >= last {
			return float64(last)
		}
	}
}

// collect returns how long a forced garbage collection takes.
func collect() float64 {
	took, _ := timed(func() int { runtime.GC(); return 0 })
	return float64(took.Nanoseconds())
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
			for range s.plan.fewBlocks() {
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
	before := heapInUse()
	sched, err := c.New(Geometry{Tick: costTick, Horizon: horizon})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", c.Name, err)
	}
	id, err := sched.Schedule(horizon, 0)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", c.Name, err)
	}
	sched.Cancel(id)
	bytes = max(heapInUse()-before, 0)
	runtime.KeepAlive(sched)
	return bytes, nil
}
