package durable

import (
	"bytes"
	"math"
	"time"
)

// held is a timer that this process has leased.
type held struct {
	record
	kind  *kind
	lease int64 // until when
	again *held // what take has leased since: a process that was paused, or a retry that leave comes after

	began  int64 // when the begin was asked for
	err    error // of the handler
	counts *uint64
}

// chunk is how many timers are leased in a transaction: begins do not wait longer for it.
const chunk = 256

// ready is how many timers of a kind are leased that are due already: a backlog is shared with the workers that come.
func (t *Timers) ready() int { return max(chunk, 4*t.opts.Concurrency) }

// reserve leases a new timer for this process as it is made, if it is near, and there is room.
func (t *Timers) reserve(o *op) *held {
	now := t.now()
	due := o.due()
	if due > now+int64(t.opts.Lead) {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.kinds[o.args[3].(string)]
	if k == nil || !t.started || t.closing || len(t.held) >= t.opts.Near || due <= now && len(k.due) >= t.ready() {
		return nil
	}
	h := &held{kind: k, lease: now + int64(t.opts.Lease), record: record{
		id: o.args[0].(string), token: o.args[1].(int64), due: due, fire: due, payload: bytes.Clone(o.args[4].([]byte)),
	}}
	t.held[h.token] = h
	o.args[5], o.args[6], o.args[7], o.args[8] = int64(Near), h.lease+int64(t.opts.Lead), h.lease, t.holder
	return h
}

// arm puts a timer among those that are due, when it is.
func (t *Timers) arm(h *held) {
	if wait := time.Duration(max(h.fire, h.due) - t.now()); wait > 0 { // again if the clock was set back
		if _, err := t.near.AfterFunc(wait, func() { t.arm(h) }); err != nil {
			t.drop(h) // closed, or full: it runs when its lease has ended
		}
		return
	}
	t.mu.Lock()
	h.kind.due = append(h.kind.due, h)
	t.mu.Unlock()
	wakeUp(t.stir)
}

// drop forgets a timer.
func (t *Timers) drop(h *held) {
	t.mu.Lock()
	delete(t.held, h.token)
	t.mu.Unlock()
}

// hear has the goroutine that leases look, if it would sleep too long for a timer.
func (t *Timers) hear(wake int64) {
	if wake-int64(t.opts.Lead)/2 < t.sleeps.Load() {
		wakeUp(t.look)
	}
}

// lease leases what comes near and renews leases, until work ends.
func (t *Timers) lease() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	trouble := 0
	for {
		select {
		case <-t.work.Done():
			return
		case <-t.look:
		case <-timer.C:
		}
		t.sleeps.Store(1<<63 - 1) // who schedules from here on says so
		until, err := t.leaseAll()
		if err != nil && t.work.Err() == nil {
			trouble++
			t.troubled("timers not leased", err)
			until = t.now() + int64(retryAfter(trouble))
		} else {
			trouble = 0
			t.mu.Lock()
			t.health.Trouble = nil
			t.mu.Unlock()
		}
		t.sleeps.Store(until)
		timer.Reset(time.Duration(max(until-t.now(), 0)))
	}
}

// After a ScheduleTx in a file a worker looks each txLook for txPatience: nobody says when the transaction commits.
const (
	txLook     = 10 * time.Millisecond
	txPatience = 10 * time.Second
)

// retryAfter is how long to wait for a database that has failed so often.
func retryAfter(trouble int) time.Duration {
	return min(50*time.Millisecond<<min(trouble, 10), 5*time.Second)
}

// leaseAll leases what is near of all kinds, renews leases, and returns when to look again.
func (t *Timers) leaseAll() (until int64, err error) {
	now := t.now()
	if now >= t.renewed {
		if err := t.renewAll(); err != nil {
			return 0, err
		}
		t.renewed = now + int64(t.opts.Lease/4)
	}
	until = now + int64(t.opts.Lease/4)
	if now < t.txUntil.Load() {
		until = now + int64(txLook)
	}
	for _, k := range t.kinds {
		at, err := t.leaseKind(k)
		if err != nil {
			return 0, err
		}
		until = min(until, at)
	}
	return until, nil
}

// leaseKind leases what is near of a kind, but of what is due only as much as can soon begin.
func (t *Timers) leaseKind(k *kind) (until int64, err error) {
	const never = 1<<63 - 1
	for t.work.Err() == nil {
		t.mu.Lock()
		n := max(min(t.opts.Near-len(t.held), t.ready()-len(k.due), chunk), 0)
		t.starved = t.starved || n == 0 // then leave asks for more when there is room
		t.mu.Unlock()
		if more, err := t.take(k, n); err != nil {
			return 0, err
		} else if !more && n == 0 {
			return never, nil
		} else if !more {
			break
		}
	}
	first := step(t.sql.next, k.name)
	if err := t.store.do(t.work, first); err != nil || len(first.rows) == 0 {
		return never, err
	}
	return first.rows[0].fire - int64(t.opts.Lead)/2, nil
}

// take brings some far timers near, and leases up to n, those first that are due first. It reports whether there may be more. It shares no transaction: PostgreSQL keeps locks until its end
// of what others leased meanwhile, and a begin after it would wait for theirs.
func (t *Timers) take(k *kind, n int) (more bool, err error) {
	now := t.now()
	far := step(t.sql.bring, k.name, math.MinInt64+now+int64(t.opts.Lead), int64(chunk))
	lease := now + int64(t.opts.Lease)
	o := step(t.sql.claim, t.holder, lease, lease+int64(t.opts.Lead), k.name, now+int64(t.opts.Lead), now, int64(n))
	if err := t.store.attempt([]*op{far, o}); err != nil {
		return false, err
	}
	for _, r := range o.rows {
		h := &held{record: r, kind: k, lease: lease}
		t.mu.Lock()
		old := t.held[h.token]
		if old != nil {
			old.lease, old.again = lease, h
		} else {
			t.held[h.token] = h
		}
		t.mu.Unlock()
		if old == nil {
			t.arm(h)
		}
	}
	return far.n == chunk || n > 0 && len(o.rows) == n, nil
}

// renewAll renews the leases of which less than half is left.
func (t *Timers) renewAll() error {
	now := t.now()
	lease := now + int64(t.opts.Lease)
	err := t.each(t.work, func(h *held) *op {
		if h.lease >= now+int64(t.opts.Lease)/2 {
			return nil
		}
		h.lease = lease
		return step(t.sql.renew, lease, lease+int64(t.opts.Lead), h.id, h.token, t.holder)
	})
	if err != nil { // it is not known which
		_ = t.each(t.work, func(h *held) *op { h.lease = 0; return nil })
	}
	return err
}
