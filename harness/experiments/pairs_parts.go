package experiments

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"schedbench/harness/quiet"
	"schedbench/live"
)

// changeMany is a method of a population that changes ops of its timers.
type changeMany func(pop livePopulation, source *splitMix, ops int) (wrong int)

// part is what the goroutines of a turn did at once.
type part struct {
	took    time.Duration // from when the first began to when the last ended
	wrong   int
	counts  bool          // none was disturbed
	cpu     time.Duration // of the process meanwhile
	metered bool          // the system says so
}

// members are goroutines that meet. They stay at work between parts: the system wakes a thread
// on the processor of its waker, and moves it to another milliseconds later.
type members struct {
	n   int64
	met atomic.Int64
}

// meet waits for all.
func (m *members) meet() {
	met := m.met.Add(1)
	for all := (met + m.n - 1) / m.n * m.n; m.met.Load() < all; {
		runtime.Gosched()
	}
}

// atOnce has each goroutine change ops of its timers, all at the same time, again and again until next, which
// sees what that came to, wants no more.
func (t *pairsTurn) atOnce(do changeMany, ops int, cores quiet.Cores, next func(part) (more bool, err error)) (err error) {
	m := &members{n: int64(len(t.pops))}
	w := &work{m: m, t: t, do: do, ops: ops, cores: cores, began: make([]time.Time, m.n), ended: make([]time.Time, m.n), wrong: make([]int, m.n), counts: make([]bool, m.n)}
	var wg sync.WaitGroup
	for i := range t.pops[1:] {
		wg.Go(func() {
			for m.meet(); !w.done; m.meet() {
				w.by(i + 1)
			}
		})
	}
	for more := true; more; {
		t.seed++
		m.meet()
		w.by(0)
		more, err = next(w.part())
	}
	w.done = true
	m.meet()
	wg.Wait()
	return err
}

// work is a part of a turn while it is done.
type work struct {
	m            *members
	t            *pairsTurn
	do           changeMany
	ops          int
	cores        quiet.Cores
	began, ended []time.Time
	wrong        []int
	counts       []bool
	before       live.Usage
	after        live.Usage
	metered      bool
	done         bool
}

// by is what a goroutine does: it begins when no core is disturbed. The first of them reads the CPU time.
func (w *work) by(i int) {
	core := w.cores.At(i)
	core.Begin()
	w.m.meet()
	if i == 0 {
		w.before, w.metered = live.ReadUsage()
	}
	w.m.meet()
	w.began[i] = time.Now()
	w.wrong[i] = w.t.inParts(w.do, w.t.pops[i], &splitMix{w.t.seed + uint64(i)<<32}, w.ops)
	w.ended[i] = time.Now()
	w.m.meet()
	if i == 0 {
		w.after, _ = live.ReadUsage()
	}
	w.m.meet()
	w.counts[i] = core.Counts(w.ended[i].Sub(w.began[i]))
	w.m.meet()
}

// part returns what all did. The CPU time is without that of waiting for the last.
func (w *work) part() part {
	last := slices.MaxFunc(w.ended, time.Time.Compare)
	p := part{took: last.Sub(slices.MinFunc(w.began, time.Time.Compare)), counts: !slices.Contains(w.counts, false), cpu: w.after.CPU - w.before.CPU, metered: w.metered}
	for i, ended := range w.ended {
		p.wrong += w.wrong[i]
		p.cpu -= last.Sub(ended)
	}
	p.cpu = max(p.cpu, 0)
	return p
}

// inParts changes ops timers of one goroutine's. It looks for an interruption
// so seldom that this takes no time that could be measured.
func (t *pairsTurn) inParts(do changeMany, pop livePopulation, source *splitMix, ops int) (wrong int) {
	const part = 1 << 16
	for ; ops > 0 && t.s.Ctx.Err() == nil; ops -= part {
		wrong += do(pop, source, min(ops, part))
	}
	return wrong
}
