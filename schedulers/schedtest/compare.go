package schedtest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"schedbench/schedulers"
)

// mostPending is the largest number of values that Compare lets pend.
const mostPending = 5000

// phase is a stretch of operations with one mix: the population grows, turns over, is cancelled or drains. The numbers
// are percentages of the operations; the rest are calls that change nothing.
type phase struct {
	schedule, cancel, reset, expire int
	same                            bool // all deadlines of the phase are one
	leap                            bool // time moves as far as deadlines lie ahead
}

// phases are the mixes that Compare picks from.
var phases = [...]phase{
	{schedule: 80, cancel: 6, reset: 4, expire: 2},
	{schedule: 34, cancel: 30, reset: 10, expire: 16},
	{schedule: 44, cancel: 42, reset: 4, expire: 4},
	{schedule: 80, cancel: 6, expire: 4, same: true},
	{schedule: 4, cancel: 84, reset: 4, expire: 4},
	{schedule: 4, cancel: 2, reset: 4, expire: 84, leap: true},
	{schedule: 20, cancel: 15, reset: 5, expire: 40},
}

// comparison is a run of Compare.
type comparison struct {
	*trial
	rng    *rand.Rand
	ops    int
	phase  phase
	left   int           // operations left in the phase
	scale  uint32        // bounds the exponent of the phase's delays
	common time.Duration // the deadline of a phase with the same one, until it has passed
}

// Compare performs ops random operations, determined by seed, on a fresh scheduler and on the model, the last of them at the
// end of time. It returns an error that describes the first difference. A panic of the scheduler counts as one.
func Compare(s Scheduler, seed uint64, ops int) error {
	c := &comparison{ops: ops, rng: rand.New(rand.NewPCG(seed, 0))}
	done := 0
	err := judged(func() {
		c.trial = begin(s, (*trial).counts)
		for ; done < ops; done++ {
			c.operate(done)
		}
		c.finish()
	})
	if err == nil {
		return nil
	}
	if _, ok := err.(broken); !ok && c.trial != nil {
		err = fmt.Errorf("%v: %w", c.doing(), err)
	}
	return fmt.Errorf("%s: seed %d, operation %d of %d: %w", s.Name, seed, done, ops, err)
}

// operate does operation i, which it draws.
func (c *comparison) operate(i int) {
	if c.left == 0 || len(c.model.pending) == 0 && c.rng.IntN(64) == 0 {
		c.begin()
	}
	c.left--
	p := c.phase
	if len(c.model.pending) >= mostPending {
		p.schedule, p.cancel = 0, p.cancel+p.schedule
	}
	n := c.rng.IntN(100)
	switch {
	case n < p.schedule:
		c.schedule(c.drawDeadline())
	case n < p.schedule+p.cancel:
		c.cancel(c.drawID())
	case n < p.schedule+p.cancel+p.reset:
		c.reset(c.drawID(), c.drawDeadline())
	case n < p.schedule+p.cancel+p.reset+p.expire:
		c.expire(c.now(c.ops-i), c.room())
	case c.rng.IntN(500) == 0:
		c.all()
	default:
		c.next()
	}
}

// drawID returns the ID of a pending value, or one time in five one that is probably not pending.
func (c *comparison) drawID() schedulers.ID {
	if c.rng.IntN(5) == 0 {
		return c.odd(c.rng.Uint64())
	}
	return c.live(c.rng.Uint64())
}

func (c *comparison) begin() {
	c.phase = phases[c.rng.IntN(len(phases))]
	c.left = 1 + c.rng.IntN(min(2*mostPending, 1+c.ops/8))
	c.scale = [...]uint32{3, 6, 10, 16, 24, 32}[c.rng.IntN(6)]
	c.common = -1
}

func (c *comparison) drawDeadline() time.Duration {
	if c.phase.same && c.common >= c.model.clock {
		return c.common
	}
	c.common = c.deadline(c.model.clock, c.shape(), c.fine())
	return c.common
}

// now returns the instant to move to when left operations remain. A step is a small part of the time that is left. In the
// last fiftieth of the operations time goes to its last ticks, and then to its end.
func (c *comparison) now(left int) time.Duration {
	clock := c.model.clock
	switch lastTicks := end - 100*c.unit(); {
	case left <= c.ops/100:
		return end
	case left <= c.ops/50 && clock < lastTicks:
		return lastTicks
	case left <= c.ops/50:
		return later(clock, c.unit()/16*time.Duration(c.rng.IntN(8)))
	case c.rng.IntN(500) == 0:
		return clock + time.Duration(c.rng.Int64N(int64(end-clock)>>6+1))
	}
	step := c.instant(clock, c.shape(), c.fine()) - clock
	switch c.rng.IntN(20) {
	case 0:
		return clock
	case 1:
		return clock + min(step, -step)
	case 2, 3, 4, 5, 6, 7, 8:
		if !c.phase.leap {
			step %= 4 * c.unit()
		}
	}
	now := clock + min(max(step, 0), (end-clock)>>12)
	if c.rng.IntN(2) == 0 {
		now = max(now.Truncate(c.unit()), clock)
	}
	return now
}

// room is mostly ample: what is due does not pile up.
func (c *comparison) room() int {
	if c.rng.IntN(2) == 0 {
		return roomiest
	}
	return rooms[c.rng.IntN(len(rooms))]
}

// shape picks a kind of delay by weight and a scale within the phase's.
func (c *comparison) shape() byte {
	const kinds = "0000000011112222222344445555667"
	kind := kinds[c.rng.IntN(len(kinds))] - '0'
	return kind<<5 | byte(c.rng.Uint32N(c.scale))
}

func (c *comparison) fine() byte { return byte(c.rng.Uint32()) }
