package experiments

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/montanaflynn/stats"

	"schedbench/harness"
	"schedbench/harness/quiet"
	"schedbench/harness/rundata"
	"schedbench/live"
)

type changeMany func(pop livePopulation, source *splitMix, ops int) (wrong int)

type part struct {
	took  time.Duration // from the first's begin to the last's end
	wrong int
	cpu   time.Duration // of the process meanwhile, if that is metered
}

// crew are the goroutines that change timers at the same time, at most one for each processor. One crew serves all
// contestants of a cell. They spin between parts: the system would wake a thread on its waker's processor, and move it
// milliseconds later.
type crew struct {
	n     int64
	rough bool // of a plan that is Rough: members sleep, since the time of tests may stand still
	met   atomic.Int64

	garbage quiet.Collections
	share   uint64 // a turn's, of the garbage that makes a collection due
	running bool
	ended   sync.WaitGroup

	// What follows changes only while they wait.
	t             *pairsTurn
	do            changeMany
	ops           int
	from, until   []time.Time
	waited, spun  []time.Duration // CPU time of each while the others began, and ended
	wrong         []int
	before, after live.Usage
	metered, done bool
}

func newCrew(p *harness.Plan, n int) *crew {
	return &crew{
		n: int64(n), rough: p.Rough, garbage: quiet.NewCollections(),
		from: make([]time.Time, n), until: make([]time.Time, n), waited: make([]time.Duration, n), spun: make([]time.Duration, n), wrong: make([]int, n),
	}
}

// spins is how often a member looks for the others before it yields: for some 100 µs. Two that yield at once may share a
// thread, and work one after the other.
const spins = 1 << 16

func (c *crew) meet() {
	met := c.met.Add(1)
	for all, spun := (met+c.n-1)/c.n*c.n, 1; c.met.Load() < all; spun++ {
		if c.rough {
			time.Sleep(time.Microsecond)
		} else if spun%spins == 0 {
			runtime.Gosched()
		}
	}
}

func (c *crew) begin(s *harness.Session) {
	if c.running {
		return
	}
	s.Collect()
	if c.share = quiet.Room() / turnsOfPairs; s.Plan.Rough {
		c.share = 0
	}
	c.running, c.done = true, false
	for i := 1; i < int(c.n); i++ {
		c.ended.Go(func() {
			for c.meet(); !c.done; c.meet() {
				c.by(i)
			}
		})
	}
}

func (c *crew) end() {
	if !c.running {
		return
	}
	c.running, c.done = false, true
	c.meet()
	c.ended.Wait()
}

func (c *crew) work(t *pairsTurn, do changeMany, ops int) part {
	t.seed++
	c.t, c.do, c.ops = t, do, ops
	c.meet()
	c.by(0)
	p := c.part()
	p.cpu += c.leftOver()
	return p
}

func (c *crew) by(i int) {
	if c.n > 1 {
		live.MoveTo(i)
	}
	c.waited[i] = c.read(i, &c.before)
	c.from[i] = time.Now()
	c.wrong[i] = c.t.inParts(c.do, c.t.pops[i], &splitMix{c.t.seed + uint64(i)<<32}, c.ops)
	c.until[i] = time.Now()
	c.read(i, &c.after)
}

// read has member 0 read the usage of the process. The system adds up the CPU time of a thread that runs only when the
// thread asks for its own, and at ticks of some milliseconds, so all members ask right before. It notes how long the
// calling member spins until then, in CPU time, and returns how long since.
func (c *crew) read(i int, usage *live.Usage) (since time.Duration) {
	runtime.LockOSThread() // another thread has another clock
	defer runtime.UnlockOSThread()
	begin, _ := live.ThreadCPU()
	c.meet()
	asked, _ := live.ThreadCPU()
	c.spun[i] = asked - begin
	c.meet()
	if i == 0 {
		*usage, c.metered = live.ReadUsage()
	}
	c.meet()
	end, _ := live.ThreadCPU()
	return end - asked
}

// part returns the part of all. Its CPU time is without spinning until all have begun, and ended.
func (c *crew) part() part {
	first, last := slices.MinFunc(c.from, time.Time.Compare), slices.MaxFunc(c.until, time.Time.Compare)
	p := part{took: last.Sub(first), cpu: c.after.CPU - c.before.CPU}
	for i, wrong := range c.wrong {
		p.wrong += wrong
		p.cpu -= c.waited[i] + c.spun[i]
	}
	p.cpu = max(p.cpu, 0)
	return p
}

// putOff is the time that a contestant's driver has, before the next turn, for work that it put off.
const putOff = 200 * time.Microsecond

// leftOver waits for work that the driver put off, and returns its CPU time. With several goroutines it is 0: the work is
// in their time, since the driver has no processor besides theirs.
func (c *crew) leftOver() time.Duration {
	start, waiting := time.Now(), time.Duration(0)
	if c.rough {
		time.Sleep(putOff)
	} else {
		for waiting < putOff {
			runtime.Gosched()
			waiting = time.Since(start)
		}
	}
	if c.n > 1 || !c.metered {
		return 0
	}
	after, _ := live.ReadUsage()
	return after.CPU - c.after.CPU - waiting
}

// inParts changes ops timers of one goroutine. It looks for an interruption so seldom that this does not show.
func (t *pairsTurn) inParts(do changeMany, pop livePopulation, source *splitMix, ops int) (wrong int) {
	const part = 1 << 16
	for ; ops > 0 && t.s.Ctx.Err() == nil; ops -= part {
		wrong += do(pop, source, min(ops, part))
	}
	return wrong
}

// perLiveTimer is about how many bytes of caches a timer takes in a turn: a handle, a record, and cells.
const perLiveTimer = 192

// memoryOfTurns returns how many bytes of caches so many contestants take together, with n timers each.
func memoryOfTurns(contestants, n int) int { return contestants * min(n, distributed) * perLiveTimer }

// pairsPhase is an operation of live pairs: its series, and its parts in the block.
type pairsPhase struct {
	series *rundata.Series
	do     changeMany
	parts  quiet.Parts
	cpu    quiet.Parts // the same, by CPU time
}

// add adds the time of an operation in each turn of a phase to its series: the median if the turns were not beside those of
// others. CPU time is the mean of all turns: a median would scatter as much.
func (t *pairsTurn) add(phase *pairsPhase) {
	took := phase.parts.PerOp()
	if t.r.AsItIs() {
		median, _ := stats.Median(took) // never empty
		took = []float64{median}
	}
	values := rundata.Values{}
	if t.crew.metered {
		values[rundata.CPUPerOp] = max(phase.cpu.Mean(), 0)
	}
	for _, ns := range took {
		values[rundata.NsPerOp] = ns
		phase.series.Add(t.s.First, phase.parts.Len()/len(took), values)
	}
}
