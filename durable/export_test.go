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
