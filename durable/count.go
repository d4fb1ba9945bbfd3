package durable

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

// Count returns how many timers the engine keeps: those pending, near and running, and the dead
// letters. It is one question to the engine, however many there are, and about right: for two minutes it
// counts the marks of cancellations at the last moment, and at a server what runs twice.
func (t *Timers) Count(ctx context.Context) (int, error) {
	if err := t.enter(); err != nil {
		return 0, err
	}
	defer t.leave()
	info, err := t.stream.Info(ctx, jetstream.WithSubjectFilter(t.prefix+"."+beatWord+".*"))
	if err != nil {
		return 0, t.failed("counting", err)
	}
	return int(info.State.Msgs) - len(info.State.Subjects), nil
}
