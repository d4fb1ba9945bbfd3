package durable

import (
	"context"
	"time"
)

// Cancel takes a timer back and reports whether it did so: true means that its task does not begin
// any more. False without an error means that it runs already, or that there is no such timer.
func (t *Timers) Cancel(ctx context.Context, id ID) (bool, error) {
	s, err := t.look(ctx, id)
	if err != nil || s.isGone() || s.isRunning() {
		return false, err
	}
	return true, t.purge(ctx, t.any(id))
}

// Reset gives a timer another instant and reports whether it did so: true means that its task begins
// then and not before. False without an error means that it runs already, or that there is no such
// timer.
func (t *Timers) Reset(ctx context.Context, id ID, at time.Time) (bool, error) {
	s, err := t.look(ctx, id)
	if err != nil || s.isGone() || s.isRunning() {
		return false, err
	}
	r := s.record
	r.at = at
	return t.put(ctx, t.place(r, s.slot()), id, s.seq)
}
