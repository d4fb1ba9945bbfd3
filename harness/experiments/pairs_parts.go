package experiments

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"schedbench/live"
)

// changeMany is a method of a population that changes ops of its timers.
type changeMany func(pop livePopulation, source *splitMix, ops int) (wrong int)

// part is what the goroutines of a turn did at once.
type part struct {
	took    time.Duration // from when the first began to when the last ended
	wrong   int
	cpu     time.Duration // of the process meanwhile
	metered bool          // the system says so
}

// members are goroutines that meet. Those that are timed with a processor each stay at work between parts: the system
// wakes a thread on the processor of its waker, and moves it to another milliseconds later.
type members struct {
	n      int64
	spin   bool
	met    atomic.Int64
	mu     sync.Mutex
	change sync.Cond
}

// spins is how often a member looks for the others before it yields, for some 100 µs. One that yields at once
// may share its thread with another: they meet, and then work one after the other.
const spins = 1 << 16

// meet waits for all.
func (m *members) meet() {
	if m.spin {
		met := m.met.Add(1)
		for all, spun := (met+m.n-1)/m.n*m.n, 1; m.met.Load() < all; spun++ {
			if spun%spins == 0 {
				runtime.Gosched()
			}
		}
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	met := m.met.Add(1)
	all := (met + m.n - 1) / m.n * m.n
	if met == all {
		m.change.Broadcast()
	}
	for m.met.Load() < all {
		m.change.Wait()
	}
}

// atOnce has each goroutine change ops of its timers, all at the same time, again and again until next, which
// sees what that came to, wants no more.
func (t *pairsTurn) atOnce(do changeMany, ops int, spin bool, next func(part) (more bool, err error)) (err error) {
	n := len(t.pops)
	w := &work{members: &members{n: int64(n), spin: spin}, t: t, do: do, ops: ops, began: make([]time.Time, n), ended: make([]time.Time, n), wrong: make([]int, n)}
	w.change.L = &w.mu
	var wg sync.WaitGroup
	for i := range t.pops[1:] {
		wg.Go(func() {
			for w.meet(); !w.done; w.meet() {
				w.by(i + 1)
			}
		})
	}
	for more := true; more; {
		t.seed++
		w.meet()
		w.by(0)
		more, err = next(w.part())
	}
	w.done = true
	w.meet()
	wg.Wait()
	return err
}

// work is a part of a turn while it is done.
type work struct {
	*members
	t             *pairsTurn
	do            changeMany
	ops           int
	began, ended  []time.Time
	wrong         []int
	before, after live.Usage
	metered, done bool
}

// by is what a goroutine does. The first one reads the CPU time.
func (w *work) by(i int) {
	if i == 0 {
		w.before, w.metered = live.ReadUsage()
	}
	w.meet()
	w.began[i] = time.Now()
	w.wrong[i] = w.t.inParts(w.do, w.t.pops[i], &splitMix{w.t.seed + uint64(i)<<32}, w.ops)
	w.ended[i] = time.Now()
	w.meet()
	if i == 0 {
		w.after, _ = live.ReadUsage()
	}
	w.meet()
}

// part returns what all did. The CPU time is without that of spinning until the last ends.
func (w *work) part() part {
	first, last := slices.MinFunc(w.began, time.Time.Compare), slices.MaxFunc(w.ended, time.Time.Compare)
	p := part{took: last.Sub(first), cpu: w.after.CPU - w.before.CPU, metered: w.metered}
	for i, ended := range w.ended {
		p.wrong += w.wrong[i]
		if w.spin {
			p.cpu -= last.Sub(ended)
		}
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
