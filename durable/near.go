package durable

import (
	"math"
	"time"
)

// held is a timer that this process has leased. In a file the lock is the lease of all of them, and the row of one is as before.
type held struct {
	record
	kind   *kind
	lease  int64 // until when
	again  *held // what leaseKind has leased since: a process that was paused, or a retry that leave comes after
	err    error // of the handler
	counts *uint64
}

func (h *held) from() int64 { return max(h.fire, h.At.UnixNano()) } // the instant before which it does not begin

const chunk = 256 // timers leased in a transaction: begins do not wait longer for it

// ready is how many timers of a kind are leased that are due already: a backlog is shared with the workers that come.
func (t *Timers) ready() int { return max(chunk, 4*t.opts.Concurrency) }

// reserve leases a new timer for this process as it is made, if it is near, and there is room.
func (t *Timers) reserve(o *op) *held {
	now, due := t.now(), o.due()
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.kinds[o.args[3].(string)]
	if k == nil || !t.started || t.closing || due > now+int64(t.opts.Lead) || len(t.held) >= t.opts.Near || due <= now && len(k.due) >= t.ready() {
		return nil
	}
	h := &held{kind: k, lease: now + int64(t.opts.Lease), record: record{fire: due, Task: Task{
		ID: o.args[0].(string), Token: o.args[1].(int64), At: time.Unix(0, due), Kind: k.name, Payload: o.args[4].([]byte),
	}}}
	if t.held[h.Token] = h; t.store.shared() {
		o.args[5], o.args[6], o.args[7], o.args[8] = int64(Near), h.lease+int64(t.opts.Lead), h.lease, t.holder
	}
	return h
}

// past is what a lease that has ended is compared with: now, and in a file this process. Those of other processes have ended.
func (t *Timers) past() int64 {
	return map[bool]int64{true: t.now(), false: t.holder}[t.store.shared()]
}

// take holds timers in a file that have a new instant and are near, while there is room. It has others looked for. The caller holds mu.
func (t *Timers) take(steps []*op) {
	for _, o := range steps {
		for _, r := range o.rows {
			if k := t.kinds[r.Kind]; k == nil || r.state != Waiting { // it is left to others, or runs
			} else if !t.store.shared() && t.started && r.fire <= t.now()+int64(t.opts.Lead) && len(t.held) < t.opts.Near && t.held[r.Token] == nil {
				h := &held{record: r, kind: k}
				t.held[h.Token] = h
				go t.arm(h)
			} else {
				k.lower(r.fire)
				t.hear(r.fire)
			}
		}
	}
}

// lower has timers looked for again from a new one on, which is not held.
func (t *Timers) lower(o *op) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k := t.kinds[o.args[3].(string)]; k != nil {
		k.lower(o.due())
	}
	t.hear(o.due())
}

func (k *kind) lower(due int64) {
	if k.lowered = min(k.lowered, due); k.after.at >= k.lowered {
		k.after = Page{at: k.lowered - 1}
	}
}

// arm puts a timer among those that are due, when it is.
func (t *Timers) arm(h *held) {
	if wait := time.Duration(h.from() - t.now()); wait > 0 { // again if the clock was set back
		if _, err := t.near.AfterFunc(wait, func() { t.arm(h) }); err != nil {
			t.drop(h) // closed, or full: it runs when its lease has ended, and in a file after a quarter of it
		}
		return
	}
	t.mu.Lock()
	h.kind.due = append(h.kind.due, h)
	t.mu.Unlock()
	wakeUp(t.stir)
}

func (t *Timers) drop(h *held) {
	t.mu.Lock()
	delete(t.held, h.Token)
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
	for trouble, wait := 0, time.Duration(0); ; {
		select {
		case <-t.work.Done():
			return
		case <-t.look:
		case <-time.After(wait):
		}
		t.sleeps.Store(math.MaxInt64) // from here on each Schedule wakes it
		until, err := t.leaseAll()
		if pause := t.troubled("timers not leased", &trouble, err); err != nil {
			until = t.now() + int64(pause)
		}
		t.sleeps.Store(until)
		wait = time.Duration(until - t.now())
	}
}

