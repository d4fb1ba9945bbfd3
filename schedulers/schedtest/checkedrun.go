package schedtest

import (
	"fmt"
	"time"

	"schedbench/schedulers"
)

// roomiest is the largest due buffer that a run uses.
const roomiest = 8192

// rooms are the lengths of due buffers worth trying.
var rooms = [...]int{roomiest, 1, 0, 2, 3, 5, 16, 64, 256, 1024}

// checkedRun runs a scheduler and its model side by side. Each operation is named
// before it is performed, so that a failure, even a panic, can say what it was.
type checkedRun struct {
	sched    schedulers.Scheduler[uint64]
	resetter schedulers.Resetter
	ranger   schedulers.Ranger[uint64]
	holder   schedulers.Holder
	meter    schedulers.Meter
	model    *Model
	doing    operation
	value    uint64                   // the last value scheduled
	stale    [64]schedulers.ID        // some IDs that are no longer pending
	stales   uint64                   // how many were ever put into stale
	owner    map[uint64]schedulers.ID // the ID of each pending value
	buf      []uint64
}

// newCheckedRun returns a run with a fresh scheduler.
func newCheckedRun(s Subject) (*checkedRun, error) {
	sched, err := s.New()
	if err != nil {
		return nil, fmt.Errorf("%s: New: %w", s.Name, err)
	}
	c := &checkedRun{
		sched: sched,
		model: NewModel(s),
		owner: map[uint64]schedulers.ID{},
		buf:   make([]uint64, roomiest),
	}
	c.resetter, _ = sched.(schedulers.Resetter)
	c.ranger, _ = sched.(schedulers.Ranger[uint64])
	c.holder, _ = sched.(schedulers.Holder)
	c.meter, _ = sched.(schedulers.Meter)
	return c, nil
}

// operation is one call, kept for messages.
type operation struct {
	name string
	id   schedulers.ID
	at   time.Duration // deadline or now
	room int
}

// String renders the call.
func (o operation) String() string {
	switch o.name {
	case "Schedule":
		return fmt.Sprintf("Schedule(%d)", o.at)
	case "Holds":
		return fmt.Sprintf("Holds(%#x)", uint64(o.id))
	case "Cancel":
		return fmt.Sprintf("Cancel(%#x)", uint64(o.id))
	case "Reset":
		return fmt.Sprintf("Reset(%#x, %d)", uint64(o.id), o.at)
	case "Expire":
		return fmt.Sprintf("Expire(%d, room for %d)", o.at, o.room)
	}
	return o.name + "()"
}

func (c *checkedRun) schedule(deadline time.Duration) error {
	c.doing = operation{name: "Schedule", at: deadline}
	c.value++
	id, err := c.sched.Schedule(deadline, c.value)
	if err == nil {
		c.owner[c.value] = id
	}
	return c.model.CheckSchedule(deadline, c.value, id, err)
}

func (c *checkedRun) cancel(id schedulers.ID) error {
	held := false
	if c.holder != nil {
		c.doing = operation{name: "Holds", id: id}
		held = c.holder.Holds(id)
	}
	c.doing = operation{name: "Cancel", id: id}
	ok := c.sched.Cancel(id)
	if c.holder != nil && held != ok {
		return fmt.Errorf("returned %v, after Holds had said %v", ok, held)
	}
	if ok {
		c.retire(id)
	}
	return c.model.CheckCancel(id, ok)
}

// reset does nothing if the scheduler is not a Resetter.
func (c *checkedRun) reset(id schedulers.ID, deadline time.Duration) error {
	if c.resetter == nil {
		return nil
	}
	c.doing = operation{name: "Reset", id: id, at: deadline}
	ok, err := c.resetter.Reset(id, deadline)
	return c.model.CheckReset(id, deadline, ok, err)
}

func (c *checkedRun) expire(now time.Duration, room int) error {
	c.doing = operation{name: "Expire", at: now, room: room}
	n := c.sched.Expire(now, c.buf[:room])
	if n < 0 || n > room {
		return fmt.Errorf("returned %d", n)
	}
	for _, value := range c.buf[:n] {
		c.retire(c.owner[value])
		delete(c.owner, value)
	}
	return c.model.CheckExpire(now, room, c.buf[:n])
}

// all does nothing if the scheduler is not a Ranger.
func (c *checkedRun) all() error {
	if c.ranger == nil {
		return nil
	}
	c.doing = operation{name: "All"}
	return c.model.CheckAll(c.ranger.All())
}

func (c *checkedRun) next() error {
	c.doing = operation{name: "Next"}
	return c.model.CheckNext(c.sched.Next())
}

// counts checks what must hold after every operation and is cheap to ask for.
func (c *checkedRun) counts() error {
	if err := c.model.CheckLen(c.sched.Len()); err != nil {
		return err
	}
	if c.meter == nil {
		return nil
	}
	return c.model.CheckWork(c.meter.Work())
}

// invariants checks all that must hold between operations.
func (c *checkedRun) invariants() error {
	if err := c.counts(); err != nil {
		return err
	}
	if err := c.next(); err != nil {
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
		if c.model.Len() == 0 {
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
	if c.model.Len() == 0 {
		return 0
	}
	return c.model.Pending(int(n % uint64(c.model.Len())))
}

// odd returns an ID that is probably not pending, chosen by n: stale, zero, a
// neighbour of a pending one, or garbage.
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
