package durable

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Thousands of timers a second go through the store and the near wheel: each begins once and none early.
func TestManyTimersBeginOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, where string) {
		const rate, seconds = 2000, 2
		var mu sync.Mutex
		seen := map[int64]int{}
		var late []time.Duration
		timers := runs(t, where, Options{Lead: 500 * time.Millisecond, Lease: 5 * time.Second}, func(_ context.Context, task Task) error {
			d := time.Since(task.At)
			mu.Lock()
			defer mu.Unlock()
			seen[task.Token]++
			late = append(late, d)
			return nil
		}, Policy{})
		begin := in(700 * time.Millisecond)
		for i := 0; i < rate*seconds; i += 100 {
			all := make([]New, 100)
			for k := range all {
				all[k] = New{Kind: "a", At: begin.Add(time.Duration(i+k) * time.Second / rate)}
			}
			_, err := timers.ScheduleBatch(t.Context(), all)
			require.NoError(t, err)
		}
		eventually(t, func() bool { n, err := timers.Count(t.Context()); return err == nil && n == 0 })
		slices.Sort(late)
		t.Logf("late: median %v, 99 %% %v, latest %v", late[len(late)/2], late[len(late)*99/100], late[len(late)-1])
		require.Len(t, late, rate*seconds)
		require.Len(t, seen, rate*seconds)
		require.GreaterOrEqual(t, late[0], time.Duration(0))
	})
}

// A transaction of the caller keeps the timer with what else it stores, or neither.
func TestScheduleInATransaction(t *testing.T) {
	where := filepath.Join(t.TempDir(), "timers.db")
	var j journal
	timers := runs(t, where, Options{}, j.run, Policy{})
	conn := otherConn(t, where)
	for _, last := range []string{"ROLLBACK", "COMMIT"} {
		require.NoError(t, execute(conn, "BEGIN IMMEDIATE"))
		made, err := timers.ScheduleTx(t.Context(), ConnTx(conn), New{Kind: "a", ID: last, At: in(0)})
		require.NoError(t, err)
		require.NotZero(t, made.Token)
		require.NoError(t, execute(conn, last))
	}
	eventually(t, func() bool { return j.len() == 1 })
	require.Equal(t, []string{"COMMIT"}, j.ids())
}

func TestScheduleInATransactionOfPgx(t *testing.T) {
	where := postgresURL(t)
	var j journal
	timers := runs(t, where, Options{Look: time.Minute, Lease: 10 * time.Minute}, j.run, Policy{})
	pool := timers.store.store.(*postgresStore).pool
	for _, commit := range []bool{false, true} {
		tx, err := pool.Begin(t.Context())
		require.NoError(t, err)
		id := map[bool]string{true: "yes", false: "no"}[commit]
		_, err = timers.ScheduleTx(t.Context(), PgxTx(tx), New{Kind: "a", ID: id, At: in(0)})
		require.NoError(t, err)
		if commit {
			require.NoError(t, tx.Commit(t.Context()))
		} else {
			require.NoError(t, tx.Rollback(t.Context()))
		}
	}
	eventually(t, func() bool { return j.len() == 1 })
	require.Equal(t, []string{"yes"}, j.ids())
}
