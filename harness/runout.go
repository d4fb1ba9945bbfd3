package harness

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"schedbench/schedulers"
)

// spacing is the mean time between deadlines of a run-out: a million in a
// minute, and fewer in proportion less, so that a tick always has about
// seventeen.
const spacing = time.Minute / 1_000_000

// runoutCells returns the cell that inserts n timers and runs them out, in
// virtual time, if somebody can take part in it.
func (p *Plan) runoutCells(n int) []Cell {
	contestants := append([]Contestant{emptyContestant()}, p.which(func(c Contestant) bool {
		return c.bare() && !(c.LinearInsert && p.fillTooSlow(n, p.blocks(n)*p.repeats(n)))
	})...)
	if len(contestants) == 1 {
		return nil // the control alone
	}
	contestants = p.againIn(n, contestants)
	name := fmt.Sprintf("cost-%s-%d", OpRunout, n)
	return []Cell{Cell{
		Experiment: Cost,
		Name:       name,
		Time:       time.Duration(len(contestants)) * time.Duration(n*p.blocks(n)*p.repeats(n)) * 250 * time.Nanosecond,
		run:        func(s *session) ([]*Series, error) { return s.runout(name, contestants, n) },
	}.withoutGC()}
}

// fillTooSlow reports whether a sorted list takes too long to fill some times
// with n timers in random order: it passes a quarter of n² nodes each time.
func (p *Plan) fillTooSlow(n, times int) bool {
	return float64(n)*float64(n)/4*float64(perVisit)*float64(times) > float64(p.ListCell) // which may be beyond a Duration
}

// repeats returns how many times n timers are run out in an epoch.
func (p *Plan) repeats(n int) int { return max(int(p.Epoch/(time.Duration(n)*perOp)), 1) }

// runout runs a run-out cell. Each competitor gives two series: one of the
// expiries alone, and one of the insertions with them.
func (s *session) runout(name string, contestants []Contestant, n int) ([]*Series, error) {
	r := s.random(fmt.Sprint(OpRunout, n))
	span := time.Duration(n) * spacing
	delays := drawn(n, func() time.Duration { return 1 + time.Duration(r.Int64N(int64(span))) })
	want := expected(delays)
	var competitors []*competitor
	for _, c := range contestants {
		made := func() (population, error) { return newVirtual(c, runoutGeometry(n)) }
		e := &competitor{
			series: newSeries(Cost, "op", OpRunout, "impl", c.Name, "pending", n, "delay", "uniform"),
			holds:  burdenOf(c, n, made),
		}
		expire := newSeries(Cost, "op", OpExpire, "impl", c.Name, "pending", n, "delay", "uniform")
		e.also = []*Series{expire}
		e.turn = func(int) (int, sample, error) {
			ops := n * s.plan.repeats(n)
			runtime.GC()
			insertion, expiry, w, err := runOut(s.ctx, c, delays, s.plan.repeats(n), want)
			values := sample{NsPerOp: float64(expiry.Nanoseconds()) / float64(ops)}
			if w != nil {
				addWork(values, *w, float64(ops))
			}
			expire.add(ops, values)
			return ops, sample{NsPerOp: float64((insertion + expiry).Nanoseconds()) / float64(ops)}, err
		}
		competitors = append(competitors, e)
	}
	return interleave(s, name, blocks{count: s.plan.blocks(n), rounds: 1}, competitors)
}

// runoutGeometry fits n delays.
func runoutGeometry(n int) Geometry {
	span := time.Duration(n) * spacing
	return Geometry{Tick: costTick, Horizon: span + costTick - span%costTick + costTick}
}

// firedTicks is what came out of a run-out: how many, and a hash of which in which
// tick. Within a tick the order is open, so the hash does not depend on it.
type firedTicks struct {
	count int
	hash  uint64
}

