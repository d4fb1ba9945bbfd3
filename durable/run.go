package durable

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// ending is a task that has run.
type ending struct {
	*held
	err error
}

// run begins what is due and stores what has ended: all of a tick in one transaction. When work ends it stores the rest.
func (t *Timers) run() {
	trouble := 0
	for {
		last := false
		select {
		case <-t.work.Done():
			last = true
		case <-t.stir:
		}
		for t.tick(&trouble) {
		}
		if last {
			t.leaveAll()
			return
		}
	}
}

// leaveAll forgets tasks whose end is not stored any more, and those that end from now on.
func (t *Timers) leaveAll() {
	t.mu.Lock()
	t.over = true
	ended := t.ended
	t.mu.Unlock()
	for _, e := range ended {
		t.leave(e.held)
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
		h.began = now
		ops = append(ops, step(t.sql.begin, h.attempt+1, h.id, h.token, t.holder, now+int64(t.opts.Lease)/8))
	}
	for _, e := range ended {
		ops = append(ops, t.outcome(e, now)...)
	}
	if err := t.store.do(context.Background(), ops...); err != nil {
		*trouble++
		t.troubled("tasks not begun or completed", err)
		t.putBack(begun, ended)
		if errors.Is(err, ErrClosed) {
			return false
		}
		select {
		case <-time.After(retryAfter(*trouble)):
		case <-t.work.Done():
			return false
		}
		return true
	}
	*trouble = 0
	for i, h := range begun {
		if ops[i].n == 0 {
			t.leave(h)
			continue
		}
		t.figures.began(time.Duration(t.now() - max(h.fire, h.due)))
		go t.handle(h)
	}
	for _, e := range ended {
		t.leave(e.held)
	}
	for _, o := range ops[len(begun):] {
		if o.text == t.sql.retry {
			t.hear(o.args[1].(int64))
		}
	}
	return true
}

// pick takes what may begin, and what has ended.
func (t *Timers) pick() (begun []*held, ended []*ending) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ended = t.ended; len(ended) > chunk {
		ended = ended[:chunk]
	}
	t.ended = t.ended[len(ended):]
	for _, k := range t.kinds {
		n := min(len(k.due), k.Concurrency-k.running, t.opts.Concurrency-t.running, chunk)
		if n <= 0 || t.closing {
			continue
		}
		begun = append(begun, k.due[:n]...)
		if k.due = k.due[n:]; len(k.due) == 0 {
			k.due = nil
		}
		k.running += n
		t.running += n
		t.handlers.Add(n)
	}
	return begun, ended
}

// putBack undoes pick.
func (t *Timers) putBack(begun []*held, ended []*ending) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = append(ended, t.ended...)
	for _, h := range begun {
		h.kind.due = append(h.kind.due, h)
		h.kind.running--
		t.running--
		t.handlers.Done()
	}
}

// leave forgets a timer that was picked, and asks for more if there is room.
func (t *Timers) leave(h *held) {
	t.mu.Lock()
	delete(t.held, h.token)
	h.kind.running--
	t.running--
	few := len(h.kind.due) <= t.ready()/2
	t.mu.Unlock()
	t.handlers.Done()
	if few && t.starved.Swap(false) {
		wakeUp(t.look)
	}
}

// outcome is the steps that store what has become of a task.
func (t *Timers) outcome(e *ending, now int64) []*op {
	gone := step(t.sql.complete, e.id, e.token, t.holder)
	if e.err == nil {
		t.figures.completed.Add(1)
		return []*op{gone}
	}
	failed, wait := e.fail+1, e.kind.Backoff(int(e.fail+1))
	var r refusal
	if asked := errors.As(e.err, &r); asked && !r.never {
		failed, wait = e.fail, r.in
	} else if asked || failed >= int64(e.kind.Attempts) {
		t.figures.dead.Add(1)
		return []*op{step(t.sql.bury, printable(e.err), now, e.id, e.token, t.holder), gone}
	}
	t.figures.retried.Add(1)
	return []*op{step(t.sql.retry, failed, now+int64(wait), e.id, e.token, t.holder)}
}

// handle runs a task.
func (t *Timers) handle(h *held) {
	e := &ending{held: h}
	defer func() {
		t.mu.Lock()
		over := t.over
		t.ended = append(t.ended, e)
		t.mu.Unlock()
		if over {
			t.leave(h)
		}
		wakeUp(t.stir)
	}()
	ctx, end := context.WithTimeout(t.tasks, h.kind.Timeout)
	defer end()
	e.err = errors.New("the handler ended its goroutine")
	defer func() {
		if value := recover(); value != nil {
			e.err = fmt.Errorf("panic: %v\n%s", value, debug.Stack())
		}
		if e.err != nil {
			t.opts.Logger.Warn("task failed", "kind", h.kind.name, "id", h.id, "attempt", h.attempt+1, "err", e.err)
		}
	}()
	h.record.kind = h.kind.name
	task := h.task()
	task.Attempt, task.Began = task.Attempt+1, instant(h.began)
	e.err = h.kind.handler(ctx, task)
}

func (t *Timers) troubled(what string, err error) {
	if t.figures.trouble(err) {
		t.opts.Logger.Error(what, "err", err)
	}
}
