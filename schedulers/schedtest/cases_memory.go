package schedtest

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"schedbench/schedulers"
)

// memoryCases check allocations and the size of the heap.
func memoryCases() []Case {
	return []Case{
		{"no-allocations", "In a steady state no operation allocates.", noAllocations},
		{"memory-returns", "When a burst has passed, the memory that it took is given back.", memoryReturns},
	}
}

// population is how many values are pending while allocations are counted.
const population = 1024

// load is a workload whose population is steady: it repeats itself after
// population rounds, and so do the needs of any scheduler.
type load struct {
	name  string
	round func(l *loaded, i int)
}

var loads = [...]load{
	{"schedule and cancel", func(l *loaded, i int) {
		l.r.sched.Cancel(l.ids[i])
		l.schedule(i)
	}},
	{"schedule and expire", func(l *loaded, i int) {
		l.schedule(i)
		l.advance()
	}},
	{"schedule, cancel and expire", func(l *loaded, i int) {
		l.r.sched.Cancel(l.ids[(i+population/2)%population])
		l.schedule(i)
		l.advance()
	}},
	{"schedule and expire bursts", func(l *loaded, i int) {
		for range 32 {
			l.r.sched.Schedule(l.now+l.delays[i]/64, 1)
		}
		l.advance()
	}},
	{"reset and expire", func(l *loaded, i int) {
		re, _ := l.r.sched.(schedulers.Resetter)
		if re == nil {
			return
		}
		if ok, _ := re.Reset(l.ids[i], l.now+l.delays[i]); !ok {
			l.schedule(i)
		}
		l.advance()
	}},
}

// loaded is a scheduler under load.
type loaded struct {
	r      *trial
	now    time.Duration
	delays [population]time.Duration
	ids    [population]schedulers.ID
	due    [64]uint64
}

func newLoaded(t TestingT, s Subject) *loaded {
	l := &loaded{r: begin(t, s)}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range l.delays {
		l.delays[i] = time.Duration(rng.Int64N(int64(min(population*s.unit(), s.maxDelay())) + 1))
		l.schedule(i)
	}
	return l
}

// schedule schedules value i again, at its delay from now.
func (l *loaded) schedule(i int) {
	l.ids[i], _ = l.r.sched.Schedule(l.now+l.delays[i], uint64(i))
}

// advance moves on by a unit and takes out what is due.
func (l *loaded) advance() {
	l.now += l.r.subject.unit()
	for l.r.sched.Expire(l.now, l.due[:]) == len(l.due) {
	}
}

// run performs n rounds.
func (l *loaded) run(load load, n int) {
	for i := range n {
		load.round(l, i%population)
	}
}

func noAllocations(t TestingT, s Subject) {
	const warmUp, rounds = 32 * population, 16 * population
	// A collection may allocate on its own behalf.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, load := range loads {
		l := newLoaded(t, s)
		l.run(load, warmUp)
		var counted uint64
		// Others in the process may allocate at times, but hardly every time.
		for range 5 {
			before := mallocs()
			l.run(load, rounds)
			if counted = mallocs() - before; counted == 0 {
				break
			}
		}
		if counted > 0 {
			t.Errorf("%s: %d allocations in %d rounds", load.name, counted, rounds)
		}
	}
}

// mallocs returns the number of objects that the process has allocated.
func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// burst is how many values pend at the height of a burst.
const burst = 200_000

func memoryReturns(t TestingT, s Subject) {
	deadlines := cheapOrder(t, s, s.spread(burst))
	b := &bursty{deadlines: deadlines, ids: make([]schedulers.ID, burst), due: make([]uint64, 1000)}
	b.check(begin(t, s), "cancelled", b.cancelAllBut)
	b.check(begin(t, s), "handed out", b.expireAllBut)
}

// bursty makes a burst pass in one of two ways.
type bursty struct {
	deadlines []time.Duration
	ids       []schedulers.ID
	due       []uint64
}

// keep is how many values of a burst stay, so that what they share with the
// others cannot simply be dropped.
const keep = 4

// check measures what is still in use when all values but a few are gone.
func (b *bursty) check(r *trial, how string, pass func(r *trial) time.Duration) {
	r.cancel(r.schedule(0, 0), true)
	start := heapInUse()
	for i, d := range b.deadlines {
		b.ids[i] = r.schedule(d, uint64(i))
	}
	rise := heapInUse() - start
	traffic(r, pass(r))
	rest := heapInUse() - start
	r.expectLen(keep)
	if rest > rise/4 {
		r.Errorf("%d values took %d bytes; after all but %d were %s, %d of them are still in use",
			len(b.ids), rise, keep, how, rest)
	}
}

// cancelAllBut cancels all but values that are spread over the burst. It
// returns an instant before any of these is due.
func (b *bursty) cancelAllBut(r *trial) time.Duration {
	gap := len(b.ids) / keep
	for i, id := range b.ids {
		if i%gap != gap/2 {
			r.cancel(id, true)
		}
	}
	return slices.Max(b.deadlines) / (4 * keep)
}

// expireAllBut takes out all but the last ones, which wait for a larger buffer.
// It returns the instant it moved to.
func (b *bursty) expireAllBut(r *trial) time.Duration {
	last := r.subject.dueAt(0, slices.Max(b.deadlines))
	for r.sched.Len() > keep {
		room := min(len(b.due), r.sched.Len()-keep)
		if r.sched.Expire(last, b.due[:room]) != room {
			r.fatalf("Expire did not fill a buffer of %d with %d values due", room, r.sched.Len())
		}
	}
	return last
}

// traffic moves to now by way of the instants before it, scheduling and
// cancelling a little, so that a scheduler may give memory back bit by bit.
func traffic(r *trial, now time.Duration) {
	const rounds = 5000
	delay := r.subject.spread(4)[2]
	for i := range time.Duration(rounds) {
		at := now / rounds * (i + 1)
		r.sched.Expire(at, nil)
		r.sched.Cancel(r.schedule(at+delay, 1))
	}
}

// heapInUse returns the bytes of live objects.
func heapInUse() int64 {
	// The second collection frees what the first one's finalizers let go.
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
