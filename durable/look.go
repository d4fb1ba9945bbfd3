package durable

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Get returns a timer that is pending or running. The error is ErrNotFound if there is none of
// that ID.
func (t *Timers) Get(ctx context.Context, id ID) (Timer, error) {
	if err := t.enter(); err != nil {
		return Timer{}, err
	}
	defer t.leave()
	s, err := t.look(ctx, id)
	if err != nil {
		return Timer{}, err
	}
	if s.isGone() {
		return Timer{}, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	return s.timer(), nil
}

func (s state) timer() Timer {
	return Timer{ID: s.id, Kind: s.kind, Payload: s.payload, At: s.at, Attempt: s.attempt, Near: !s.scheduled()}
}

// Pending returns up to limit timers that have not begun, in no particular order, and the page that
// comes after. A timer that is there all the time is in one of the pages; one that changes
// meanwhile may be in two or in none. The engine is asked for one after the other: a million take a
// minute or two, where Count is one question.
func (t *Timers) Pending(ctx context.Context, from Page, limit int) ([]Timer, Page, error) {
	var timers []Timer
	next, err := t.each(ctx, t.timers(), from, limit, func(m *jetstream.RawStreamMsg) (bool, error) {
		s, err := stateOf(m.Subject, m.Sequence, m.Header, m.Data)
		if err != nil || s.isGone() || s.isRunning() || t.hasBegun(s.id) {
			return false, err
		}
		timers = append(timers, s.timer())
		return true, nil
	})
	return timers, next, err
}

// Dead returns up to limit dead letters, from the oldest, and the page that comes after. They stay until
// RemoveDead; a later one of the same ID takes the place of the one before.
func (t *Timers) Dead(ctx context.Context, from Page, limit int) ([]DeadLetter, Page, error) {
	var dead []DeadLetter
	next, err := t.each(ctx, t.deadAll(), from, limit, func(m *jetstream.RawStreamMsg) (bool, error) {
		var r record
		id, _ := unescape(strings.TrimPrefix(m.Subject, t.dead("")))
		err := r.read(m.Header, m.Data)
		dead = append(dead, DeadLetter{
			Task:  Task{ID: ID(id), Kind: r.kind, Payload: r.payload, At: r.at, Attempt: r.attempt},
			Error: m.Header.Get(headerError), Died: m.Time,
		})
		return true, err
	})
	return dead, next, err
}

// RemoveDead removes the dead letter of an ID, and reports whether there was one. What is in it can be scheduled
// anew before.
func (t *Timers) RemoveDead(ctx context.Context, id ID) (bool, error) {
	if err := t.enter(); err != nil {
		return false, err
	}
	defer t.leave()
	n, err := t.purge(ctx, t.dead(id))
	return n > 0, err
}

// each calls visit for messages of a subject until it has said of so many that they count.
func (t *Timers) each(ctx context.Context, subject string, from Page, limit int, visit func(*jetstream.RawStreamMsg) (counts bool, err error)) (Page, error) {
	if err := t.enter(); err != nil {
		return from, err
	}
	defer t.leave()
	if limit < 1 {
		return from, fmt.Errorf("%w: page of %d, want at least 1", ErrOption, limit)
	}
	seq := max(from.next, 1)
	for n := 0; n < limit; {
		m, err := t.stream.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return Page{}, nil
		}
		if err != nil {
			return Page{seq}, fmt.Errorf("%w: reading %s from %d: %w", ErrEngine, subject, seq, err)
		}
		counts, err := visit(m)
		seq = m.Sequence + 1
		if err != nil {
			return Page{seq}, err
		}
		if counts {
			n++
		}
	}
	return Page{seq}, nil
}
