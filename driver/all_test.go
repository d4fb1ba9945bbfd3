package driver_test

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
)

// All lists what is pending and nothing else, with the time that is left and the function that was given. The timers
// that it lists can be stopped and moved.
func TestAllListsWhatIsPending(t *testing.T) {
	live(t, func(t *testing.T, s subject) {
		d := s.start(t)
		require.Empty(t, must.Get(d.All())(t))
		const n = 600
		began := time.Now()
		delays, fired := make([]time.Duration, n), make([][]time.Duration, n)
		timers := make([]driver.Timer, n)
		for i := range timers {
			if i == n/2 {
				synctest.Wait() // half of them have moved out of a queue
			}
			delays[i] = time.Second + rand.N(time.Minute)
			deepDown(rand.N(1000), func() {
				timers[i] = after(t, d, delays[i], func() { fired[i] = append(fired[i], time.Since(began)) })
			})
		}
		after(t, d, time.Second/2, nothing)
		var want []time.Duration
		for i, timer := range timers {
			switch i % 3 {
			case 0:
				require.True(t, timer.Stop())
			case 1:
				delays[i] = time.Second + rand.N(time.Minute)
				require.True(t, reset(t, timer, delays[i]))
				fallthrough
			case 2:
				want = append(want, delays[i]-time.Second)
			}
		}
		pass(time.Second - s.tick)
		time.Sleep(s.tick)
		all := must.Get(d.All())(t)
		require.Len(t, want, d.Len(), "it changes nothing")
		var got []time.Duration
		for i, p := range all {
			got = append(got, p.Remaining)
			p.Func()
			require.Nil(t, p.Repeating)
			if i%2 == 0 {
				require.True(t, reset(t, p.Timer, 2*time.Minute))
			} else {
				require.True(t, p.Timer.Stop())
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, got)
		pass(time.Hour)
		again := 0
		for i, at := range fired {
			if i%3 == 0 {
				require.Empty(t, at, "timer %d", i)
				continue
			}
			require.Equal(t, time.Second, at[0], "timer %d", i)
			for _, at := range at[1:] {
				require.Equal(t, s.rounded(time.Second+2*time.Minute), at)
				again++
			}
		}
		require.Equal(t, len(all)/2, again)
		require.False(t, all[0].Timer.Stop())
	})
}

// A task that repeats is listed with its Repeating, and with the function that was
// given. Its timer cannot be stopped behind the back of the Repeating.
func TestAllListsWhatRepeats(t *testing.T) {
	live(t, func(t *testing.T, s subject) {
		d := s.start(t, driver.WithMaxPending(2))
		var runs atomic.Int64
		r := every(t, d, false, time.Second, func() { runs.Add(1) })
		pass(1500 * ms)
		all := must.Get(d.All())(t)
		require.Len(t, all, 1)
		require.Same(t, r, all[0].Repeating)
		require.Equal(t, 500*ms, all[0].Remaining)
		all[0].Func()
		require.Equal(t, int64(2), runs.Load())
		require.Equal(t, 1, d.Len(), "its function arms nothing")
		require.False(t, all[0].Timer.Stop())
		require.False(t, reset(t, all[0].Timer, time.Minute))
		pass(time.Second)
		require.Equal(t, int64(3), runs.Load())
		require.True(t, all[0].Repeating.Stop())
		require.False(t, r.Stop())
	})
}
