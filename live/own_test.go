package live

import (
	"errors"
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
			moves := func(i int32, delay time.Duration) bool { return must.Get(target.Move(i, delay))(t) }
			require.False(t, target.Stop(0), "it was never armed")
			require.False(t, moves(0, 1), "nor was it then")
			fired := make(chan string, 3)
			for i, task := range []string{"a", "b", "c"} {
				require.NoError(t, target.Arm(int32(i), time.Second, func() { fired <- task }))
			}
			require.True(t, target.Stop(0))
			require.False(t, target.Stop(0))
			require.True(t, moves(1, 3*time.Second))
			time.Sleep(2 * time.Second)
			synctest.Wait()
			require.Equal(t, "c", <-fired)
			require.Empty(t, fired)
			require.False(t, moves(2, time.Second), "it has fired")
			time.Sleep(2 * time.Second)
			synctest.Wait()
			require.Equal(t, "b", <-fired)
			require.Empty(t, fired)
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
