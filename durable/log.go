package durable

import (
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// SQLite's log is brought into the database by a connection of its own after logSteps steps. A short log is written where
// one was written before, which is cheaper than to make it longer. Callers do it themselves at logPages.
const logSteps, logPages = 4096, 16384

// log empties the log of a file.
type log struct {
	conn  *sqlite.Conn
	works sync.WaitGroup
	steps int // since it was last emptied; protected by the mutex of the store, as is what follows
	busy  bool
}

// add counts steps of a store.
func (l *log) add(s *sqliteStore, steps int) {
	if l.steps += steps; l.steps >= logSteps && !l.busy {
		l.busy = true
		l.works.Go(func() { l.empty(s) })
	}
}

// empty brings the log into the database. Callers go on meanwhile; they wait for the little that they have added.
func (l *log) empty(s *sqliteStore) {
	l.checkpoint()
	l.checkpoint()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endView()
	l.checkpoint()
	l.steps, l.busy = 0, false
}

// checkpoint ignores errors: what is not brought into the database stays in the log.
func (l *log) checkpoint() {
	_ = sqlitex.ExecuteTransient(l.conn, "PRAGMA wal_checkpoint(PASSIVE)", nil)
}

// close waits until nothing uses the log. No steps may be added.
func (l *log) close() {
	l.works.Wait()
	_ = l.conn.Close()
}

// viewTime is how long a connection reads on from what it has seen.
const viewTime = 10 * time.Millisecond

// keepView has the connection read on, which saves the calls that come soon four of six locks of files. SQLite refuses to
// write from a view that is not the newest.
func (s *sqliteStore) keepView() {
	if s.view != nil {
		return
	}
	view, err := s.conn.Prepare("SELECT 1 FROM sqlite_schema")
	if err == nil {
		_, err = view.Step()
	}
	if err != nil {
		return
	}
	s.view = view
	time.AfterFunc(viewTime, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.conn != nil {
			s.endView()
		}
	})
}

func (s *sqliteStore) endView() {
	if s.view != nil {
		_ = s.view.Reset()
		s.view = nil
	}
}
