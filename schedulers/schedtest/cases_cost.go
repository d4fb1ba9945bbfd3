package schedtest

import (
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"schedbench/internal/machine"
	"schedbench/schedulers"
)

// stepsPerEntry bounds the steps of a jump for each pending value and slot: more than the depth of a heap and the levels of a
// wheel.
const stepsPerEntry = 64

// expectCheap passes by the model, whose calls are work too.
func (r *trial) expectCheap(now time.Duration, limit uint64) {
	meter, pending := r.meter(), r.sched.Len()
	before := meter.Work()
	r.sched.Expire(now, make([]uint64, roomiest))
	if steps := total(meter.Work().Sub(before)); steps > limit {
		r.fail("with %d pending and %d slots, a jump to %d counted %d steps, want at most %d",
			pending, r.Slots, now, steps, limit)
	}
}

func idleJump(r *trial) {
	for _, cancelled := range []int{1, 2, 3001} {
		r := r.fresh()
		meter := r.meter()
		for _, id := range r.scheduleAll(r.spread(cancelled)) {
			r.sched.Cancel(id)
		}
		for now := r.unit(); now < end/2; now *= 2 {
			r.expectCheap(now, 4*meter.Work().Held)
		}
	}
}

// longJump doubles the length of the jump: a scheduler that steps through the ticks fails before it takes forever.
func longJump(r *trial) {
	for _, n := range []int{1, 100, 1000} {
		limit := uint64(stepsPerEntry * (n + r.Slots + 1))
		far := make([]time.Duration, n)
		for i := range far {
			far[i] = r.maxDelay() - min(time.Duration(i), r.maxDelay())
		}
		r := r.fresh()
		r.scheduleAll(far)
		for now := r.unit(); now < end/2; now *= 2 {
			r.expectCheap(now, limit)
		}
		for jump := r.unit(); jump < end/2; jump *= 2 {
			r := r.fresh()
			r.scheduleAll(shuffled(r.spread(n)))
			r.expectCheap(jump, limit)
		}
	}
}

func heldBound(r *trial) {
	const n = 10_000
	r.meter()
	deadlines := r.spread(n)
	ids := r.scheduleAll(deadlines)
	for stride := range 3 {
		for i := stride; i < n; i += 3 {
			r.cancel(ids[i])
		}
	}
	for i := range 3 * n {
		r.cancel(r.schedule(deadlines[i%n]))
	}
	ids = r.scheduleAll(deadlines)
	for _, d := range r.spread(20) {
		r.drain(d, 100, 0)
	}
	for _, id := range ids {
		r.cancel(id)
	}
}

func (r *trial) meter() schedulers.Meter {
	meter, ok := r.sched.(schedulers.Meter)
	r.need(ok, "is no Meter, so its work cannot be counted")
	return meter
}

// population is how many values are pending while allocations are counted.
const population = 1024

// loads are workloads whose population is steady: they repeat themselves after population rounds.
var loads = [...]struct {
	name  string
	round func(l *loaded, i int)
}{
	{"schedule and cancel", func(l *loaded, i int) {
		l.sched.Cancel(l.ids[i])
		l.reschedule(i)
	}},
	{"schedule, cancel, reset and expire", func(l *loaded, i int) {
		l.sched.Cancel(l.ids[(i+population/2)%population])
		if re, ok := l.sched.(schedulers.Resetter); ok {
			re.Reset(l.ids[(i+population/4)%population], l.now+l.delays[i])
		}
		l.reschedule(i)
		l.advance()
	}},
	{"schedule and expire bursts", func(l *loaded, i int) {
		if i%8 == 0 { // as many timers as the other loads have, or a sorted list takes seconds
			for range 32 {
				l.sched.Schedule(l.now+l.delays[i]/64, 1)
			}
		}
		l.advance()
	}},
}

type loaded struct {
	*trial
	now    time.Duration
	delays [population]time.Duration
	ids    [population]schedulers.ID
	buf    [64]uint64
}

// reschedule schedules value i at its delay from now.
func (l *loaded) reschedule(i int) { l.ids[i], _ = l.sched.Schedule(l.now+l.delays[i], uint64(i)) }

// advance moves on by a unit and takes out what is due.
func (l *loaded) advance() {
	l.now += l.unit()
	for l.sched.Expire(l.now, l.buf[:]) == len(l.buf) {
	}
}

