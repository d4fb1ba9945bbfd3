package durable

import (
	"errors"
	"maps"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// An engine that was killed may come back with messages that it had removed, hundreds at once, while what it knows of
// deliveries is right: they have been acknowledged. It hands them to nobody, but they would be listed as pending, and
// a new consumer would be handed them. A process that is alone with the folder removes them. It has to know
// which they are: what it has not heard of for Redelivery it hands out again, and that comes first, and then all else in
// order; so that once something has come that was written later than that, what has not come is acknowledged.

// doubt is whether messages from before this process may be of timers that are no more.
type doubt struct {
	handed map[uint64]bool // what has been handed out of them, by sequence; nil if there is no doubt
}

const (
	probeID   = madeSign + "probe" // of the message that comes after all those
	probeKind = "probe"
)

func (t *Timers) isInDoubt() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.doubt.handed != nil
}

// probeLater has the engine hand out a message that comes after all that it knows of.
func (t *Timers) probeLater() {
	select {
	case <-t.ctx.Done():
		return
	case <-time.After(2 * t.opts.Redelivery):
	}
	if err := t.probe(); err != nil && t.ctx.Err() == nil {
		t.opts.OnError(err)
	}
}

func (t *Timers) probe() error {
	r := record{id: probeID, kind: probeKind, at: t.now(), due: t.now(), attempt: 1}
	m := t.placed(r, t.now())
	if _, err := t.js.PublishMsg(t.ctx, m); err != nil {
		return t.failed("writing "+m.Subject, err)
	}
	return nil
}

// isProbe takes h if it is the probe of this process, or of one before it, and notes what else is handed out while
// there is doubt.
func (t *Timers) isProbe(h *held) bool {
	t.mu.Lock()
	if t.doubt.handed != nil && h.seq <= t.opened {
		t.doubt.handed[h.seq] = true
	}
	handed := t.doubt.handed
	if h.id == probeID {
		handed = maps.Clone(handed) // since more may come
	}
	t.mu.Unlock()
	if h.id != probeID {
		return false
	}
	go func() {
		err := t.remove(t.ctx, h.seq)
		if err == nil && handed != nil && h.seq > t.opened {
			err = t.removeAcknowledged(handed)
		}
		if err != nil && t.ctx.Err() == nil {
			t.opts.OnError(err)
		}
	}()
	return true
}

// removeAcknowledged removes what was there before this process came and was not handed to it.
func (t *Timers) removeAcknowledged(handed map[uint64]bool) error {
	for seq := uint64(1); seq <= t.opened; {
		m, err := t.stream.GetMsg(t.ctx, seq, jetstream.WithGetMsgSubject(t.dueAll()))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			break
		}
		if err != nil {
			return t.failed("looking for what is no more", err)
		}
		if m.Sequence <= t.opened && !handed[m.Sequence] {
			if err := t.remove(t.ctx, m.Sequence); err != nil {
				return err
			}
		}
		seq = m.Sequence + 1
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.doubt.handed = nil
	return nil
}
