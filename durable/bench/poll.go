package main

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// polling is a table with an index by instant that is polled: what most queues of tasks in databases do.
// At the end of each interval it runs what has come due, and deletes it.
type polling struct {
	mu    sync.Mutex // for the connection and ids
	conn  *sqlite.Conn
	ids   []int64
	end   context.CancelFunc
	ended chan error
}

const pollTable = `CREATE TABLE IF NOT EXISTS timers (id INTEGER PRIMARY KEY, due INTEGER NOT NULL, number INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS due ON timers (due);`

// openPoll opens a file, in WAL mode as zombiezen does by default, and polls it.
func openPoll(_ context.Context, at place, fire func(uint32)) (_ keeper, err error) {
	p := &polling{ended: make(chan error, 1)}
	if p.conn, err = sqlite.OpenConn(filepath.Join(at.Dir, "poll.db")); err != nil {
		return nil, err
	}
	if err := errors.Join(p.exec("PRAGMA synchronous=NORMAL"), sqlitex.ExecuteScript(p.conn, pollTable, nil)); err != nil {
		return nil, errors.Join(err, p.conn.Close())
	}
	var ctx context.Context
	ctx, p.end = context.WithCancel(context.Background())
	go func() {
		var err error
		for fire != nil && err == nil && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(max(at.Interval, time.Millisecond)):
				err = p.run(fire)
			}
		}
		p.ended <- err
	}()
	return p, nil
}

func (p *polling) exec(query string, args ...any) error {
	return sqlitex.Execute(p.conn, query, &sqlitex.ExecOptions{Args: args})
}

// run runs what is due, and deletes it then.
func (p *polling) run(fire func(uint32)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, due := time.Now().UnixNano(), 0
	err := sqlitex.Execute(p.conn, "SELECT number FROM timers WHERE due <= ?", &sqlitex.ExecOptions{Args: []any{now}, ResultFunc: func(s *sqlite.Stmt) error {
		fire(uint32(s.ColumnInt64(0)))
		due++
		return nil
	}})
	if err != nil || due == 0 {
		return err
	}
	return p.exec("DELETE FROM timers WHERE due <= ?", now)
}

func (p *polling) Schedule(ctx context.Context, t timer) error { return p.Many(ctx, []timer{t}) }

func (p *polling) Many(_ context.Context, all []timer) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer sqlitex.Save(p.conn)(&err)
	for i := 0; i < len(all) && err == nil; i++ {
		err = p.exec("INSERT INTO timers (due, number) VALUES (?, ?)", all[i].at.UnixNano(), all[i].number)
		p.ids = append(p.ids, p.conn.LastInsertRowID())
	}
	return err
}

func (p *polling) Cancel(_ context.Context, n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.exec("DELETE FROM timers WHERE id = ?", p.ids[n])
	return pending(p.conn.Changes() == 1, err)
}

func (p *polling) Close(context.Context) error {
	p.end()
	return errors.Join(<-p.ended, p.conn.Close())
}
