package durable

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ScheduleOption is an option of Schedule and its kin.
type ScheduleOption func(*scheduling)

type scheduling struct {
	id     ID
	chosen bool
}

// WithID gives the timer an ID of the caller's: any text of 1 to 200 bytes that does not begin with a
// tilde. While a timer of that ID is pending, Schedule changes nothing and returns the ID, so that it
// can be repeated if it is not known whether it was done. While its task runs, the handler itself
// included, the error is ErrRunning. After that the ID is free: what is repeated then runs once more.
// Without this option the ID is a new one of 26 characters.
func WithID(id ID) ScheduleOption {
	return func(s *scheduling) { s.id, s.chosen = id, true }
}

// Schedule has a task of a kind run at an instant, and returns once the engine has it. An instant
// that has passed is due at once. The kind need not be registered here. The payload is less than what
// the server allows a message by 4 KiB: with the defaults of NATS it may have 1020 KiB.
//
// The errors are ErrOption, ErrKind, ErrRunning, ErrClosed and ErrEngine.
func (t *Timers) Schedule(ctx context.Context, at time.Time, kind string, payload []byte, options ...ScheduleOption) (ID, error) {
	if err := t.enter(); err != nil {
		return "", err
	}
	defer t.leave()
	s, r, err := t.planned(at, kind, payload, options)
	if err != nil {
		return "", err
	}
	if s.chosen {
		return t.scheduleChosen(ctx, r)
	}
	m := t.placed(r, t.now())
	if _, err = t.publish(ctx, m); err != nil {
		return "", t.failed("writing "+m.Subject, err)
	}
	return r.id, nil
}

// scheduleChosen schedules r unless there is a timer of its ID.
func (t *Timers) scheduleChosen(ctx context.Context, r record) (ID, error) {
	last := uint64(0)
	for range tries {
		if _, ok, err := t.put(ctx, t.placed(r, t.now()), r.id, last); ok || err != nil {
			return r.id, err
		}
		s, err := t.look(ctx, r.id)
		switch {
		case err != nil:
			return "", err
		case s.isGone(): // and what is left of it must not be taken for this one
			last, r.change = s.last, s.change+1
			continue
		case s.isRunning() || t.hasBegun(r.id):
			return "", fmt.Errorf("%w: %q", ErrRunning, r.id)
		}
		return r.id, nil
	}
	return "", fmt.Errorf("%w: timer %q is changed all the time", ErrEngine, r.id)
}

// hasBegun is whether a task runs in this process.
func (t *Timers) hasBegun(id ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, h := range t.byID[id] {
		if h.begun {
			return true
		}
	}
	return false
}

// ScheduleAfter is Schedule with a delay from now.
func (t *Timers) ScheduleAfter(ctx context.Context, delay time.Duration, kind string, payload []byte, options ...ScheduleOption) (ID, error) {
	return t.Schedule(ctx, t.now().Add(delay), kind, payload, options...)
}

// ScheduleAsync is Schedule without waiting for the engine: the timer is kept once the Receipt says
// so, and Wait is to be called for each: it also settles what becomes of an ID that was in use. With
// Options.InFlight of them on their way it waits until one has arrived, ten seconds at most. The payload
// must not be changed until the timer is kept.
func (t *Timers) ScheduleAsync(at time.Time, kind string, payload []byte, options ...ScheduleOption) (*Receipt, error) {
	if err := t.enter(); err != nil {
		return nil, err
	}
	defer t.leave()
	s, r, err := t.planned(at, kind, payload, options)
	if err != nil {
		return nil, err
	}
	m := t.placed(r, t.now())
	if s.chosen {
		t.expecting(m, r.id, 0)
	}
	f, err := t.js.PublishMsgAsync(m, jetstream.WithStallWait(answerTimeout))
	if err != nil {
		return nil, t.failed("writing "+m.Subject, err)
	}
	return &Receipt{t: t, record: r, future: f}, nil
}

// Receipt is of a schedule on its way.
type Receipt struct {
	t      *Timers
	record record
	future jetstream.PubAckFuture
}

// ID returns the ID that the timer has once it is kept.
func (r *Receipt) ID() ID { return r.record.id }

// Wait waits until the engine has the timer, or has refused it. It is to be called once.
func (r *Receipt) Wait(ctx context.Context) (ID, error) {
	select {
	case <-r.future.Ok():
		return r.record.id, nil
	case err := <-r.future.Err():
		if !isConflict(err) {
			return "", r.t.failed("schedule", err)
		}
		if err := r.t.enter(); err != nil {
			return "", err
		}
		defer r.t.leave()
		return r.t.scheduleChosen(ctx, r.record)
	case <-ctx.Done():
		return "", fmt.Errorf("%w: schedule: %w", ErrEngine, context.Cause(ctx))
	}
}

// planned makes a record of what Schedule was given.
func (t *Timers) planned(at time.Time, kind string, payload []byte, options []ScheduleOption) (s scheduling, r record, err error) {
	for _, set := range options {
		set(&s)
	}
	if kind == "" || len(kind) > longestID {
		return s, r, fmt.Errorf("%w: %d bytes, want 1 to %d", ErrKind, len(kind), longestID)
	}
	if err := checkInstant(at); err != nil {
		return s, r, err
	}
	if most := t.conn.MaxPayload() - besidePayload; int64(len(payload)) > most {
		return s, r, fmt.Errorf("%w: payload of %d bytes, want at most %d", ErrOption, len(payload), most)
	}
	if !s.chosen {
		s.id = newID(at.Add(-t.opts.Lead))
	} else if err := checkID(s.id); err != nil {
		return s, r, err
	}
	return s, record{id: s.id, kind: kind, payload: payload, at: at, due: at, attempt: 1}, nil
}

// besidePayload is what a message has beside the payload at most: most of it in the dead letter of a long ID.
const besidePayload = 4 << 10

var (
	earliest = time.Unix(0, 0)
	latest   = time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC)
)

// checkInstant refuses instants that are not to be counted in nanoseconds since 1970.
func checkInstant(at time.Time) error {
	if at.Before(earliest) || at.After(latest) {
		return fmt.Errorf("%w: instant %v, want one from 1970 to 2261", ErrOption, at)
	}
	return nil
}
