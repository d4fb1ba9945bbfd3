package durable

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"time"
)

// run begins what is due and stores what has ended, a tick in one transaction. It ends work when all is closed and nothing runs.
func (t *Timers) run() {
	defer t.endWork()
	for idle, trouble := false, 0; t.work.Err() == nil && !idle; {
		select {
		case <-t.work.Done():
		case <-t.stir:
		}
		for t.tick(&trouble) {
		}
		t.mu.Lock()
		idle = t.closing && t.running == 0
		t.mu.Unlock()
	}
}

// tick begins and completes what there is, and reports whether there may be more.
func (t *Timers) tick(trouble *int) bool {
	begun, ended := t.pick()
	if len(begun)+len(ended) == 0 {
		return false
	}
	now := t.now()
	ops := make([]*op, 0, len(begun)+len(ended))
	for _, h := range begun {
		h.Began = time.Unix(0, now)
		ops = append(ops, step(t.sql.begin, h.Attempt+1, h.ID, h.Token, t.holder, now+int64(t.opts.Lease)/8))
	}
	for _, h := range ended {
		ops = append(ops, t.outcome(h, now)...)
	}
	err := t.store.do(context.Background(), ops...)
	if wait := t.troubled("tasks not begun or completed", trouble, err); err != nil {
		t.putBack(begun, ended)
		select {
		case <-time.After(wait):
		case <-t.work.Done():
		}
		return t.work.Err() == nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, h := range begun {
		if ops[i].n == 0 { // it is cancelled, moved, or another's
			t.leave(h)
			continue
		}
		t.health.Begun++
		t.health.Late = time.Duration(t.now() - h.from())
		t.health.Latest = max(t.health.Latest, t.health.Late)
		go t.handle(h)
	}
	for _, h := range ended {
		*h.counts++
		t.leave(h)
	}
	t.take(ops) // the rows are those of retries
	return true
}

func (t *Timers) pick() (begun, ended []*held) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ended = t.ended[:min(len(t.ended), chunk)]
	t.ended = t.ended[len(ended):]
	for _, k := range t.kinds {
		n := min(len(k.due), k.Concurrency-k.running, t.opts.Concurrency-t.running, chunk)
		if n <= 0 || t.closing {
			continue
		}
		begun = append(begun, k.due[:n]...)
		k.due = k.due[n:]
		k.running += n
		t.running += n
	}
	return begun, ended
}

func (t *Timers) putBack(begun, ended []*held) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = append(ended, t.ended...)
	for _, h := range begun {
		h.kind.due = append(h.kind.due, h)
		h.kind.running--
		t.running--
	}
}

// leave forgets a timer that was picked, unless it was leased again, and asks for more if there is room. The caller holds mu.
func (t *Timers) leave(h *held) {
	delete(t.held, h.Token)
	if h.again != nil {
		t.held[h.Token] = h.again
		go t.arm(h.again)
	}
	h.kind.running--
	t.running--
	if t.starved && len(h.kind.due) <= t.ready()/2 {
		t.starved = false
		wakeUp(t.look)
	}
}

// outcome is the steps that store what has become of a task.
func (t *Timers) outcome(h *held, now int64) []*op {
	gone := step(t.sql.complete, h.ID, h.Token, t.holder)
	if h.err == nil {
		h.counts = &t.health.Completed
		return []*op{gone}
	}
	failed, wait := h.Failed+1, h.kind.Backoff(h.Failed+1)
	var r refusal
	if asked := errors.As(h.err, &r); asked && r.in >= 0 {
		failed, wait = h.Failed, r.in
	} else if asked || failed >= h.kind.Attempts {
		h.counts = &t.health.Dead
		reason := strings.ToValidUTF8(strings.ReplaceAll(fmt.Sprintf("%.4096s", h.err.Error()), "\x00", ""), "?") // what a database takes
		return []*op{step(t.sql.bury, reason, now, h.ID, h.Token, t.holder), gone}
	}
	h.counts, h.fire = &t.health.Retried, now+min(max(int64(wait), 0), math.MaxInt64-now)
	return []*op{step(t.sql.retry, failed, h.fire, h.ID, h.Token, t.holder), step(t.sql.get, h.ID)} // RETURNING takes 60 us in a file
}

func (t *Timers) handle(h *held) {
	ctx, end := context.WithTimeout(t.tasks, h.kind.Timeout)
	h.err = errors.New("the handler ended its goroutine")
	defer func() {
		if value := recover(); value != nil {
			h.err = fmt.Errorf("panic: %v\n%s", value, debug.Stack())
		}
		if h.err != nil {
			t.opts.Logger.Warn("task failed", "kind", h.kind.name, "id", h.ID, "attempt", h.Attempt+1, "err", h.err)
		}
		end()
		t.mu.Lock()
		t.ended = append(t.ended, h)
		t.mu.Unlock()
		wakeUp(t.stir)
	}()
	task := h.Task
	task.Attempt++
	h.err = h.kind.handler(ctx, task)
}
