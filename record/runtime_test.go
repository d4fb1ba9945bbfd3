package record

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/workload/trace"
)

func ofRuntime(t *testing.T, opts ...Option) (*Runtime, *kept) {
	k := newKept()
	r, err := OfRuntime(k, opts...)
	require.NoError(t, err)
	return r, k
}

// Timers are those of the standard library: what one answers, the other does.
func TestTimersOfTheRuntimeAnswerAsTheyDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, k := ofRuntime(t)
		var mine, theirs atomic.Int64
		a, b := r.AfterFunc(10*ms, func() { mine.Add(1) }), time.AfterFunc(10*ms, func() { theirs.Add(1) })
		random := rand.New(rand.NewPCG(1, 2))
		for range 1000 {
			switch random.IntN(3) {
			case 0:
				require.Equal(t, b.Stop(), a.Stop())
			case 1:
				d := time.Duration(random.IntN(20)) * ms
				require.Equal(t, b.Reset(d), a.Reset(d))
			default:
				time.Sleep(time.Duration(random.IntN(20)) * ms)
				synctest.Wait()
				require.Equal(t, theirs.Load(), mine.Load())
			}
		}
		a.Stop()
		b.Stop()
		require.NoError(t, r.Close())
		require.Positive(t, mine.Load())
		require.EqualValues(t, mine.Load(), count(k.events, trace.Fire))
		checkTrace(t, k.events)
	})
}

func TestWhatTheRuntimeDoesIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, k := ofRuntime(t)
		a := r.AfterFunc(10*ms, nothing)
		b := r.AfterFunc(20*ms, nothing)
		time.Sleep(3 * ms)
		require.True(t, a.Reset(30*ms))
		require.True(t, b.Stop())
		require.False(t, b.Stop())
		time.Sleep(100 * ms)
		require.False(t, a.Stop())
		require.False(t, a.Reset(ms))
		r.AfterFunc(time.Hour, nothing)
		time.Sleep(10 * ms)
		require.NoError(t, r.Close())
		require.NoError(t, r.Close())
		require.False(t, b.Reset(ms), "it is not recorded any more, but goes on")
		time.Sleep(2 * time.Hour)
		require.Equal(t, []trace.Event{
			{At: 0, Delay: 10 * ms, Timer: 0, Kind: trace.Schedule},
			{At: 0, Delay: 20 * ms, Timer: 1, Kind: trace.Schedule},
			{At: 3 * ms, Delay: 30 * ms, Timer: 0, Kind: trace.Reset},
			{At: 3 * ms, Timer: 1, Kind: trace.Cancel},
			{At: 33 * ms, Timer: 0, Kind: trace.Fire},
			{At: 103 * ms, Delay: ms, Timer: 0, Kind: trace.Schedule},
			{At: 103 * ms, Delay: time.Hour, Timer: 1, Kind: trace.Schedule},
			{At: 104 * ms, Timer: 0, Kind: trace.Fire},
		}, k.events)
		require.Equal(t, Counts{Recorded: 8}, r.Counts())
	})
}

func TestARuntimeThatCannotBeRecorded(t *testing.T) {
	_, err := OfRuntime(nil)
	require.ErrorContains(t, err, "no sink")
	_, err = OfRuntime(newKept(), WithRoom(1))
	require.ErrorContains(t, err, "want 64 to")
	synctest.Test(t, func(t *testing.T) {
		r, k := ofRuntime(t)
		k.err = errors.New("disk full")
		r.AfterFunc(ms, nothing)
		time.Sleep(time.Second)
		require.ErrorIs(t, r.Close(), k.err)
	})
}

// Many goroutines share timers that fire at the same time: whatever the order, the trace is
// one of timers.
func TestRecordingTheRuntimeIsSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, k := ofRuntime(t)
		var fired atomic.Int64
		var timers [8]*Timer
		for i := range timers {
			timers[i] = r.AfterFunc(ms, func() { fired.Add(1) })
		}
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(uint64(g), 1))
				for range 2000 {
					switch at := random.IntN(len(timers)); random.IntN(3) {
					case 0:
						timers[at].Stop()
					case 1:
						timers[at].Reset(time.Duration(random.IntN(300)) * time.Microsecond)
					default:
						time.Sleep(time.Duration(random.IntN(100)) * time.Microsecond)
					}
				}
			})
		}
		wg.Wait()
		for _, timer := range timers {
			timer.Stop()
		}
		synctest.Wait()
		require.NoError(t, r.Close())
		checkTrace(t, k.events)
		require.Positive(t, fired.Load())
		require.EqualValues(t, fired.Load(), count(k.events, trace.Fire))
	})
}
