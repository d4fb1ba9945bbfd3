package live

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// What is played has the same effect as with the timers of the standard library.
func TestOwnTimersByNumber(t *testing.T) {
	after := func(d time.Duration, f func()) (*time.Timer, error) { return time.AfterFunc(d, f), nil }
	synctest.Test(t, func(t *testing.T) {
		for _, target := range []Target{OnTimers(Own[*time.Timer]{Start: after}, 3), On(nil, 3)} {
			var mu sync.Mutex
			fired := ""
			run := func(task string) {
				mu.Lock()
				defer mu.Unlock()
				fired += task
			}
			so := func() string {
				synctest.Wait()
				mu.Lock()
				defer mu.Unlock()
				return fired
			}
			require.False(t, target.Stop(0), "it was never armed")
			moved := must.Get(target.Move(0, 1))(t)
			require.False(t, moved, "nor was it then")
			for i, task := range []string{"a", "b", "c"} {
				require.NoError(t, target.Arm(int32(i), time.Second, func() { run(task) }))
			}
			require.True(t, target.Stop(0))
			require.False(t, target.Stop(0))
			moved = must.Get(target.Move(1, 3*time.Second))(t)
			require.True(t, moved)
			time.Sleep(2 * time.Second)
			require.Equal(t, "c", so())
			moved = must.Get(target.Move(2, time.Second))(t)
			require.False(t, moved, "it has fired")
			time.Sleep(2 * time.Second)
			require.Equal(t, "cb", so())
			require.NoError(t, target.Close())
		}
	})
}

func TestOwnTimersThatFail(t *testing.T) {
	broken := errors.New("broken")
	own := Own[*time.Timer]{
		Start: func(time.Duration, func()) (*time.Timer, error) { return nil, broken },
		End:   func() error { return broken },
	}
	timer, err := own.AfterFunc(0, nil)
	require.ErrorIs(t, err, broken)
	require.Nil(t, timer, "and not a Timer that holds nil")
	require.ErrorIs(t, own.Close(), broken)
}