// tick adds the values of one tick, by their sum.
func (t *firedTicks) tick(sum uint64) { t.hash = (t.hash ^ sum) * 1099511628211 }

// expected returns what comes out if the answers are right.
func expected(delays []time.Duration) firedTicks {
	span := time.Duration(len(delays)) * spacing
	sums := make([]uint64, span/costTick+2) // a tick at 0, and one for what is left of the last
	for i, d := range delays {
		sums[(d+costTick-1)/costTick] += uint64(i) + 1
	}
	t := firedTicks{count: len(delays)}
	for _, sum := range sums {
		t.tick(sum)
	}
	return t
}

// runOut inserts timers into a scheduler and runs them out, some times over,
// and checks that each came out in its tick. Work is of the expiries, and nil if
// the scheduler does not count it.
func runOut(ctx context.Context, c Contestant, delays []time.Duration, repeats int, want firedTicks) (insertion, expiry time.Duration, w *schedulers.Work, err error) {
	g := runoutGeometry(len(delays))
	span := g.Horizon - costTick
	s, err := c.New(g)
	if err != nil {
		return 0, 0, w, fmt.Errorf("%s: %w", c.Name, err)
	}
	meter, metered := s.(schedulers.Meter)
	if metered {
		w = new(schedulers.Work)
	}
	due := make([]uint64, 256)
	for i := range repeats {
		base := time.Duration(i) * (span + costTick)
		var refusal error
		took, wrong := timed(func() (wrong int) {
			wrong, refusal = insertAll(ctx, s, base, delays)
			return wrong
		})
		if err := cmp.Or(ctx.Err(), onlyFull(refusal)); err != nil {
			return 0, 0, w, err
		}
		insertion += took
		var before schedulers.Work
		if metered {
			before = meter.Work()
		}
		var got firedTicks
		took, _ = timed(func() int { got = drain(ctx, s, base, base+span, due); return 0 })
		if err := ctx.Err(); err != nil {
			return 0, 0, w, err
		}
		expiry += took
		if c.Name != EmptyControl && (wrong > 0 || got != want) {
			return 0, 0, w, fmt.Errorf("%s: %d insertions failed, and %d timers came out with the trace %x, want %d with %x",
				c.Name, wrong, got.count, got.hash, want.count, want.hash)
		}
		if metered {
			*w = w.Add(meter.Work().Sub(before))
		}
	}
	return insertion, expiry, w, nil
}

// insertedAtOnce is how many timers are inserted between two looks at whether the run was
// interrupted, and drainedAtOnce how many ticks go by: so many that looking takes no time that
// could be measured.
const insertedAtOnce, drainedAtOnce = 1 << 16, 1 << 12

// insertAll inserts timers with some delays, or fewer if the run is interrupted. It counts
// those that are refused, and returns the last refusal.
func insertAll(ctx context.Context, s schedulers.Scheduler[uint64], base time.Duration, delays []time.Duration) (wrong int, refusal error) {
	value := uint64(0)
	for part := range slices.Chunk(delays, insertedAtOnce) {
		if ctx.Err() != nil {
			return wrong, refusal
		}
		for _, d := range part {
			value++
			if _, err := s.Schedule(base+d, value); err != nil {
				wrong, refusal = wrong+1, err
			}
		}
	}
	return wrong, refusal
}

// drain calls Expire for every tick from one instant to another, or fewer if the run is
// interrupted.
func drain(ctx context.Context, s schedulers.Scheduler[uint64], from, to time.Duration, due []uint64) (t firedTicks) {
	ticks := 0
	for now := from; now <= to; now += costTick {
		if ticks++; ticks%drainedAtOnce == 0 && ctx.Err() != nil {
			return t
		}
		sum := uint64(0)
		for {
			n := s.Expire(now, due)
			for _, v := range due[:n] {
				sum += v
			}
			t.count += n
			if n < len(due) {
				break
			}
		}
		t.tick(sum)
	}
	return t
}
