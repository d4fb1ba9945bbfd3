package durable

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"schedbench/driver"
)

// held is a timer that the engine has handed to this process.
type held struct {
	record
	msg      jetstream.Msg
	seq      uint64
	delivery int
	timer    driver.Timer
	begun    bool
}

// receive begins to take timers from the engine. The caller holds mu.
func (t *Timers) receive() error {
	c, err := t.consumer(context.Background())
	if err != nil {
		return err
	}
	t.consume, err = c.Consume(t.take, jetstream.PullMaxMessages(1024))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrEngine, err)
	}
	return nil
}

// take puts a timer that the engine has handed out into the near scheduler.
func (t *Timers) take(m jetstream.Msg) {
	meta, err := m.Metadata()
	if err != nil {
		t.opts.OnError(fmt.Errorf("%w: %w", ErrEngine, err))
		return
	}
	r, err := read(m.Headers(), m.Data())
	if err != nil {
		t.opts.OnError(err)
		_ = m.Term()
		return
	}
	h := &held{record: r, msg: m, seq: meta.Sequence.Stream, delivery: int(meta.NumDelivered)}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	if _, gone := t.withdrawn[h.seq]; gone {
		delete(t.withdrawn, h.seq)
		return
	}
	t.holding[h.seq] = h
	t.arm(h)
}

// arm gives h to the driver. The caller holds mu.
func (t *Timers) arm(h *held) {
	var err error
	if h.timer, err = t.near.AfterFunc(h.at.Sub(t.now()), func() { t.fire(h) }); err != nil {
		delete(t.holding, h.seq)
		t.opts.OnError(fmt.Errorf("near scheduler: %w", err))
	}
}

// fire runs a task whose instant has come.
func (t *Timers) fire(h *held) {
	t.mu.Lock()
	if t.holding[h.seq] != h {
		t.mu.Unlock()
		return
	}
	if t.now().Before(h.at) { // the clock was set back
		t.arm(h)
		t.mu.Unlock()
		return
	}
	h.begun = true
	handler := t.handlers[h.kind]
	t.mu.Unlock()

	err := t.run(handler, h)
	if err == nil {
		err = h.msg.DoubleAck(t.ctx)
	} else {
		t.opts.OnError(fmt.Errorf("task %q of kind %q: %w", h.id, h.kind, err))
		err = h.msg.NakWithDelay(t.opts.Backoff(h.delivery))
	}
	if err != nil {
		t.opts.OnError(fmt.Errorf("%w: %w", ErrEngine, err))
	}
	t.mu.Lock()
	delete(t.holding, h.seq)
	t.mu.Unlock()
}

// run calls the handler, and makes an error of its panic.
func (t *Timers) run(handler Handler, h *held) (err error) {
	if handler == nil {
		return fmt.Errorf("%w: no handler of kind %q", ErrKind, h.kind)
	}
	ctx, cancel := context.WithTimeout(t.ctx, t.opts.Timeout)
	defer cancel()
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v\n%s", value, debug.Stack())
		}
	}()
	return handler(ctx, Task{ID: h.id, Kind: h.kind, Payload: h.payload, At: h.at, Attempt: h.attempt, Delivery: h.delivery})
}

// giveBack returns to the engine what has not begun.
func (t *Timers) giveBack() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, h := range t.holding {
		_ = h.msg.Nak()
	}
	if t.conn != nil {
		_ = t.conn.FlushTimeout(time.Second)
	}
}
