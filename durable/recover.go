package durable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A change of a timer is a message and, for the engine, two steps: it takes the message and then removes the
// schedule that this replaces; so it does too with what it hands out. A process that is killed between the two
// leaves both, and the one that opens the folder next ends that.

// recover ends what a killed process may have begun: its last message tells. It comes before the engine is asked
// for anything that has it hand out what is due.
func (t *Timers) recover(ctx context.Context) error {
	var err error
	t.stream, err = t.js.Stream(ctx, t.prefix)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return t.notFound()
	}
	if err == nil {
		err = t.endLast(ctx)
	}
	if err != nil {
		return fmt.Errorf("%w: stream %s: %w", ErrEngine, t.prefix, err)
	}
	return nil
}

// endLast removes what the last message from before the engine started was to replace. If that message has gone,
// it may have been a schedule that the engine has handed out since: what it replaced is found by a look.
func (t *Timers) endLast(ctx context.Context) error {
	first, err := t.firstSince(ctx, t.started)
	if err != nil || first == 1 {
		return err
	}
	m, err := t.stream.GetMsg(ctx, first-1)
	gone := errors.Is(err, jetstream.ErrMsgNotFound)
	if err == nil {
		err = t.endChange(ctx, m)
	}
	if err != nil && !gone {
		return err
	}
	info, err := t.stream.Info(ctx)
	if err != nil {
		return err
	}
	t.opened = info.State.LastSeq
	if !gone {
		return nil
	}
	return t.lookAtMoved(ctx, first)
}

// firstSince is the sequence of the first message that the engine has taken since then, or will take.
func (t *Timers) firstSince(ctx context.Context, then time.Time) (uint64, error) {
	var answer struct {
		api
		Message struct {
			Seq uint64 `json:"seq"`
		} `json:"message"`
	}
	err := t.request(ctx, "STREAM.MSG.GET", map[string]any{"start_time": then, "next_by_subj": ">"}, &answer)
	if err == nil && answer.Error != nil && answer.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound {
		info, err := t.stream.Info(ctx)
		if err != nil {
			return 0, err
		}
		return info.State.LastSeq + 1, nil
	}
	if err == nil {
		err = answer.err()
	}
	return answer.Message.Seq, err
}

// endChange removes the schedule that m replaces.
func (t *Timers) endChange(ctx context.Context, m *jetstream.RawStreamMsg) error {
	p, ok := placeOf(m.Header.Get(headerScheduler))
	if !ok || m.Header.Get(headerNext) != "purge" {
		return nil
	}
	if _, err := t.purge(ctx, m.Header.Get(headerScheduler)); err != nil {
		return err
	}
	if by, ok := placeOf(m.Subject); ok && (by.marked || by.change > p.change) {
		t.forget(p.id, p.change)
	}
	return nil
}

// lookAtMoved looks at the timers that were handed out from a sequence on and moved before, or tried again.
func (t *Timers) lookAtMoved(ctx context.Context, from uint64) error {
	for seq := from; seq <= t.opened; {
		m, err := t.stream.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(t.dueAll()))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if p, ok := placeOf(m.Subject); ok && p.change > 0 {
			if _, err := t.look(ctx, p.id); err != nil {
				return err
			}
		}
		seq = m.Sequence + 1
	}
	return nil
}

// takeBack has the engine hand out again at once what a process that is dead had, since this one is alone with the
// folder. A shorter wait does that, by which the engine looks through all that was handed out a tenth of a second
// later. That it has, shows by something that it hands out again.
func (t *Timers) takeBack(ctx context.Context) error {
	c, err := t.stream.Consumer(ctx, workers)
	if errors.Is(err, jetstream.ErrConsumerNotFound) { // it was closed in order
		return nil
	}
	if err != nil {
		return t.failed("looking for its consumer", err)
	}
	if c.CachedInfo().NumAckPending == 0 {
		return nil
	}
	if c, err = t.consumer(ctx, time.Millisecond); err != nil {
		return err
	}
	time.Sleep(lookedThrough)
	var taken []jetstream.Msg // to be given back when all is, or they would be again and again
	for deadline := time.Now().Add(answerTimeout); ; time.Sleep(lookedThrough / 10) {
		m, back, err := t.isBack(ctx, c)
		if err != nil {
			return err
		}
		if m != nil {
			taken = append(taken, m)
		}
		if back {
			break
		}
		if time.Now().After(deadline) {
			t.opts.OnError(fmt.Errorf("%w: what was handed out when a process was killed is late by %v", ErrEngine, t.opts.Redelivery))
			break
		}
	}
	for _, m := range taken {
		if err := m.Nak(); err != nil {
			return t.failed("giving a timer back", err)
		}
	}
	_, err = t.consumer(ctx, t.opts.Redelivery)
	return err
}

const lookedThrough = 110 * time.Millisecond // after a change of its configuration, what a consumer has handed out

// isBack is whether the engine hands out again what it had handed out, or nothing of that is left; with what it
// took to see that.
func (t *Timers) isBack(ctx context.Context, c jetstream.Consumer) (jetstream.Msg, bool, error) {
	batch, err := c.FetchNoWait(1)
	if err != nil {
		return nil, false, t.failed("taking a timer", err)
	}
	if m, there := <-batch.Messages(); there {
		meta, err := m.Metadata()
		if err != nil {
			return nil, false, t.failed("taking a timer", err)
		}
		return m, meta.NumDelivered > 1, nil
	}
	info, err := c.Info(ctx)
	if err != nil {
		return nil, false, t.failed("looking for its consumer", err)
	}
	return nil, info.NumAckPending == 0, nil
}
