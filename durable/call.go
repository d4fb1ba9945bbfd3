package durable

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// Schedule keeps a timer. When it returns without an error the timer is kept. The errors are ErrKind, ErrID and ErrPayload.
func (t *Timers) Schedule(ctx context.Context, timer New) (Scheduled, error) {
	made, err := t.ScheduleBatch(ctx, []New{timer})
	return append(made, Scheduled{})[0], err
}

// ScheduleBatch keeps all of the timers or none. The errors are those of Schedule.
func (t *Timers) ScheduleBatch(ctx context.Context, timers []New) ([]Scheduled, error) {
	ops := make([]*op, len(timers), len(timers)+1)
	for i, n := range timers {
		var err error
		if ops[i], err = t.insertion(n); err != nil {
			return nil, err
		}
	}
	leased, first := make([]*held, len(ops)), int64(math.MaxInt64) // due of those that are not held
	for i, o := range ops {
		if leased[i] = t.reserve(o); leased[i] == nil {
			first = min(first, o.due())
		}
	}
	err := t.store.do(ctx, append(ops, t.notice(first)...)...)
	made := make([]Scheduled, len(ops))
	for i, h := range leased {
		if err == nil { // else the steps may still run
			made[i] = ops[i].made()
		}
		switch {
		case h != nil && made[i].Token != 0:
			t.arm(h)
		case h != nil:
			t.drop(h)
		case made[i].Token != 0:
			t.lower(ops[i])
		}
	}
	return made, err
}

// change takes steps that give a timer another instant.
func (t *Timers) change(ctx context.Context, due int64, ops ...*op) error {
	if err := t.store.do(ctx, append(ops, t.notice(due)...)...); err != nil {
		return err // the steps may still run
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if last := ops[len(ops)-1]; !last.reads() {
		t.hear(due)
	}
	t.take(ops)
	return nil
}

// insertion is the step that keeps a new timer.
func (t *Timers) insertion(n New) (*op, error) {
	if n.ID == "" { // those that are made later come later in the table, which is cheaper to write
		n.ID = strconv.FormatInt(t.now(), 32) + strconv.FormatUint(rand.Uint64(), 32)
	}
	if err := cmp.Or(checkKind(n.Kind), checkID(n.ID)); err != nil {
		return nil, err
	}
	if len(n.Payload) > MaxPayload {
		return nil, fmt.Errorf("%w: %d bytes, want at most %d", ErrPayload, len(n.Payload), MaxPayload)
	}
	do, due := t.sql.insert, nanoseconds(n.At)
	if n.Replace {
		do = t.sql.replace
	}
	payload := append([]byte{}, n.Payload...) // nil is null in SQL
	return step(do, n.ID, rand.Int64(), due, n.Kind, payload, int64(Waiting), t.wake(due), int64(0), int64(0)), nil
}

func (o *op) due() int64 { return o.args[2].(int64) }

const farAway = 8 * longestLease // from there on a timer is far

// wake returns the wake of a timer that waits: its instant or, if it is far, its slot, before all instants. A slot is an eighth to
// a quarter of the distance long, so the index grows at few places. One more statement brings it near, by its length early.
func (t *Timers) wake(due int64) int64 {
	far := due - t.now()
	if far < int64(farAway) {
		return due
	}
	slot := int64(1) << (bits.Len64(uint64(far)) - 3)
	return due/slot*slot - slot + math.MinInt64
}

// made is what became of an insertion, which changes one row or none.
func (o *op) made() Scheduled {
	return Scheduled{o.args[0].(string), o.args[1].(int64) * int64(o.n), o.n == 0}
}

// notice is the step that tells other workers of a timer, if they may not look in time.
func (t *Timers) notice(wake int64) []*op {
	if !t.store.shared() || wake > t.now()+int64(longestLease) {
		return nil
	}
	return []*op{step(t.sql.notify, table, strconv.FormatInt(wake, 10))}
}

// Cancel takes a timer back. True means that it was there and no attempt ran under a lease that holds: no further attempt begins. An
// attempt whose lease has ended may still run. False means that an attempt runs, or that no timer has the ID. The error is ErrID.
func (t *Timers) Cancel(ctx context.Context, id string) (bool, error) {
	if err := checkID(id); err != nil {
		return false, err
	}
	o := step(t.sql.cancel, id, t.past())
	err := t.store.do(ctx, o)
	return err == nil && o.n > 0, err
}

// Reset gives a timer another instant, a new token, and no failures. True means as much as with Cancel, but an attempt begins at the
// new instant and none before. False means what it means there. The error is ErrID.
func (t *Timers) Reset(ctx context.Context, id string, at time.Time) (bool, error) {
	if err := checkID(id); err != nil {
		return false, err
	}
	due := nanoseconds(at)
	o := step(t.sql.reset, rand.Int64(), due, t.wake(due), id, t.past())
	ops := []*op{o}
	if due <= t.now()+2*int64(t.opts.Lead) { // else it is found
		ops = append(ops, step(t.sql.get, id))
	}
	err := t.change(ctx, due, ops...)
	return err == nil && o.n > 0, err
}

// Tx is a transaction of the caller, on the database of the timers: an *sql.Tx, or a PgxTx. On a file the driver is that of
// modernc.org/sqlite: a second copy of SQLite in a process would break the locks of the first.
type Tx interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// PgxTx is a transaction of pgx.
type PgxTx struct{ pgx.Tx }

// ExecContext implements Tx.
func (tx PgxTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	tag, err := tx.Exec(ctx, query, args...)
	return driver.RowsAffected(tag.RowsAffected()), err
}

// ScheduleTx keeps a timer in a transaction of the caller: it is kept if and when that commits. In a file all other steps wait until
// that transaction ends, as SQLite has one writer. The errors are those of Schedule.
func (t *Timers) ScheduleTx(ctx context.Context, tx Tx, timer New) (Scheduled, error) {
	o, err := t.insertion(timer)
	if err != nil {
		return Scheduled{}, err
	}
	for _, o := range append([]*op{o}, t.notice(o.due())...) {
		result, err := tx.ExecContext(ctx, o.text, o.args...)
		if err != nil {
			return Scheduled{}, fmt.Errorf("%w: in the transaction of the caller: %w", ErrStore, err)
		}
		n, _ := result.RowsAffected() // neither driver fails here
		o.n = int(n)
	}
	if !t.store.shared() { // find waits for the end of this transaction, which holds the lock to write
		t.lower(o)
	}
	return o.made(), nil
}

// Handle makes a Handler of a function with a payload of JSON. One that cannot be read is not tried again.
func Handle[T any](f func(ctx context.Context, task Task, payload T) error) Handler {
	return func(ctx context.Context, task Task) error {
		var payload T
		if err := json.Unmarshal(task.Payload, &payload); err != nil {
			return NoRetry(fmt.Errorf("payload of %q: %w", task.ID, err))
		}
		return f(ctx, task, payload)
	}
}
