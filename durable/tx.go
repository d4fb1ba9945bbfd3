package durable

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"
)

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

// ScheduleTx keeps a timer in a transaction of the caller: it is kept if and when that commits. The connection
// is one to the same database, not the one of the timers. At a URL a notice tells workers with the commit, if they may not look in time.
// In a file the worker looks each 10 ms for 10 s after the call, then each quarter of its lease: a timer that commits near its
// instant, or after it, may be late by that. The errors are those of Schedule.
func (t *Timers) ScheduleTx(ctx context.Context, tx Tx, timer New) (Scheduled, error) {
	o, err := t.insertion(timer)
	if err != nil {
		return Scheduled{}, err
	}
	for _, o := range append([]*op{o}, t.notice(o.due())...) {
		result, err := tx.ExecContext(ctx, o.text, o.args...)
		if err == nil {
			var n int64
			n, err = result.RowsAffected()
			o.n = int(n)
		}
		if err != nil {
			return Scheduled{}, fmt.Errorf("%w: in the transaction of the caller: %w", ErrStore, err)
		}
	}
	if !t.store.shared() {
		t.txUntil.Store(t.now() + int64(txPatience))
		wakeUp(t.look)
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
