package live

import (
	"errors"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func needCPUTime(t *testing.T) {
	t.Helper()
	if _, ok := ReadUsage(); !ok {
		t.Skip("the system does not say CPU time")
	}
}

func TestAClockSleepsAndSpins(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	mine := errors.New("mine")
	require.ErrorIs(t, OnThread(func(c *Clock) error {
		for _, wait := range []func(time.Duration){c.SleepUntil, c.SpinUntil} {
			for _, d := range []time.Duration{-ms, 0, spinFor / 2, ms, 30 * ms} {
				at := c.Now() + d
				wait(at)
				require.GreaterOrEqual(t, c.Now()+time.Microsecond, at) // the two clocks are read one after the other
			}
		}
		return mine
	}), mine)
	require.Equal(t, before, runtime.GOMAXPROCS(0))
}

// A garbage collection does not wait for the end of a sleep.
func TestGarbageIsCollectedWhileAThreadSleeps(t *testing.T) {
	require.NoError(t, OnThread(func(c *Clock) error {
		done := make(chan bool)
		go func() { runtime.GC(); close(done) }()
		for at := c.Now(); ; at += 10 * ms {
			c.SleepUntil(at)
			select {
			case <-done:
				return nil
			default:
			}
		}
	}))
}

// What the thread itself burns is not of the others, and what a goroutine burns is.
func TestTheThreadsOwnTimeIsLeftOut(t *testing.T) {
	needCPUTime(t)
	const burnt = 30 * ms
	require.NoError(t, OnThread(func(c *Clock) error {
		others, own := c.OthersCPU(), c.OwnCPU()
		for c.OwnCPU()-own < burnt {
		}
		require.Less(t, c.OthersCPU()-others, burnt)

		others = c.OthersCPU()
		done := make(chan bool)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			began, _ := ThreadCPU()
			for now := began; now-began < burnt; now, _ = ThreadCPU() {
			}
			close(done)
		}()
		<-done
		require.GreaterOrEqual(t, c.OthersCPUSince(others), burnt)
		require.Zero(t, c.OthersCPUSince(c.OthersCPU()+time.Second), "of a reading that was ahead")
		return nil
	}))
}

func TestWithoutGC(t *testing.T) {
	before := debug.SetGCPercent(50)
	defer debug.SetGCPercent(before)
	WithoutGC(func() { require.Equal(t, -1, debug.SetGCPercent(-1)) })
	require.Equal(t, 50, debug.SetGCPercent(50))
}

func TestTheTimeOfOtherProcessesIsAShare(t *testing.T) {
	share := WatchOthers()()
	require.GreaterOrEqual(t, share, 0.0)
	require.LessOrEqual(t, share, 1.0)

	needCPUTime(t)
	before := ownCPU()
	require.NoError(t, exec.Command("sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done").Run())
	require.Greater(t, childrenCPU(), time.Duration(0), "what it has started is no other")
	require.Greater(t, ownCPU()-before, time.Millisecond)
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
