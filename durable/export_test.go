package durable

import (
	"context"
	"time"
)

// HandOut does what the engine does with a timer that is due, after the given number of changes of it have been
// cancelled: it has read the timer before, and writes what it hands out after the marks.
func (t *Timers) HandOut(ctx context.Context, id ID, cancelled int) error {
	for change := range cancelled {
		if _, err := t.js.PublishMsg(ctx, t.marking(id, change)); err != nil {
			return err
		}
	}
	now := time.Now()
	r := record{id: id, kind: "note", at: now, due: now, attempt: 1}
	_, err := t.js.PublishMsg(ctx, t.placed(r, now))
	return err
}

// HandOutMoved leaves a timer as it is after a Reset to an instant within the lead has written the next change,
// and not yet the mark of the one before, which the engine had read and hands out.
func (t *Timers) HandOutMoved(ctx context.Context, id ID, to time.Time) error {
	now := time.Now()
	r := record{id: id, kind: "note", at: now, due: now, attempt: 1}
	moved := r
	moved.change, moved.at, moved.due = 1, to, to
	for _, r := range []record{moved, r} {
		if _, err := t.js.PublishMsg(ctx, t.placed(r, now)); err != nil {
			return err
		}
	}
	return nil
}
