package durable

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"schedbench/driver"
)

// held is a timer that the engine has handed to this process.
type held struct {
	record
	msg      jetstream.Msg
	seq      uint64 // of msg in the engine
	claim    uint64 // sequence of the claim on it, if there is one
	delivery int
	timer    driver.Timer
	wakes    time.Time // by the driver's clock, when it is to fire
	begun    bool
	told     time.Time // when the engine heard of it last
}

// receive begins to take timers from the engine. The caller holds mu.
func (t *Timers) receive() error {
	c, err := t.consumer(context.Background(), t.opts.Redelivery)
	if err != nil {
		return err
	}
	opts := []jetstream.PullConsumeOpt{
		jetstream.PullMaxMessages(pulled),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			t.opts.OnError(fmt.Errorf("%w: %w", ErrEngine, err))
		}),
	}
	if !t.alone() { // a server may go: how soon that is noticed is how late what it held can be
		opts = append(opts, jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(time.Second))
	}
	handed := make(chan *held, pulled)
	consume, err := c.Consume(func(m jetstream.Msg) { t.take(m, handed) }, opts...)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrEngine, err)
	}
	t.consume = t.lookAtHanded(consume, handed)
	go t.keepAlive()
	return nil
}

const pulled = 1024 // messages on their way from the engine at once

// take takes a timer that the engine has handed out: for the near scheduler, or to be looked at before.
func (t *Timers) take(m jetstream.Msg, handed chan<- *held) {
	h, err := heldOf(m)
	if err != nil { // nobody can do anything with it
		t.opts.OnError(fmt.Errorf("%w: %s: %w", ErrEngine, m.Subject(), err))
		_ = m.Term()
		return
	}
	if t.alone() {
		t.holdOne(h)
		return
	}
	select {
	case handed <- h:
	case <-t.ctx.Done():
	}
}

// hold puts h into the near scheduler.
func (t *Timers) hold(h *held) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing {
		_ = h.msg.Nak()
		return
	}
	if there := t.holding[h.seq]; there != nil { // the engine has not heard of it for too long
		there.msg, there.told = h.msg, h.told
		if !there.begun { // else it is being read
			there.delivery = h.delivery
		}
		return
	}
	t.holding[h.seq] = h
	t.byID[h.id] = append(t.byID[h.id], h)
	if !t.isWithdrawn(h) {
		t.arm(h)
	}
}

func heldOf(m jetstream.Msg) (*held, error) {
	meta, err := m.Metadata()
	if err != nil {
		return nil, err
	}
	p, ok := placeOf(m.Subject())
	if !ok {
		return nil, errNoTimer
	}
	h := &held{msg: m, seq: meta.Sequence.Stream, delivery: int(meta.NumDelivered), told: time.Now()}
	h.id, h.change = p.id, p.change
	return h, h.read(m.Headers(), m.Data())
}

// isStale is whether h was cancelled or moved while the engine handed it out, or before a process
// died with it. A process that is alone knows that of what was handed out to it for the first time.
func (t *Timers) isStale(h *held) (bool, error) {
	if t.alone() {
		if h.delivery == 1 && h.seq > t.opened {
			return false, nil
		}
		s, err := t.look(t.ctx, h.id)
		return err == nil && s.outdates(h), err
	}
	// What else may have come first is seen when it is claimed.
	s, err := t.standing(h)
	return err == nil && s.overtakes(h), err
}

// arm gives h to the driver, or back to the engine for a while if the driver does not take it. The
// caller holds mu.
func (t *Timers) arm(h *held) { t.armFor(h, t.longest) }

// armFor is arm, but looks at h again after a time at most.
func (t *Timers) armFor(h *held, longest time.Duration) {
	delay := min(h.due.Sub(t.now()), longest)
	var err error
	h.timer.Stop()
	h.wakes = time.Now().Add(delay)
	if h.timer, err = t.near.AfterFunc(delay, func() { t.fire(h) }); err != nil && !t.closing {
		t.opts.OnError(fmt.Errorf("near scheduler: %w", err))
		t.drop(h)
		_ = h.msg.NakWithDelay(engineAway)
	}
}

// drop forgets h. The caller holds mu.
func (t *Timers) drop(h *held) {
	delete(t.holding, h.seq)
	others := slices.DeleteFunc(t.byID[h.id], func(other *held) bool { return other == h })
	if len(others) == 0 {
		delete(t.byID, h.id)
	} else {
		t.byID[h.id] = others
	}
}

// keepAlive tells the engine of the timers that are held here, that they are, until all of this ends.
func (t *Timers) keepAlive() {
	tick := time.NewTicker(t.opts.Redelivery / 3)
	defer tick.Stop()
	for {
		select {
		case <-t.ctx.Done():
			return
		case <-tick.C:
		}
		t.mu.Lock()
		mono, wall := time.Now(), t.now()
		t.forgetWithdrawn()
		for _, h := range t.holding {
			if mono.Sub(h.told) > t.opts.Redelivery/3 {
				_ = h.msg.InProgress()
				h.told = mono
			}
			// The driver's clock stands still with the machine, and is not set; this one is.
			wrong := h.wakes.Sub(mono) - min(h.due.Sub(wall), t.longest)
			if wrong.Abs() > smallJump && !h.begun && !t.isWithdrawn(h) {
				t.arm(h)
			}
		}
		t.mu.Unlock()
	}
}

const smallJump = 5 * time.Millisecond // of the clock: what setting it slowly comes to
