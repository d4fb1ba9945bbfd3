package durable

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Another connection writes between calls, and while they wait: they wait, and see what it wrote.
func TestCallsSeeOtherWriters(t *testing.T) {
	where := filepath.Join(t.TempDir(), "timers.db")
	timers := open(t, where, Options{})
	other := otherDB(t, where)
	far := in(time.Hour)
	for i := range 50 {
		mine, theirs, later := fmt.Sprint("mine", i), fmt.Sprint("theirs", i), fmt.Sprint("later", i)
		_, err := timers.Schedule(t.Context(), New{Kind: "a", ID: mine, At: far})
		require.NoError(t, err)
		tx, err := other.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		_, err = timers.ScheduleTx(t.Context(), tx, New{Kind: "a", ID: theirs, At: far})
		require.NoError(t, err)
		done := make(chan error)
		go func() {
			_, err := timers.Schedule(t.Context(), New{Kind: "a", ID: later, At: far})
			done <- err
		}()
		if i%10 == 0 {
			time.Sleep(5 * time.Millisecond) // the call finds the file locked
		}
		require.NoError(t, tx.Commit())
		_, err = timers.Get(t.Context(), theirs)
		require.NoError(t, err)
		require.NoError(t, <-done)
		gone, err := timers.Cancel(t.Context(), theirs)
		require.NoError(t, err)
		require.True(t, gone)
	}
	n, err := timers.Count(t.Context())
	require.NoError(t, err)
	require.Equal(t, 100, n)
}

// The log is emptied beside the callers: it does not grow with the steps.
func TestLogStaysShort(t *testing.T) {
	where := filepath.Join(t.TempDir(), "timers.db")
	timers := open(t, where, Options{})
	size := func() int64 {
		info, err := os.Stat(where + "-wal")
		require.NoError(t, err)
		return info.Size()
	}
	fill := func() {
		batch := make([]New, 64)
		for i := range batch {
			batch[i] = New{Kind: "a", ID: fmt.Sprint(i), At: in(time.Hour), Payload: make([]byte, 1000), Replace: true}
		}
		for range logSteps / len(batch) {
			_, err := timers.ScheduleBatch(t.Context(), batch)
			require.NoError(t, err)
		}
		timers.store.store.(*sqliteStore).works.Wait()
	}
	fill()
	first := size()
	for range 3 {
		fill()
	}
	require.Less(t, size(), 2*first)
}
