package workload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"schedbench/heapsched"
	"schedbench/schedulers"
)

// checker follows a stream as a scheduler would and reports the first operation
// that a program could not have asked for. Beside that it counts how armings end.
type checker struct {
	scheduler *heapsched.Heap[uint32]
	timers    []checked // by number
	at        time.Duration
	due       []uint32
	until     time.Duration // armings before it count
	from      time.Duration // pending time is counted from here to until
	counts
}

type checked struct {
	id       schedulers.ID
	armed    time.Duration
	deadline time.Duration
	kind     Kind // zero when not pending
}

// counts are what a stream consists of.
type counts struct {
	ops       int
	schedules int // of armings from from to until
	resets    int
	ended     map[Kind]int  // of armings before until, by Reset and Cancel, or zero at their deadline
	happened  map[Kind]int  // resets, cancels and deadlines from from to until
	pending   time.Duration // time that timers were pending from from to until
	numbers   int
	longest   time.Duration
}

func newChecker(from, until time.Duration) *checker {
	return &checker{
		scheduler: heapsched.New[uint32](), due: make([]uint32, 64), from: from, until: until,
		counts: counts{ended: map[Kind]int{}, happened: map[Kind]int{}},
	}
}

// check reads a stream to its end, or at most so many operations.
func (c *checker) check(s Stream, most int) error {
	for ops, err := range Blocks(context.Background(), s, 100) {
		if err != nil {
			return err
		}
		for _, op := range ops {
			if err := c.apply(op); err != nil {
				return fmt.Errorf("operation %d, %v of timer %d at %v: %w", c.ops, op.Kind, op.Timer, op.At, err)
			}
		}
		if c.ops >= most {
			break
		}
	}
	c.expire(1<<63 - 1)
	return nil
}

func (c *checker) apply(op Op) error {
	if op.At < c.at || op.Delay < 0 {
		return fmt.Errorf("time goes back from %v, or the delay of %v is negative", c.at, op.Delay)
	}
	c.ops++
	c.at = op.At
	c.longest = max(c.longest, op.Delay)
	c.expire(op.At)
	if op.Kind == Schedule {
		return c.schedule(op)
	}
	if int(op.Timer) >= len(c.timers) || c.timers[op.Timer].kind == 0 {
		return errors.New("the timer is not pending")
	}
	t := &c.timers[op.Timer]
	c.end(t, op.Kind, op.At)
	switch op.Kind {
	case Cancel:
		c.scheduler.Cancel(t.id)
	case Reset:
		_, err := c.scheduler.Reset(t.id, op.At+op.Delay)
		c.arm(t, op)
		return err
	default:
		return errors.New("unknown kind")
	}
	return nil
}

func (c *checker) schedule(op Op) (err error) {
	if int(op.Timer) == len(c.timers) {
		if c.scheduler.Len() != len(c.timers) {
			return fmt.Errorf("a new number, though %d of %d are free", len(c.timers)-c.scheduler.Len(), len(c.timers))
		}
		c.timers = append(c.timers, checked{})
		c.numbers = len(c.timers)
	}
	if int(op.Timer) > len(c.timers) || c.timers[op.Timer].kind != 0 {
		return errors.New("the number is pending, or leaves a gap")
	}
	t := &c.timers[op.Timer]
	t.id, err = c.scheduler.Schedule(op.At+op.Delay, op.Timer)
	c.arm(t, op)
	return err
}

func (c *checker) arm(t *checked, op Op) {
	t.armed, t.deadline, t.kind = op.At, op.At+op.Delay, op.Kind
	if op.At >= c.from && op.At < c.until {
		if op.Kind == Schedule {
			c.schedules++
		} else {
			c.resets++
		}
	}
}

// end counts the end of an arming, by an operation or at the deadline.
func (c *checker) end(t *checked, by Kind, at time.Duration) {
	t.kind = 0
	if t.armed < c.until {
		c.ended[by]++
	}
	if at >= c.from && at < c.until {
		c.happened[by]++
	}
	c.pending += max(0, min(at, c.until)-max(t.armed, c.from))
}

// expire lets the deadlines up to now pass.
func (c *checker) expire(now time.Duration) {
	for {
		n := c.scheduler.Expire(now, c.due)
		for _, timer := range c.due[:n] {
			t := &c.timers[timer]
			c.end(t, 0, t.deadline)
		}
		if n < len(c.due) {
			return
		}
	}
}
