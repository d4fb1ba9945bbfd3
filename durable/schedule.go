package durable

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ScheduleOption is an option of Schedule and its kin.
type ScheduleOption func(*scheduling)

type scheduling struct {
	id     ID
	chosen bool
}

// WithID gives the timer an ID of the caller's: while a timer of that ID is pending or running,
// Schedule changes nothing and returns the ID, so that it can be repeated when it is not known
// whether it was done. Without it the ID is a new one of 26 characters.
func WithID(id ID) ScheduleOption {
	return func(s *scheduling) { s.id, s.chosen = id, true }
}

// Schedule has a task of a kind run at an instant, and returns once the engine has it. An instant
// that has passed is due at once. The kind need not be registered here.
//
// The errors are ErrOption, ErrKind, ErrClosed and ErrEngine.
func (t *Timers) Schedule(ctx context.Context, at time.Time, kind string, payload []byte, options ...ScheduleOption) (ID, error) {
	s, m, err := t.scheduled(at, kind, payload, options)
	if err != nil {
		return "", err
	}
	if _, err = t.js.PublishMsg(ctx, m); err != nil && !(s.chosen && isConflict(err)) {
		return "", fmt.Errorf("%w: schedule: %w", ErrEngine, err)
	}
	return s.id, nil
}

// ScheduleAfter is Schedule with a delay from now.
func (t *Timers) ScheduleAfter(ctx context.Context, delay time.Duration, kind string, payload []byte, options ...ScheduleOption) (ID, error) {
	return t.Schedule(ctx, t.now().Add(delay), kind, payload, options...)
}

// ScheduleAsync is Schedule without waiting for the engine: it is kept once the returned Receipt says
// so. With Options.InFlight of them on their way it waits until one has arrived.
func (t *Timers) ScheduleAsync(at time.Time, kind string, payload []byte, options ...ScheduleOption) (*Receipt, error) {
	s, m, err := t.scheduled(at, kind, payload, options)
	if err != nil {
		return nil, err
	}
	f, err := t.js.PublishMsgAsync(m, jetstream.WithStallWait(stallWait))
	if err != nil {
		return nil, fmt.Errorf("%w: schedule: %w", ErrEngine, err)
	}
	return &Receipt{s, f}, nil
}

const stallWait = time.Minute // for room among what is in flight

// Receipt is of a schedule on its way.
type Receipt struct {
	scheduling
	future jetstream.PubAckFuture
}

// ID returns the ID that the timer has once it is kept.
func (r *Receipt) ID() ID { return r.id }

// Wait waits until the engine has the timer, or has refused it.
func (r *Receipt) Wait(ctx context.Context) (ID, error) {
	select {
	case <-r.future.Ok():
		return r.id, nil
	case err := <-r.future.Err():
		if r.chosen && isConflict(err) {
			return r.id, nil
		}
		return "", fmt.Errorf("%w: schedule: %w", ErrEngine, err)
	case <-ctx.Done():
		return "", fmt.Errorf("%w: schedule: %w", ErrEngine, context.Cause(ctx))
	}
}

// scheduled makes the message that puts a timer into the engine.
func (t *Timers) scheduled(at time.Time, kind string, payload []byte, options []ScheduleOption) (s scheduling, m *nats.Msg, err error) {
	for _, set := range options {
		set(&s)
	}
	if !s.chosen {
		s.id = newID()
	}
	if err := checkID(s.id); err != nil {
		return s, nil, err
	}
	if kind == "" {
		return s, nil, fmt.Errorf("%w: it is empty", ErrKind)
	}
	if at.Before(earliest) || at.After(latest) {
		return s, nil, fmt.Errorf("%w: instant %v, want one from 1970 to 2261", ErrOption, at)
	}
	m = t.place(record{s.id, kind, payload, at, 1}, 0)
	if s.chosen {
		expect(m, t.any(s.id), 0)
	}
	return s, m, nil
}

var (
	earliest = time.Unix(0, 0)
	latest   = time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC)
)

// place makes the message that puts r into the engine, on a subject of the given number: a schedule,
// or what is handed out at once if it is due within the lead.
func (t *Timers) place(r record, slot int) *nats.Msg {
	m := r.message()
	out := r.at.Add(-t.opts.Lead)
	if !out.After(t.now()) {
		m.Subject = t.due(r.id)
		return m
	}
	m.Subject = t.held(slot, r.id)
	m.Header[headerSchedule] = []string{"@at " + out.UTC().Format(time.RFC3339Nano)}
	m.Header[headerTarget] = []string{t.due(r.id)}
	return m
}

// expect has the engine refuse m unless the last message of a subject is the given one.
func expect(m *nats.Msg, subject string, last uint64) {
	m.Header[headerLastOf] = []string{subject}
	m.Header[headerLast] = []string{strconv.FormatUint(last, 10)}
}
