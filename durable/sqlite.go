package durable

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// sqliteStore keeps timers in a file. The lock on a file beside it keeps other processes out, and notes whether all was closed.
type sqliteStore struct {
	path  string
	opts  Options
	sql   *texts
	lock  *flock.Flock
	other *sqlite.Conn   // empties the log
	works sync.WaitGroup // of what does
	kept  uint32         // how many frames of the log a killed process has committed
	bad   bool           // Open found damage: closing says nothing of it

	mu      sync.Mutex // held while the connection is used
	conn    *sqlite.Conn
	view    *sqlite.Stmt // see keepView
	steps   int          // and rows changed, since the log was last emptied
	empties bool         // whether that is under way
}

// noteOpen, with the boot of the system, is what the file of the lock says until the timers are closed. Behind it are the frames that
// Open has missed: to look at the log is to index it anew, and a second look would miss none.
const noteOpen = "open"

func openSQLite(_ context.Context, path string, o Options) (store, *texts, error) {
	s := &sqliteStore{path: path, opts: o, lock: flock.New(path + ".lock")}
	s.sql = write("{part}", "", "{skip}", "", "{lock}", "", "{empty}", "x''", "{bytes}", "blob", "{form}", "WITHOUT ROWID", "{ended}", "holder <>",
		"{may}", "attempt = ?1 - 1 AND (state = 0 OR holder <> ?4) AND ?5 IS NOT NULL", "$", "?")
	held, err := s.lock.TryLock()
	if errors.As(err, new(*fs.PathError)) {
		return nil, nil, fmt.Errorf("%w: the folder of %s must be there and writable: %w", ErrRights, path, err)
	} else if err != nil || !held {
		return nil, nil, cmp.Or(s.fault(err), fmt.Errorf("%w: %s", ErrInUse, path))
	}
	for _, f := range []func() error{s.whole, s.inspect, s.connect} {
		if err := s.fault(f()); err != nil {
			s.bad = errors.Is(err, ErrDamaged)
			s.close()
			return nil, nil, err
		}
	}
	return s, s.sql, nil
}

func (s *sqliteStore) note(text string) error {
	return os.WriteFile(s.path+".lock", []byte(text), 0o644)
}

// inspect looks for damage by a connection that only reads: when that is closed the log stays as it is.
func (s *sqliteStore) inspect() error {
	info, err := os.Stat(s.path)
	if err != nil || info.Size() == 0 { // it is new, or connect says what is wrong
		return nil
	}
	conn, err := sqlite.OpenConn(s.path, sqlite.OpenReadOnly)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetBusyTimeout(s.opts.Answer)
	err = sqlitex.ExecuteTransient(conn, "PRAGMA user_version", &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error { // which reads the log
		return checkLayout(cmp.Or(row.ColumnInt(0), layout)) // 0: there are no tables
	}})
	if n := s.frames(); n < s.kept {
		return cmp.Or(s.note(fmt.Sprintln(noteOpen, boot(), s.kept)), s.lost("has %d whole frames, want %d", n, s.kept))
	}
	if err != nil || info.Size() > 16<<20 { // quick_check leaves out the index: it does not find a bit that hides a timer
		return err
	}
	return sqlitex.ExecuteTransient(conn, "PRAGMA integrity_check(1)", &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		if said := row.ColumnText(0); said != "ok" {
			return fmt.Errorf("%w: %s: %s", ErrDamaged, s.path, said)
		}
		return nil
	}})
}

// lost says what is missing of the log, and how to go on without.
func (s *sqliteStore) lost(what string, args ...any) error {
	return fmt.Errorf("%w: %s-wal %s: put the file back, or empty %[2]s.lock to go on with the timers that are left", ErrDamaged, s.path, fmt.Sprintf(what, args...))
}

func (s *sqliteStore) connect() (err error) {
	if s.conn, err = sqlite.OpenConn(s.path, sqlite.OpenReadWrite, sqlite.OpenCreate); err != nil {
		return err
	}
	s.conn.SetBusyTimeout(s.opts.Answer)
	script := []string{fmt.Sprintf("PRAGMA synchronous = %d", cmp.Or(s.opts.Sync, SyncNormal)), "PRAGMA page_size = 2048", // of a new file: a call writes two pages
		"PRAGMA journal_mode = WAL", "PRAGMA cache_size = -16384", fmt.Sprint("PRAGMA wal_autocheckpoint = ", logPages)}
	script = append(append(script, s.sql.tables...), fmt.Sprint("PRAGMA user_version = ", layout)) // which is written each time: the log is not empty then
	for _, line := range script {
		if err := sqlitex.ExecuteTransient(s.conn, line, nil); err != nil {
			return err
		}
	}
	if s.other, err = sqlite.OpenConn(s.path, sqlite.OpenReadWrite); err != nil {
		return err
	}
	return s.note(noteOpen + " " + boot())
}

// whole reports what is missing of files that were there.
func (s *sqliteStore) whole() error {
	note, err := os.ReadFile(s.path + ".lock")
	if err != nil || len(note) == 0 {
		return err
	}
	if !bytes.HasPrefix(head(s.path, 100), []byte("SQLite format 3")) {
		return fmt.Errorf("%w: %s is empty, missing or no database, but was there", ErrDamaged, s.path)
	}
	var state, run string
	n, _ := fmt.Sscan(string(note), &state, &run, &s.kept)
	if state != noteOpen {
		return nil
	}
	if n == 2 && run == boot() { // a loss of power may take the end of the log
		s.kept = s.frames()
	}
	if !bytes.HasPrefix(head(s.path+"-wal", 32), []byte{0x37, 0x7f, 0x06}) {
		return s.lost("is missing or no log, but the last process did not close it")
	}
	return nil
}

