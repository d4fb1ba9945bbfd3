package schedtest

import (
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"schedbench/internal/lists"
	"schedbench/schedulers"
)

// roomiest is the largest due buffer that a trial uses.
const roomiest = 8192

// rooms are the lengths of due buffers worth trying.
var rooms = [...]int{roomiest, 1, 0, 2, 3, 5, 16, 64, 256, 1024}

// trial runs a scheduler and its model side by side. An operation ends the trial by a panic when the model refuses an
// answer. The message names the operation.
type trial struct {
	Scheduler
	sched  schedulers.Scheduler[uint64]
	model  *contractModel
	after  func(*trial)      // what is checked after each operation
	doing  func() string     // renders the last operation, set before it is done
	value  uint64            // the last value scheduled
	stale  [64]schedulers.ID // some IDs that are no longer pending
	stales uint64            // how many were ever put into stale
	buf    []uint64
}

// broken ends a trial in which the scheduler breaks a rule, and inapplicable one that says nothing about the scheduler.
type (
	broken       struct{ error }
	inapplicable struct{ error }
)

func (b broken) Unwrap() error { return b.error }

// judged returns how a trial ends: with nil, a broken, an inapplicable, or the panic of the scheduler.
func judged(try func()) (err error) {
	defer func() {
		switch end := recover().(type) {
		case nil:
		case broken:
			err = end
		case inapplicable:
			err = end
		default:
			err = fmt.Errorf("panic: %v\n%s", end, debug.Stack())
		}
	}()
	try()
	return nil
}

// begin begins a trial with what is checked after each operation.
func begin(s Scheduler, after func(*trial)) *trial {
	sched, err := s.New()
	if err != nil {
		panic(broken{fmt.Errorf("%s: New: %w", s.Name, err)})
	}
	model := &contractModel{scheduler: s, byValue: map[uint64]*modelEntry{}, byID: map[schedulers.ID]*modelEntry{}}
	return &trial{Scheduler: s, sched: sched, model: model, after: after, doing: func() string { return "New()" }}
}

func (r *trial) fresh() *trial { return begin(r.Scheduler, r.after) }

// freshAt begins another trial with the clock at now.
func (r *trial) freshAt(now time.Duration) *trial {
	r = r.fresh()
	r.expire(now, 8)
	return r
}

func (r *trial) fail(format string, args ...any) { panic(broken{fmt.Errorf(format, args...)}) }

// need ends the trial unless ok. lacking names what the scheduler does not have.
func (r *trial) need(ok bool, lacking string) {
	if !ok {
		panic(inapplicable{fmt.Errorf("%s %s", r.Name, lacking)})
	}
}

func (r *trial) expect(err error) {
	if err != nil {
		r.fail("clock %d: %v: %w", r.model.clock, r.doing(), err)
	}
}

// schedule returns the ID, or 0 if the deadline was refused as it may be.
func (r *trial) schedule(deadline time.Duration) schedulers.ID {
	r.doing = func() string { return fmt.Sprintf("Schedule(%d)", deadline) }
	r.value++
	id, err := r.sched.Schedule(deadline, r.value)
	r.expect(r.model.checkSchedule(deadline, r.value, id, err))
	r.after(r)
	if err != nil {
		return 0
	}
	return id
}

func (r *trial) scheduleAll(deadlines []time.Duration) []schedulers.ID {
	return lists.Each(deadlines, r.schedule)
}

func (r *trial) cancel(id schedulers.ID) {
	r.doing = func() string { return fmt.Sprintf("Cancel(%#x)", uint64(id)) }
	ok := r.sched.Cancel(id)
	if ok {
		r.retire(id)
	}
	r.expect(r.model.checkCancel(id, ok))
	r.after(r)
}

