package workload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"schedbench/heapsched"
	"schedbench/schedulers"
)

// checker follows a stream as a scheduler would, and reports the first operation that a program could not have asked for.
type checker struct {
	scheduler *heapsched.Heap[uint32]
	timers    []checked // by number
	at        time.Duration
	due       []uint32
	until     time.Duration // armings before it count
	from      time.Duration // what happens is counted from here to until

	ops      int
	ended    map[Kind]int  // armings, by Reset and Cancel, or zero at their deadline
	happened map[Kind]int  // operations, and deadlines as zero
	pending  time.Duration // time that timers were pending
	longest  time.Duration
}

type checked struct {
	id       schedulers.ID // 0 when not pending
	armed    time.Duration
	deadline time.Duration
}

func newChecker(from, until time.Duration) *checker {
	return &checker{
		scheduler: heapsched.New[uint32](), due: make([]uint32, 64), from: from, until: until,
		ended: map[Kind]int{}, happened: map[Kind]int{},
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

func (c *checker) apply(op Op) (err error) {
	if op.At < c.at || op.Delay < 0 {
		return fmt.Errorf("time goes back from %v, or the delay of %v is negative", c.at, op.Delay)
	}
	c.ops++
	c.at = op.At
	c.longest = max(c.longest, op.Delay)
	c.expire(op.At)
	c.count(op.Kind, op.At)
	switch n := len(c.timers); {
	case int(op.Timer) > n:
		return errors.New("the number leaves a gap")
	case int(op.Timer) == n && c.scheduler.Len() != n:
		return fmt.Errorf("a new number, though %d of %d are free", n-c.scheduler.Len(), n)
	case int(op.Timer) == n:
		c.timers = append(c.timers, checked{})
	}
	t := &c.timers[op.Timer]
	switch pending := t.id != 0; {
	case op.Kind < Schedule || op.Kind > Cancel:
		return errors.New("unknown kind")
	case pending == (op.Kind == Schedule):
		return errors.New("the timer is pending already, or it is not pending")
	case pending:
		c.scheduler.Cancel(t.id)
		c.end(t, op.Kind, op.At)
	}
	if op.Kind != Cancel {
		t.armed, t.deadline = op.At, op.At+op.Delay
		t.id, err = c.scheduler.Schedule(t.deadline, op.Timer)
	}
	return err
}

func (c *checker) count(kind Kind, at time.Duration) {
	if at >= c.from && at < c.until {
		c.happened[kind]++
	}
}

func (c *checker) end(t *checked, by Kind, at time.Duration) {
	t.id = 0
	if t.armed < c.until {
		c.ended[by]++
	}
	c.pending += max(0, min(at, c.until)-max(t.armed, c.from))
}

func (c *checker) expire(now time.Duration) {
	for {
		n := c.scheduler.Expire(now, c.due)
		for _, timer := range c.due[:n] {
			t := &c.timers[timer]
			c.count(0, t.deadline)
			c.end(t, 0, t.deadline)
		}
		if n < len(c.due) {
			return
		}
	}
}
