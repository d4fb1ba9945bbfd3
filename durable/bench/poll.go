package main

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// polling is a table with an index by instant that is polled: what most queues of tasks in databases do.
// At the end of each interval it runs what has come due, and deletes it.
type polling struct {
	calls, own *sqlite.Conn // of the caller, and of the polls
	ids        []int64
	end        context.CancelFunc
	ended      chan struct{}
	fault      atomic.Pointer[error]
}

// pollTable makes the table.
const pollTable = `CREATE TABLE IF NOT EXISTS timers (id INTEGER PRIMARY KEY, due INTEGER NOT NULL, number INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS due ON timers (due);`

// open opens a connection, in WAL mode as the driver does by default.
func (p *polling) open(dir string) (*sqlite.Conn, error) {
	conn, err := sqlite.OpenConn(filepath.Join(dir, "poll.db"))
	if err != nil {
		return nil, err
	}
	err = errors.Join(sqlitex.ExecuteTransient(conn, "PRAGMA synchronous=NORMAL", nil), sqlitex.ExecuteScript(conn, pollTable, nil))
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// openPoll opens a file, and polls it.
func openPoll(_ context.Context, at place, fire func(uint32)) (_ keeper, err error) {
	p := &polling{}
	if p.calls, err = p.open(at.Dir); err != nil {
		return nil, err
	}
	if p.own, err = p.open(at.Dir); err != nil {
		return nil, errors.Join(err, p.calls.Close())
	}
	ctx, end := context.WithCancel(context.Background())
	p.end, p.ended = end, make(chan struct{})
	go func() {
		defer close(p.ended)
		ticker := time.NewTicker(max(at.Interval, time.Millisecond))
		defer ticker.Stop()
		for fire != nil {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if err := p.run(fire); err != nil {
				p.fault.Store(&err)
				return
			}
		}
	}()
	return p, nil
}

// run runs what is due, and deletes it then.
func (p *polling) run(fire func(uint32)) (err error) {
	var due []int64
	if err = sqlitex.Execute(p.own, "SELECT id, number FROM timers WHERE due <= ? ORDER BY due", &sqlitex.ExecOptions{
		Args: []any{time.Now().UnixNano()}, ResultFunc: func(s *sqlite.Stmt) error {
			due = append(due, s.ColumnInt64(0))
			fire(uint32(s.ColumnInt64(1)))
			return nil
		},
	}); err != nil || len(due) == 0 {
		return err
	}
	defer sqlitex.Save(p.own)(&err)
	for _, id := range due {
		if err := remove(p.own, id); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a row.
func remove(conn *sqlite.Conn, id int64) error {
	return sqlitex.Execute(conn, "DELETE FROM timers WHERE id = ?", &sqlitex.ExecOptions{Args: []any{id}})
}

// insert adds a row.
func (p *polling) insert(t timer) error {
	return sqlitex.Execute(p.calls, "INSERT INTO timers (due, number) VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{t.at.UnixNano(), t.number}})
}

func (p *polling) Schedule(_ context.Context, t timer) error {
	err := p.insert(t)
	p.ids = append(p.ids, p.calls.LastInsertRowID())
	return err
}

func (p *polling) Many(_ context.Context, all []timer) (err error) {
	defer sqlitex.Save(p.calls)(&err)
	for _, t := range all {
		if err := p.insert(t); err != nil {
			return err
		}
	}
	return nil
}

func (p *polling) Cancel(_ context.Context, n int) error {
	err := remove(p.calls, p.ids[n])
	if err == nil && p.calls.Changes() != 1 {
		err = errNotPending
	}
	return err
}

func (p *polling) Close(context.Context) error {
	p.end()
	<-p.ended
	err := errors.Join(p.calls.Close(), p.own.Close())
	if fault := p.fault.Load(); fault != nil {
		err = errors.Join(*fault, err)
	}
	return err
}
