package durable

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
)

// Tx is a transaction of the caller, on the database of the timers: see SQLTx, ConnTx and PgxTx.
type Tx interface {
	exec(ctx context.Context, t *Timers, o *op) (int, error)
}

type (
	sqlTx  struct{ *sql.Tx }
	connTx struct{ *sqlite.Conn }
	pgxTx  struct{ pgx.Tx }
)

// SQLTx is a transaction of database/sql, with any driver of SQLite or PostgreSQL.
func SQLTx(tx *sql.Tx) Tx { return sqlTx{tx} }

// ConnTx is the transaction that is open on a connection of zombiezen.com/go/sqlite.
func ConnTx(conn *sqlite.Conn) Tx { return connTx{conn} }

// PgxTx is a transaction of pgx.
func PgxTx(tx pgx.Tx) Tx { return pgxTx{tx} }

func (tx sqlTx) exec(ctx context.Context, t *Timers, o *op) (int, error) {
	result, err := tx.ExecContext(ctx, t.store.text(o.do), o.args...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

func (tx connTx) exec(_ context.Context, t *Timers, o *op) (int, error) {
	stmt, err := tx.Prepare(t.store.text(o.do))
	if err != nil {
		return 0, err
	}
	bind(stmt, o.args)
	if _, err = stmt.Step(); err == nil {
		o.n = tx.Changes()
	}
	_ = stmt.Reset()
	return o.n, err
}

func (tx pgxTx) exec(ctx context.Context, t *Timers, o *op) (int, error) {
	tag, err := tx.Exec(ctx, t.store.text(o.do), o.args...)
	return int(tag.RowsAffected()), err
}

// ScheduleTx keeps a timer in a transaction of the caller: it is kept if and when that commits. The connection
// is one to the same database, not the one of the timers. At a URL workers hear of it with the commit. In a file
// one that is due within the lead may be late by txLook, and later the longer the transaction stays open.
//
// The errors are those of Schedule.
func (t *Timers) ScheduleTx(ctx context.Context, tx Tx, timer New) (Scheduled, error) {
	if timer.ID == "" {
		timer.ID = t.newID()
	}
	if err := timer.check(); err != nil {
		return Scheduled{}, err
	}
	o := t.insertion(timer)
	n, err := tx.exec(ctx, t, o)
	for _, o := range t.notice(o.wake()) {
		if err == nil {
			_, err = tx.exec(ctx, t, o)
		}
	}
	if err != nil {
		return Scheduled{}, fmt.Errorf("%w: in the transaction of the caller: %w", ErrStore, err)
	}
	if !t.store.shared() {
		t.txUntil.Store(t.now() + int64(txPatience))
		wakeUp(t.look)
	}
	if n == 0 {
		return Scheduled{ID: timer.ID, Existed: true}, nil
	}
	return Scheduled{ID: timer.ID, Token: o.args[1].(int64)}, nil
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
