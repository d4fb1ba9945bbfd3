package durable

import (
	"time"

	"zombiezen.com/go/sqlite/sqlitex"
)

// SQLite's log is brought into the database by a connection of its own after logSteps steps and rows. A short log is written where
// one was written before, which is cheaper than to make it longer. Callers do it themselves at logPages.
const logSteps, logPages = 8192, 16384

// empty brings the log into the database. Callers go on meanwhile; they wait for the little that they have added.
func (s *sqliteStore) empty() {
	s.checkpoint()
	s.checkpoint()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endView()
	s.checkpoint()
	s.steps, s.empties = 0, false
}

// checkpoint ignores errors: what is not brought into the database stays in the log.
func (s *sqliteStore) checkpoint() {
	_ = sqlitex.ExecuteTransient(s.other, "PRAGMA wal_checkpoint(PASSIVE)", nil)
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
		s.endView()
	})
}

func (s *sqliteStore) endView() {
	if s.view != nil && s.conn != nil {
		_ = s.view.Reset()
	}
	s.view = nil
}