// leaseAll leases what is near of all kinds, and returns when to look again. Each quarter of a lease it renews those half over.
func (t *Timers) leaseAll() (until int64, err error) {
	now, quarter := t.now(), int64(t.opts.Lease/4)
	if now >= t.renewed || now < t.renewed-quarter { // it has passed, or the clock was set back
		err := t.each(t.work, func(h *held) *op {
			if h.lease >= now+2*quarter {
				return nil
			}
			h.lease = now + int64(t.opts.Lease)
			return step(t.sql.renew, h.lease, h.lease+int64(t.opts.Lead), h.ID, h.Token, t.holder)
		})
		if err != nil { // it is not known which
			_ = t.each(t.work, func(h *held) *op { h.lease = 0; return nil })
			return 0, err
		}
		for _, k := range t.kinds {
			k.far = true
		}
		t.renewed = now + quarter
	}
	until = now + quarter
	for _, k := range t.kinds {
		if k.far {
			bring := step(t.sql.bring, k.name, math.MinInt64+max(now+int64(t.opts.Lead), 0), int64(chunk))
			if err := t.store.run([]*op{bring}); err != nil {
				return 0, err
			}
			if k.far = bring.n >= chunk; !k.far { // once in a quarter
				t.mu.Lock()
				k.lower(0)
				t.mu.Unlock()
			}
		}
		at, err := t.leaseKind(k)
		if err != nil {
			return 0, err
		}
		if until = min(until, at); k.far { // the rest comes at once, when others have had their turn
			until = now
		}
	}
	return until, nil
}

// leaseKind leases what is near of a kind, the first due first, and returns when to look again. Of what is due it leases only as much
// as can soon begin. It shares no transaction: in PostgreSQL a begin behind it would wait for the locks of others.
func (t *Timers) leaseKind(k *kind) (until int64, err error) {
	for range 16 { // then others have their turn
		now := t.now()
		near, lease := now+int64(t.opts.Lead), now+int64(t.opts.Lease)
		t.mu.Lock()
		k.lowered = math.MaxInt64
		after, n := k.after, max(min(t.opts.Near-len(t.held), t.ready()-len(k.due), chunk), 0)
		t.starved = t.starved || n == 0 // then leave asks for more when there is room
		t.mu.Unlock()
		if n == 0 {
			return math.MaxInt64, nil
		}
		claim, next := step(t.sql.claim, t.holder, lease, lease+int64(t.opts.Lead), k.name, near, now, int64(n)), step(t.sql.next, k.name, int64(-1))
		if !t.store.shared() { // both in a transaction that writes: it waits for those of ScheduleTx
			claim, next = step(t.sql.find, k.name, after.at, after.id, near, t.holder, int64(n)), step(t.sql.next, k.name, near)
		}
		if err := t.store.run([]*op{claim, next}); err != nil {
			return 0, err
		}
		var fresh []*held
		t.mu.Lock()
		for _, r := range claim.rows {
			h, old := &held{record: r, kind: k, lease: lease}, t.held[r.Token]
			switch {
			case old == nil:
				t.held[r.Token], fresh = h, append(fresh, h)
			case t.store.shared(): // leased again: it begins once
				old.lease, old.again = lease, h
			}
			after = Page{at: r.fire, id: r.ID}
		}
		k.after = after
		k.lower(k.lowered) // for what came meanwhile
		t.mu.Unlock()
		for _, h := range fresh {
			t.arm(h)
		}
		if len(claim.rows) < n || t.work.Err() != nil {
			return append(next.rows, record{fire: math.MaxInt64})[0].fire - int64(t.opts.Lead)/2, nil
		}
	}
	return t.now(), nil
}
