package durable

import (
	"context"
	"fmt"
)

// Count returns how many timers the engine keeps: those pending, near and running, and the dead
// letters. It is one question to the engine, however many there are.
func (t *Timers) Count(ctx context.Context) (int, error) {
	info, err := t.stream.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("%w: counting: %w", ErrEngine, err)
	}
	return int(info.State.Msgs), nil
}