// reset does nothing if the scheduler is not a Resetter.
func (r *trial) reset(id schedulers.ID, deadline time.Duration) {
	resetter, ok := r.sched.(schedulers.Resetter)
	if !ok {
		return
	}
	r.doing = func() string { return fmt.Sprintf("Reset(%#x, %d)", uint64(id), deadline) }
	ok, err := resetter.Reset(id, deadline)
	r.expect(r.model.checkReset(id, deadline, ok, err))
	r.after(r)
}

func (r *trial) expire(now time.Duration, room int) {
	r.doing = func() string { return fmt.Sprintf("Expire(%d, room for %d)", now, room) }
	r.buf = slices.Grow(r.buf[:0], room)[:room]
	n := r.sched.Expire(now, r.buf)
	if n < 0 || n > room {
		r.expect(fmt.Errorf("returned %d", n))
	}
	for _, value := range r.buf[:n] {
		if e := r.model.byValue[value]; e != nil {
			r.retire(e.id)
		}
	}
	r.expect(r.model.checkExpire(now, room, r.buf[:n]))
	r.after(r)
}

// drain takes out all that is due at now, room values at a time. Each call is creep later than the one before.
func (r *trial) drain(now time.Duration, room int, creep time.Duration) {
	for due := true; due; now = later(now, creep) {
		r.expire(now, room)
		due = len(r.model.pending) > 0 && r.model.pending[0].due <= now
	}
}

// all does nothing if the scheduler is not a Ranger.
func (r *trial) all() {
	ranger, ok := r.sched.(schedulers.Ranger[uint64])
	if !ok {
		return
	}
	for range ranger.All() {
		break
	}
	r.expect(r.model.checkAll(ranger.All()))
}

// next asks a Peeker, too.
func (r *trial) next() {
	next, ok := r.sched.Next()
	r.expect(r.model.checkNext(next, ok))
	if peeker, ok := r.sched.(schedulers.Peeker[uint64]); ok {
		next, _ := r.sched.Next() // which the first call may have moved
		wake, value, ok := peeker.Peek()
		r.expect(r.model.checkPeek(next, wake, value, ok))
	}
}

// counts checks what must hold after every operation and is cheap to ask for.
func (r *trial) counts() {
	pending := len(r.model.pending)
	if n := r.sched.Len(); n != pending {
		r.expect(fmt.Errorf("Len is %d, but %d values are pending", n, pending))
	}
	if meter, ok := r.sched.(schedulers.Meter); ok {
		r.expect(checkHeld(meter.Work(), pending))
	}
}

// invariants checks what must hold between operations: All too, if that does not take long.
func (r *trial) invariants() {
	r.counts()
	r.next()
	if len(r.model.pending) <= 50 {
		r.all()
	}
}

// finish goes to the end of time and checks that everything has come out.
func (r *trial) finish() {
	r.drain(end, roomiest, 0)
	r.invariants()
}

// retire remembers an ID that is no longer pending.
func (r *trial) retire(id schedulers.ID) {
	r.stale[r.stales%uint64(len(r.stale))] = id
	r.stales++
}

// live returns the ID of a pending value chosen by n, or zero if there is none.
func (r *trial) live(n uint64) schedulers.ID {
	if len(r.model.pending) == 0 {
		return 0
	}
	return r.model.pending[n%uint64(len(r.model.pending))].id
}

// odd returns an ID that is probably not pending, chosen by n: stale, zero, a neighbour of a pending one, or garbage.
func (r *trial) odd(n uint64) schedulers.ID {
	kind, n := n%8, n/8
	switch kind {
	case 0:
		return 0
	case 1:
		return schedulers.ID(n)
	case 2:
		return schedulers.ID(n * 0x9e3779b97f4a7c15)
	case 3:
		id := r.live(n)
		return schedulers.MakeID(id.Cell(), id.Generation()+1)
	case 4:
		id := r.live(n)
		return schedulers.MakeID(id.Cell()+1, id.Generation())
	}
	return r.stale[n%uint64(len(r.stale))]
}
