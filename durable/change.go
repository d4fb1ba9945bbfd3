package durable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Cancel takes a timer back and reports whether it did so: true means that its task does not begin
// any more, and is not tried again. False without an error means that it runs, or that there is no such
// timer: it has run, or is cancelled already. After an error it is not known. To ask again is safe;
// false may mean then that the first time did it.
func (t *Timers) Cancel(ctx context.Context, id ID) (bool, error) {
	if err := t.enter(); err != nil {
		return false, err
	}
	defer t.leave()
	if out, known := id.out(); known && t.isFar(out) && t.alone() { // a server that was killed may have it twice: see recover
		if gone, sure, err := t.cancelFar(ctx, id, 0, out); sure || err != nil {
			return gone, err
		}
	}
	for range tries {
		s, err := t.look(ctx, id)
		if err != nil || s.isGone() || s.isRunning() {
			return false, err
		}
		if s.scheduled() && t.isFar(s.out) && s.change == 0 { // else a mark is due to what was before
			if gone, sure, err := t.cancelFar(ctx, id, s.change, s.out); sure || err != nil {
				return gone, err
			}
			continue
		}
		if gone, sure, err := t.cancelNear(ctx, s); sure || err != nil {
			return gone, err
		}
	}
	return false, fmt.Errorf("%w: timer %q is changed all the time", ErrEngine, id)
}

const tries = 100 // that something else comes first, before a change gives up

// isFar is whether the engine does not hand out before the answer to a request is here, whatever
// the clocks of its servers say.
func (t *Timers) isFar(out time.Time) bool { return out.Sub(t.now()) > t.guard }

// cancelFar removes a schedule from the engine. It is not sure if there was none; or if that took so
// long that the engine may have read it before, and hand it out although it is not there any more.
func (t *Timers) cancelFar(ctx context.Context, id ID, change int, out time.Time) (gone, sure bool, err error) {
	n, err := t.purge(ctx, t.at(id, change))
	if err != nil || n == 0 {
		return false, false, err
	}
	if t.isFar(out.Add(t.guard - t.skew)) {
		return true, true, nil
	}
	return t.cancelNear(ctx, state{record: record{id: id, change: change}})
}

// cancelNear leaves a mark, for what is on its way out of the engine, and is handed out although it is
// cancelled. It is not sure if the timer has become another meanwhile.
func (t *Timers) cancelNear(ctx context.Context, s state) (gone, sure bool, err error) {
	if !t.withdraw(s.id, s.change) {
		return false, true, nil
	}
	if ran, err := t.ranMeanwhile(ctx, s); ran || err != nil {
		t.restore(s.id)
		return false, false, err
	}
	m := t.marking(s.id, s.change)
	t.replacing(m, s)
	if _, sure, err = t.put(ctx, m, s.id, s.last); err != nil || !sure {
		t.restore(s.id)
		return false, false, err
	}
	t.forgetHeld(s.id, s.change)
	if s.word == dueWord {
		// Whoever has it finds the mark. This spares the engine to hand it out again.
		_ = t.remove(ctx, s.seq)
	}
	return true, true, nil
}

// ranMeanwhile is whether a timer that is withdrawn now has run since it was looked at. If its message is the last
// one, a write that depends on that would be refused; if a mark of an earlier change came later, it would not be.
func (t *Timers) ranMeanwhile(ctx context.Context, s state) (bool, error) {
	if !t.alone() || s.seq == s.last {
		return false, nil
	}
	_, err := t.stream.GetMsg(ctx, s.seq)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return true, nil
	}
	if err != nil {
		return false, t.failed("looking for a timer", err)
	}
	return false, nil
}

// Reset gives a timer another instant and reports whether it did so: true means that its task begins
// then and not before. False without an error means that it runs, or that there is no such timer.
// After an error it is not known; to ask again is safe. A task that has failed keeps the number of its
// attempt.
func (t *Timers) Reset(ctx context.Context, id ID, at time.Time) (bool, error) {
	if err := t.enter(); err != nil {
		return false, err
	}
	defer t.leave()
	if err := checkInstant(at); err != nil {
		return false, err
	}
	for range tries {
		s, err := t.look(ctx, id)
		if err != nil || s.isGone() || s.isRunning() {
			return false, err
		}
		if moved, sure, err := t.move(ctx, s, at); sure || err != nil {
			return moved, err
		}
	}
	return false, fmt.Errorf("%w: timer %q is changed all the time", ErrEngine, id)
}

// move puts another change of a timer in the place of s, in one message. It is not sure if the timer
// has become another meanwhile.
func (t *Timers) move(ctx context.Context, s state, at time.Time) (moved, sure bool, err error) {
	far := s.scheduled() && t.isFar(s.out)
	if !far && !t.withdraw(s.id, s.change+1) { // the next one too, which must not have run while this one is still there
		return false, true, nil
	}
	if ran, err := t.ranMeanwhile(ctx, s); ran || err != nil {
		if !far {
			t.restore(s.id)
		}
		return false, false, err
	}
	r := s.record
	r.change, r.at, r.due = s.change+1, at, at
	m := t.placed(r, t.now())
	t.replacing(m, s)
	seq, sure, err := t.put(ctx, m, s.id, s.last)
	if err != nil || !sure {
		if !far {
			t.restore(s.id)
		}
		return false, false, err
	}
	if s.word == dueWord {
		_ = t.remove(ctx, s.seq)
		t.forgetHeld(s.id, s.change)
		return true, true, nil
	}
	if far && t.isFar(s.out.Add(t.guard-t.skew)) {
		return true, true, nil
	}
	if far && !t.withdraw(s.id, s.change) { // it has begun before it was moved
		return false, true, t.remove(ctx, seq)
	}
	t.forgetHeld(s.id, s.change)
	m = t.marking(s.id, s.change) // for what was handed out although it was moved
	if _, err = t.publish(ctx, m); err != nil {
		return false, false, t.failed("writing "+m.Subject, err)
	}
	return true, true, nil
}