// head returns the first n bytes of a file, or what there is.
func head(path string, n int) []byte {
	f, _ := os.Open(path) // nothing can be read of nil
	defer f.Close()
	b := make([]byte, n)
	n, _ = io.ReadFull(f, b)
	return b[:n]
}

// frames returns how many frames of the log are committed, by SQLite's index of it; 0 if its two headers differ.
func (s *sqliteStore) frames() uint32 {
	h := head(s.path+"-shm", 96)
	if len(h) < 96 || !bytes.Equal(h[:48], h[48:]) {
		return 0
	}
	return binary.NativeEndian.Uint32(h[16:])
}

// boot names the run of the system, where it has a name.
func boot() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(bytes.TrimSpace(id))
}

func (s *sqliteStore) fault(err error) error {
	kind := ErrStore
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		kind = ErrDamaged
	case sqlite.ResultReadOnly, sqlite.ResultPerm, sqlite.ResultAuth, sqlite.ResultCantOpen:
		kind = ErrRights
	}
	if err == nil || errors.Is(err, kind) || errors.Is(err, ErrDamaged) || errors.Is(err, ErrLayout) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", kind, s.path, err)
}

func (s *sqliteStore) undone(error) bool                  { return true }
func (s *sqliteStore) shared() bool                       { return false }
func (s *sqliteStore) watch(context.Context, func(int64)) {}

func (s *sqliteStore) run(ops []*op) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return ErrClosed
	}
	if len(ops) == 1 && ops[0].reads() {
		s.endView()
	}
	err := s.transact(ops)
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy && s.view != nil {
		s.endView() // another connection has written, or writes
		err = s.transact(ops)
	}
	for _, o := range ops {
		s.steps += 1 + o.n
	}
	if (s.steps >= logSteps || err != nil) && !s.empties { // the log may have filled the disk
		s.empties = true
		s.works.Go(s.empty)
	}
	if s.keepView(); err != nil {
		s.endView()
	}
	return s.fault(err)
}

// transact runs steps in one transaction, by statements that are prepared once.
func (s *sqliteStore) transact(ops []*op) (err error) {
	if len(ops) > 1 {
		ops = slices.Concat([]*op{step("BEGIN IMMEDIATE")}, ops, []*op{step("COMMIT")})
	}
	for i := 0; i < len(ops) && err == nil; i++ {
		o := ops[i]
		o.rows = nil // of an attempt that failed
		err = sqlitex.Execute(s.conn, o.text, &sqlitex.ExecOptions{Args: o.args, ResultFunc: func(row *sqlite.Stmt) error {
			payload := make([]byte, row.ColumnLen(4))
			row.ColumnBytes(4, payload)
			o.rows = append(o.rows, record{Task{
				ID: row.ColumnText(0), Token: row.ColumnInt64(1), At: time.Unix(0, row.ColumnInt64(2)), Kind: row.ColumnText(3), Payload: payload,
				Attempt: row.ColumnInt(6), Failed: row.ColumnInt(7),
			}, State(row.ColumnInt64(5)), row.ColumnInt64(8), row.ColumnText(9)})
			return nil
		}})
		if !o.reads() {
			o.n = s.conn.Changes()
		}
	}
	if err != nil && !s.conn.AutocommitEnabled() {
		_ = sqlitex.Execute(s.conn, "ROLLBACK", nil)
	}
	return err
}

func (s *sqliteStore) close() {
	s.mu.Lock()
	conn := s.conn
	s.conn = nil
	s.mu.Unlock()
	s.works.Wait()
	_ = s.other.Close()
	if conn != nil && conn.Close() == nil && !s.bad {
		_ = s.note("closed\n")
	}
	_ = s.lock.Unlock()
}

// SQLite's log is emptied by a connection of its own after logSteps steps and rows, by callers at logPages: short is cheaper.
const logSteps, logPages = 8192, 16384

// empty brings the log into the database. Callers go on meanwhile; they wait for the little that they have added.
func (s *sqliteStore) empty() {
	const checkpoint = "PRAGMA wal_checkpoint(PASSIVE)" // what it cannot bring stays in the log
	_ = sqlitex.ExecuteTransient(s.other, checkpoint, nil)
	_ = sqlitex.ExecuteTransient(s.other, checkpoint, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endView()
	_ = sqlitex.ExecuteTransient(s.other, checkpoint, nil)
	s.steps, s.empties = 0, false
}

// keepView has the connection read on from what it has seen, which saves the calls of the next 10 ms four of six locks of files.
// SQLite refuses to write from a view that is not the newest.
func (s *sqliteStore) keepView() {
	if s.view != nil {
		return
	}
	if s.view, _ = s.conn.Prepare("SELECT 1 FROM sqlite_schema"); s.view != nil {
		_, _ = s.view.Step() // if it fails the next call takes its locks
		time.AfterFunc(10*time.Millisecond, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.endView()
		})
	}
}

func (s *sqliteStore) endView() {
	if s.view != nil && s.conn != nil {
		_ = s.view.Reset()
	}
	s.view = nil
}
