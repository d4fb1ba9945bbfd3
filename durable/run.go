package durable

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// fire runs a task whose instant has come.
func (t *Timers) fire(h *held) {
	handler, ok := t.begin(h)
	if !ok {
		return
	}
	if ok, err := t.claim(h); !ok {
		t.unclaimed(h, err)
		return
	}
	err := errExit
	defer func() {
		if err != nil {
			t.opts.OnError(fmt.Errorf("task %q of kind %q, attempt %d: %w", h.id, h.kind, h.attempt, err))
		}
		t.settle(h, err)
		t.mu.Lock()
		t.drop(h)
		t.mu.Unlock()
	}()
	err = t.run(handler, h)
}

// errExit is of a handler that called runtime.Goexit.
var errExit = errors.New("handler ended its goroutine")

// begin reports whether h is to run now. From then on this process cannot withdraw it.
func (t *Timers) begin(h *held) (Handler, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing || h.begun || t.holding[h.seq] != h || t.isWithdrawn(h) {
		return nil, false
	}
	if t.now().Before(h.due) { // it is further away than the driver was told, or the clock was set back
		t.armFor(h, early) // it may be set ahead again
		return nil, false
	}
	h.begun = true
	return t.handlers[h.kind], true
}

const early = time.Second // until a timer that was early by the clock is looked at again

// claim settles with the engine that this worker runs h, unless it has been cancelled, moved or given
// to another. A process that is alone has no need to.
func (t *Timers) claim(h *held) (ok bool, err error) {
	if t.alone() {
		return true, nil
	}
	m := h.message()
	m.Subject = t.claimed(h.id, h.change)
	m.Header[headerDelivery] = []string{strconv.Itoa(h.delivery)}
	m.Header[headerRollup] = []string{"sub"}
	m.Header[headerTTL] = []string{(claimLife + t.opts.Timeout).String()}
	h.claim, ok, err = t.putOver(m, h, h.seq)
	return ok, err
}

// putOver writes a message of h unless something outdates h; then what was handed out is removed, if no
// other worker runs it. The mark of an earlier change does not outdate it, nor the claim of a worker
// that has died.
func (t *Timers) putOver(m *nats.Msg, h *held, last uint64) (seq uint64, ok bool, err error) {
	for range tries {
		seq, ok, err = t.put(t.ctx, m, h.id, last)
		if ok || err != nil {
			return seq, ok, err
		}
		s, err := t.look(t.ctx, h.id)
		switch {
		case err != nil:
			return 0, false, err
		case s.last == last: // what was in the way has gone
			time.Sleep(time.Millisecond)
		case s.outdates(h):
			if !s.isRunning() || s.change != h.change { // nobody has any use for it
				err = t.remove(t.ctx, h.seq)
			}
			return 0, false, err
		}
		last = s.last
	}
	return 0, false, fmt.Errorf("%w: timer %q is changed all the time", ErrEngine, h.id)
}

const claimLife = 24 * time.Hour // of the claim of a worker that died as it removed what it had run

// unclaimed forgets h; or tries again soon, if the engine is away.
func (t *Timers) unclaimed(h *held, err error) {
	if err != nil {
		t.opts.OnError(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil || t.closing {
		t.drop(h)
		return
	}
	h.begun = false
	h.timer, _ = t.near.AfterFunc(engineAway, func() { t.fire(h) })
}

const engineAway = time.Second // until an engine that did not answer is asked again

// run calls the handler, and makes an error of its panic.
func (t *Timers) run(handler Handler, h *held) (err error) {
	if handler == nil {
		return fmt.Errorf("%w: no handler of kind %q", ErrKind, h.kind)
	}
	ctx, cancel := context.WithTimeout(t.tasks, t.opts.Timeout)
	defer cancel()
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v\n%s", value, debug.Stack())
		}
	}()
	return handler(ctx, Task{ID: h.id, Kind: h.kind, Payload: h.payload, At: h.at, Attempt: h.attempt, Delivery: h.delivery})
}

// settle has the engine forget a task that has run, or plan its next attempt, or bury it. It does not
// give up while this process lives, since the task would run again.
func (t *Timers) settle(h *held, failure error) {
	for {
		err := t.trySettle(h, failure)
		if err == nil {
			return
		}
		if t.ctx.Err() != nil {
			return
		}
		t.opts.OnError(err)
		select {
		case <-t.ctx.Done():
		case <-time.After(engineAway):
		}
	}
}

func (t *Timers) trySettle(h *held, failure error) error {
	switch {
	case failure == nil:
	case h.attempt >= t.opts.Attempts:
		m := h.message()
		m.Subject = t.dead(h.id)
		m.Header[headerError] = []string{firstLine(failure)}
		if _, err := t.publish(t.ctx, m); err != nil {
			return t.failed("writing "+m.Subject, err)
		}
	default:
		r := h.record
		r.change, r.attempt, r.due = h.change+1, h.attempt+1, t.now().Add(t.opts.Backoff(h.attempt))
		// What outdates it is the same, written the last time this was tried; or another worker runs it.
		if _, ok, err := t.putOver(t.placed(r, t.now()), h, max(h.seq, h.claim)); err != nil || !ok {
			return err
		}
	}
	if err := t.remove(t.ctx, h.seq); err != nil {
		return err
	}
	if h.claim == 0 {
		return nil
	}
	return t.remove(t.ctx, h.claim)
}

// firstLine is as much of an error as a header can hold.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.ToValidUTF8(line[:min(len(line), longestError)], "")
}

const longestError = 1000
