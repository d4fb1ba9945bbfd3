package schedtest

import (
	"fmt"
	"slices"
	"time"

	"schedbench/schedulers"
)

// roomiest is the largest due buffer that a run uses.
const roomiest = 8192

// rooms are the lengths of due buffers worth trying.
var rooms = [...]int{roomiest, 1, 0, 2, 3, 5, 16, 64, 256, 1024}

// checkedRun runs a scheduler and its model side by side. The message of a failure, even of a panic, names the call.
type checkedRun struct {
	Scheduler
	sched  schedulers.Scheduler[uint64]
	model  *contractModel
	doing  func() string     // renders the call, set before it is made
	value  uint64            // the last value scheduled
	issued schedulers.ID     // its ID, 0 if it was refused
	stale  [64]schedulers.ID // some IDs that are no longer pending
	stales uint64            // how many were ever put into stale
	buf    []uint64
}

func newCheckedRun(s Scheduler) (*checkedRun, error) {
	sched, err := s.New()
	if err != nil {
		return nil, fmt.Errorf("%s: New: %w", s.Name, err)
	}
	model := &contractModel{scheduler: s, byValue: map[uint64]*modelEntry{}, byID: map[schedulers.ID]*modelEntry{}}
	return &checkedRun{Scheduler: s, sched: sched, model: model, doing: func() string { return "New()" }}, nil
}

func (c *checkedRun) schedule(deadline time.Duration) error {
	c.doing = func() string { return fmt.Sprintf("Schedule(%d)", deadline) }
	c.value++
	id, err := c.sched.Schedule(deadline, c.value)
	if c.issued = id; err != nil {
		c.issued = 0
	}
	return c.model.checkSchedule(deadline, c.value, id, err)
}

func (c *checkedRun) scheduleMany(deadline time.Duration, times int) error {
	for range times {
		if err := c.schedule(deadline); err != nil {
			return err
		}
	}
	return nil
}

func (c *checkedRun) cancel(id schedulers.ID) error {
	c.doing = func() string { return fmt.Sprintf("Cancel(%#x)", uint64(id)) }
	ok := c.sched.Cancel(id)
	if ok {
		c.retire(id)
	}
	return c.model.checkCancel(id, ok)
}

// reset does nothing if the scheduler is not a Resetter.
func (c *checkedRun) reset(id schedulers.ID, deadline time.Duration) error {
	resetter, ok := c.sched.(schedulers.Resetter)
	if !ok {
		return nil
	}
	c.doing = func() string { return fmt.Sprintf("Reset(%#x, %d)", uint64(id), deadline) }
	ok, err := resetter.Reset(id, deadline)
	return c.model.checkReset(id, deadline, ok, err)
}

func (c *checkedRun) expire(now time.Duration, room int) error {
	c.doing = func() string { return fmt.Sprintf("Expire(%d, room for %d)", now, room) }
	c.buf = slices.Grow(c.buf[:0], room)[:room]
	n := c.sched.Expire(now, c.buf)
	if n < 0 || n > room {
		return fmt.Errorf("returned %d", n)
	}
	for _, value := range c.buf[:n] {
		if e := c.model.byValue[value]; e != nil {
			c.retire(e.id)
		}
	}
	return c.model.checkExpire(now, room, c.buf[:n])
}

// all does nothing if the scheduler is not a Ranger.
func (c *checkedRun) all() error {
	ranger, ok := c.sched.(schedulers.Ranger[uint64])
	if !ok {
		return nil
	}
	c.doing = func() string { return "All()" }
	for range ranger.All() {
		break
	}
	return c.model.checkAll(ranger.All())
}

func (c *checkedRun) next() error {
	c.doing = func() string { return "Next()" }
	if err := c.model.checkNext(c.sched.Next()); err != nil {
		return err
	}
	return c.peek()
}

// peek does nothing if the scheduler is not a Peeker.
func (c *checkedRun) peek() error {
	peeker, ok := c.sched.(schedulers.Peeker[uint64])
	if !ok {
		return nil
	}
	next, _ := c.sched.Next()
	c.doing = func() string { return "Peek()" }
	wake, value, ok := peeker.Peek()
	return c.model.checkPeek(next, wake, value, ok)
}

// counts checks what must hold after every operation and is cheap to ask for.
func (c *checkedRun) counts() error {
	pending := len(c.model.pending)
	if n := c.sched.Len(); n != pending {
		return fmt.Errorf("Len is %d, but %d values are pending", n, pending)
	}
	if meter, ok := c.sched.(schedulers.Meter); ok {
		return checkHeld(meter.Work(), pending)
	}
	return nil
}

// invariants checks what must hold between operations: All too, if that does not take long.
func (c *checkedRun) invariants() error {
	if err := c.counts(); err != nil {
		return err
	}
	if err := c.next(); err != nil || len(c.model.pending) > 200 {
		return err
	}
	return c.all()
}

// finish goes to the end of time and checks that everything has come out.
func (c *checkedRun) finish() error {
	for {
		if err := c.expire(end, roomiest); err != nil {
			return err
		}
		if len(c.model.pending) == 0 {
			return c.invariants()
		}
	}
}

// retire remembers an ID that is no longer pending.
func (c *checkedRun) retire(id schedulers.ID) {
	c.stale[c.stales%uint64(len(c.stale))] = id
	c.stales++
}

// live returns the ID of a pending value chosen by n, or zero if there is none.
func (c *checkedRun) live(n uint64) schedulers.ID {
	if len(c.model.pending) == 0 {
		return 0
	}
	return c.model.pending[n%uint64(len(c.model.pending))].id
}

// odd returns an ID that is probably not pending, chosen by n: stale, zero, a neighbour of a pending one, or garbage.
func (c *checkedRun) odd(n uint64) schedulers.ID {
	kind, n := n%8, n/8
	switch kind {
	case 0:
		return 0
	case 1:
		return schedulers.ID(n)
	case 2:
		return schedulers.ID(n * 0x9e3779b97f4a7c15)
	case 3:
		id := c.live(n)
		return schedulers.MakeID(id.Cell(), id.Generation()+1)
	case 4:
		id := c.live(n)
		return schedulers.MakeID(id.Cell()+1, id.Generation())
	}
	return c.stale[n%uint64(len(c.stale))]
}