func noAllocations(r *trial) {
	// A collection may allocate on its own behalf.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, load := range loads {
		l := &loaded{trial: r.fresh()}
		rng := rand.New(rand.NewPCG(3, 4))
		for i := range l.delays {
			l.delays[i] = time.Duration(rng.Int64N(int64(min(population*l.unit(), l.maxDelay())) + 1))
			l.reschedule(i)
		}
		const rounds = 16 * population
		counted := 1.0
		// Others in the process may allocate at times, but hardly every time.
		for try := 0; try < 5 && counted > 0; try++ {
			counted = testing.AllocsPerRun(1, func() {
				for i := range rounds {
					load.round(l, i%population)
				}
			})
		}
		if counted > 0 {
			r.fail("%s: %.0f allocations in %d rounds", load.name, counted, rounds)
		}
	}
}

// heapInUse returns the bytes of live objects.
func heapInUse() int64 { return int64(machine.Heap()) }

const (
	// burst is how many values pend at the height of a burst, as far as that is affordable.
	burst = 200_000
	// keep is how many of them stay: what they share with the others cannot simply be dropped.
	keep = 4
)

func memoryReturns(r *trial) {
	deadlines := r.spread(r.affordable(burst))
	r.fresh().passBurst(deadlines, "cancelled", (*trial).cancelAllBut)
	r.fresh().passBurst(deadlines, "handed out", (*trial).expireAllBut)
}

// passBurst measures what is still in use when all values but a few are gone.
func (r *trial) passBurst(deadlines []time.Duration, how string, pass func(*trial, []schedulers.ID, time.Duration) time.Duration) {
	ids := make([]schedulers.ID, len(deadlines))
	r.sched.Cancel(r.unchecked(0, 0))
	start := heapInUse()
	for i, d := range deadlines {
		ids[i] = r.unchecked(d, uint64(i))
	}
	rise := heapInUse() - start
	r.traffic(pass(r, ids, slices.Max(deadlines)))
	rest := heapInUse() - start
	if got := r.sched.Len(); got != keep {
		r.fail("Len is %d, want %d", got, keep)
	}
	if rest > rise/4 {
		r.fail("%d values took %d bytes; after all but %d were %s, %d of them are still in use",
			len(deadlines), rise, keep, how, rest)
	}
}

// cancelAllBut cancels all but values spread over the burst. It returns an instant before any of these is due.
func (r *trial) cancelAllBut(ids []schedulers.ID, last time.Duration) time.Duration {
	gap := len(ids) / keep
	for i, id := range ids {
		if i%gap != gap/2 {
			r.sched.Cancel(id)
		}
	}
	return last / (4 * keep)
}

// expireAllBut takes out all but the last ones, which wait for a larger buffer. It returns the instant it moved to.
func (r *trial) expireAllBut(ids []schedulers.ID, last time.Duration) time.Duration {
	now := r.dueAt(0, last)
	for n := len(ids) - keep; n > 0; n -= 1000 {
		r.sched.Expire(now, make([]uint64, min(n, 1000)))
	}
	return now
}

// traffic moves to now by way of the instants before it, scheduling and
// cancelling a little: a scheduler may give memory back bit by bit.
func (r *trial) traffic(now time.Duration) {
	const rounds = 5000
	delay := r.spread(4)[2]
	for i := range time.Duration(rounds) {
		at := now / rounds * (i + 1)
		r.sched.Expire(at, nil)
		r.sched.Cancel(r.unchecked(at+delay, 1))
	}
}

// unchecked schedules past the model, which would take memory, and must not be asked any more.
func (r *trial) unchecked(deadline time.Duration, value uint64) schedulers.ID {
	id, err := r.sched.Schedule(deadline, value)
	if err != nil {
		r.fail("Schedule(%d) was refused: %v", deadline, err)
	}
	return id
}

// affordable returns how many of n values a case schedules. Without a Meter it is a tenth: each insertion may be a pass
// over all values.
func (r *trial) affordable(n int) int {
	if _, counts := r.sched.(schedulers.Meter); !counts {
		return n / 10
	}
	return n
}

func total(w schedulers.Work) uint64 {
	return w.Visits + w.Moves + w.Levels + w.Slots + w.Cascades + w.Swept + w.Upkeep
}
