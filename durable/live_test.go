package durable

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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
	onBoth(t, func(t *testing.T, where string) {
		var j journal
		timers := runs(t, where, Options{Lease: 2 * time.Minute}, j.run, Policy{})
		begin := func() (Tx, driver.Tx) {
			tx, err := otherDB(t, where).BeginTx(t.Context(), nil)
			require.NoError(t, err)
			return tx, tx
		}
		if p, is := timers.store.store.(*postgresStore); is {
			begin = func() (Tx, driver.Tx) {
				tx, err := p.pool.Begin(t.Context())
				require.NoError(t, err)
				return PgxTx{tx}, pgxEnd{tx}
			}
		}
		for _, commits := range []bool{false, true} {
			tx, end := begin()
			made, err := timers.ScheduleTx(t.Context(), tx, New{Kind: "a", ID: fmt.Sprint(commits), At: in(0)})
			require.NoError(t, err)
			require.NotZero(t, made.Token)
			if commits {
				require.NoError(t, end.Commit())
			} else {
				require.NoError(t, end.Rollback())
			}
		}
		eventually(t, func() bool { return j.len() == 1 })
		require.Equal(t, []string{"true"}, j.ids())
	})
}

// pgxEnd ends a transaction of pgx as one of database/sql ends.
type pgxEnd struct{ pgx.Tx }

func (tx pgxEnd) Commit() error   { return tx.Tx.Commit(context.Background()) }
func (tx pgxEnd) Rollback() error { return tx.Tx.Rollback(context.Background()) }
