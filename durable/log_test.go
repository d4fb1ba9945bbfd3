package durable

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// Another connection writes between calls, and while they wait: they wait, and see what it wrote.
func TestCallsSeeOtherWriters(t *testing.T) {
	where := file(t)
	timers := open(t, where, Options{})
	other := otherDB(t, where)
	far := in(time.Hour)
	for i := range 50 {
		mine, theirs, later := fmt.Sprint("mine", i), fmt.Sprint("theirs", i), fmt.Sprint("later", i)
		must.Get(timers.Schedule(t.Context(), New{Kind: "a", ID: mine, At: far}))(t)
		tx := must.Get(other.BeginTx(t.Context(), nil))(t)
		must.Get(timers.ScheduleTx(t.Context(), tx, New{Kind: "a", ID: theirs, At: far}))(t)
		done := make(chan error)
		go func() {
			_, err := timers.Schedule(t.Context(), New{Kind: "a", ID: later, At: far})
			done <- err
		}()
		if i%10 == 0 {
			time.Sleep(5 * time.Millisecond) // the call finds the file locked
		}
		require.NoError(t, tx.Commit())
		must.Get(timers.Get(t.Context(), theirs))(t)
		require.NoError(t, <-done)
		require.True(t, must.Get(timers.Cancel(t.Context(), theirs))(t))
	}
	require.Equal(t, 100, must.Get(timers.Count(t.Context()))(t))
}

// The log is emptied beside the callers: it does not grow with the steps.
func TestLogStaysShort(t *testing.T) {
	where := file(t)
	timers := open(t, where, Options{})
	size := func() int64 { return must.Get(os.Stat(where + "-wal"))(t).Size() }
	fill := func() {
		batch := make([]New, 64)
		for i := range batch {
			batch[i] = New{Kind: "a", ID: fmt.Sprint(i), At: in(time.Hour), Payload: make([]byte, 1000), Replace: true}
		}
		for range logSteps / len(batch) {
			must.Get(timers.ScheduleBatch(t.Context(), batch))(t)
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
