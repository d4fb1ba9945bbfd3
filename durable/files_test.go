package durable

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

func TestFilesThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	where := filepath.Join(dir, "timers.db")
	first := open(t, where, Options{})
	requireRefused(t, where, ErrInUse, where)
	require.NoError(t, closeNow(first))
	requireRefused(t, filepath.Join(dir, "no", "timers.db"), ErrRights, "must be there and writable")
	if os.Getuid() > 0 {
		require.NoError(t, os.Chmod(dir, 0o500))
		defer os.Chmod(dir, 0o700)
		requireRefused(t, filepath.Join(dir, "other.db"), ErrRights, "")
	}
}

// A file that is damaged is refused, or has all timers: never fewer in silence.
func TestDamagedFiles(t *testing.T) {
	const held = 2000
	made := t.TempDir()
	timers := open(t, filepath.Join(made, "timers.db"), Options{})
	must.Get(timers.ScheduleBatch(t.Context(), slices.Repeat([]New{{Kind: "a", At: in(time.Hour), Payload: make([]byte, 200)}}, held)))(t)
	killed := t.TempDir() // as a kill leaves them
	require.NoError(t, os.CopyFS(killed, os.DirFS(made)))
	require.NoError(t, closeNow(timers))

	for state, from := range map[string]string{"closed": made, "killed": killed} {
		for _, file := range must.Get(os.ReadDir(from))(t) {
			for damage, do := range map[string]func([]byte) []byte{
				"removed": nil,
				"emptied": func(b []byte) []byte { return nil },
				"halved":  func(b []byte) []byte { return b[:len(b)/2] },
				"flipped": func(b []byte) []byte {
					if b = bytes.Clone(b); len(b) > 0 {
						b[rand.N(len(b))] ^= 1 << rand.N(8)
					}
					return b
				},
				"head": func(b []byte) []byte { return append(make([]byte, min(len(b), 64)), b[min(len(b), 64):]...) },
			} {
				if strings.HasSuffix(file.Name(), "-wal") && boot() == "" {
					continue // a loss of power looks the same
				}
				times := 1
				if damage == "flipped" {
					times = 25
				}
				t.Run(state+" "+file.Name()+" "+damage, func(t *testing.T) {
					for range times {
						damaged(t, from, file.Name(), do, held)
					}
				})
			}
		}
	}
}

// Another program that closes the file of a killed process removes the log. Open goes on when the file of the lock is emptied.
func TestRefusedFileIsAccepted(t *testing.T) {
	made, killed := t.TempDir(), t.TempDir()
	timers := open(t, filepath.Join(made, "timers.db"), Options{})
	must.Get(timers.Schedule(t.Context(), New{Kind: "a", At: in(time.Hour)}))(t)
	require.NoError(t, os.CopyFS(killed, os.DirFS(made)))
	where := filepath.Join(killed, "timers.db")
	other := otherDB(t, where)
	var n int
	require.NoError(t, other.QueryRow("SELECT count(*) FROM durable_timers").Scan(&n))
	require.NoError(t, other.Close())
	for range 2 {
		requireRefused(t, where, ErrDamaged, "or empty "+where+".lock")
	}
	require.NoError(t, os.Truncate(where+".lock", 0))
	require.Equal(t, 1, must.Get(open(t, where, Options{}).Count(t.Context()))(t))
}

// A damaged byte may put a deadline before 1970: it is listed.
func TestDeadlineBeforeTimeIsListed(t *testing.T) {
	where := file(t)
	timers := open(t, where, Options{})
	must.Get(timers.Schedule(t.Context(), New{Kind: "a", At: in(time.Hour)}))(t)
	require.NoError(t, closeNow(timers))
	db := otherDB(t, where)
	must.Get(db.ExecContext(t.Context(), "UPDATE durable_timers SET due = -due"))(t)
	require.NoError(t, db.Close())
	listed, _, err := open(t, where, Options{}).List(t.Context(), Filter{Kind: "a"})
	require.NoError(t, err)
	require.Len(t, listed, 1)
}

// damaged opens files of which one is damaged by do, or removed: without an error all timers are there, by each index.
func damaged(t *testing.T, from, name string, do func([]byte) []byte, held int) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	path := filepath.Join(dir, name)
	if b, err := os.ReadFile(path); do == nil {
		require.NoError(t, os.Remove(path))
	} else {
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, do(b), 0o644))
	}
	timers, err := Open(t.Context(), filepath.Join(dir, "timers.db"), Options{Logger: silent})
	if err != nil {
		require.ErrorIs(t, err, ErrDamaged)
		requireRefused(t, filepath.Join(dir, "timers.db"), ErrDamaged, "") // the second time
		return
	}
	defer closeNow(timers)
	require.Equal(t, held, must.Get(timers.Count(t.Context()))(t))
	listed, _, err := timers.List(t.Context(), Filter{Kind: "a", Limit: 2 * held})
	require.NoError(t, err)
	require.Len(t, listed, held)
}

// Tables of an older or a newer layout are refused.
func TestOtherLayoutIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, where string) {
		require.NoError(t, closeNow(open(t, where, Options{})))
		kind, older, newer := "sqlite", "PRAGMA user_version = 1", "PRAGMA user_version = 3"
		if strings.HasPrefix(where, "postgres:") {
			kind, older, newer = "pgx", "COMMENT ON TABLE durable_timers IS NULL", "COMMENT ON TABLE durable_timers IS '3'"
		}
		db := must.Get(sql.Open(kind, where))(t)
		defer db.Close()
		for text, said := range map[string]string{older: "found version 1 of the tables, want 2", newer: "found version 3 of the tables, want 2"} {
			must.Get(db.ExecContext(t.Context(), text))(t)
			requireRefused(t, where, ErrLayout, said)
		}
	})
}

// A full disk refuses, loses nothing, and when there is room again all goes on by itself.
func TestFullDisk(t *testing.T) {
	var j journal
	timers := runs(t, file(t), Options{}, j.run, Policy{})
	s := timers.store.store.(*sqliteStore)
	limit := func(pages int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		require.NoError(t, s.transact([]*op{step(fmt.Sprint("PRAGMA max_page_count = ", pages))}))
	}
	limit(1)
	kept := 0
	var err error
	for ; err == nil && kept < 1000; kept++ {
		_, err = timers.Schedule(t.Context(), New{Kind: "a", At: in(300 * time.Millisecond), Payload: make([]byte, 3000)})
	}
	kept--
	require.ErrorIs(t, err, ErrStore)
	require.ErrorContains(t, err, "full")
	s.works.Wait()
	s.mu.Lock()
	require.Zero(t, s.steps, "the log is emptied, which may be what fills the disk")
	s.mu.Unlock()
	limit(1 << 30)
	must.Get(timers.Schedule(t.Context(), New{Kind: "a", At: in(0)}))(t)
	eventually(t, func() bool { return j.len() == kept+1 })
	j.requireNoneEarly(t)
}
