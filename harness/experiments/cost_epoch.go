package experiments

import (
	"slices"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/schedulers"
)

func (k *costed) epoch(op costedOp) (int, rundata.Values, error) {
	before, metered := k.pop.work()
	var took time.Duration
	var wrong int
	var work schedulers.Work
	ops := len(op.rs.picks)
	switch op.name {
	case rundata.OpPair:
		took, wrong = timed(func() int { return k.pop.pairs(op.rs) })
	case rundata.OpReset:
		took, wrong = timed(func() int { return k.pop.resets(op.rs) })
	case rundata.OpInsert:
		took, wrong = inserts(k.pop, op.rs.delays, k.n)
	case rundata.OpExpire:
		took, ops, wrong, work = k.expiries(ops)
	case rundata.OpTick:
		ops = min(ops, mostTicks)
		took, wrong = timed(func() int { return idleTicks(k.pop, &k.now, ops) })
	}
	values := rundata.Values{rundata.NsPerOp: float64(took.Nanoseconds()) / float64(ops)}
	if after, _ := k.pop.work(); metered {
		if op.name != rundata.OpExpire {
			work = after.Sub(before)
		}
		addWork(values, work, float64(ops))
	}
	return ops, values, check.That(wrong == 0 && (k.pop.len() == k.n || k.c.Name == rundata.EmptyControl), wrongAnswers, wrong, ops, k.pop.len(), k.n)
}

// expiries times the expiry of want timers, a few at a time, and replaces them off the clock. The first expiry, in which a
// wheel does deferred work, does not count. work is that of the others, without the replacements.
func (k *costed) expiries(want int) (took time.Duration, ops, wrong int, work schedulers.Work) {
	draw := func() time.Duration { return k.draw(k.refills) }
	k.pop.expire(1)
	wrong = k.pop.refill(draw)
	// A wheel with rounds takes microseconds for each timer, and an epoch of fewer shows as much.
	for batch := min(max(k.n/8, 1), expiredAtOnce); ops < want && (ops < fewestOps || took < k.s.Plan.Epoch) && wrong == 0; {
		part := min(batch, want-ops)
		before, _ := k.pop.work()
		t, _ := timed(func() int { k.pop.expire(part); return 0 })
		after, _ := k.pop.work()
		took, work = took+t, work.Add(after.Sub(before))
		fired := len(k.pop.fired)
		if k.c.Name == rundata.EmptyControl { // it never has anything due
			fired = part
		} else if fired < part {
			wrong++
		}
		ops += fired
		wrong += k.pop.refill(draw)
	}
	return took, ops, wrong, work
}

const wrongAnswers = "%d of %d operations gave a wrong answer, %d are pending, want %d"

func timed(f func() int) (time.Duration, int) {
	start := time.Now()
	wrong := f()
	return time.Since(start), wrong
}

func insertedAtOnce(n int) int { return max(n/8, 32) }

// inserts times insertions into a population of n, a few at a time, and cancels the timers off the clock: n hardly changes.
func inserts(pop *virtual, delays []time.Duration, n int) (took time.Duration, wrong int) {
	for part := range slices.Chunk(delays, insertedAtOnce(n)) {
		t, w := timed(func() int { return pop.add(part) })
		took += t
		wrong += w + pop.drop()
	}
	return took, wrong
}

func idleTicks(p *virtual, now *time.Duration, ticks int) (wrong int) {
	s := p.s
	due := make([]uint64, 16)
	for range ticks {
		*now += costTick
		wrong += s.Expire(*now, due)
	}
	return wrong
}

func addWork(values rundata.Values, w schedulers.Work, ops float64) {
	for unit, count := range map[string]uint64{
		rundata.VisitsPerOp: w.Visits, rundata.MovesPerOp: w.Moves, rundata.LevelsPerOp: w.Levels,
		rundata.SlotsPerOp: w.Slots, rundata.CascadesPerOp: w.Cascades, rundata.SweptPerOp: w.Swept,
		rundata.UpkeepPerOp: w.Upkeep,
	} {
		values[unit] = float64(count) / ops
	}
}
