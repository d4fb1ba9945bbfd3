package driver_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
)

// eachRunning runs test for each way of running tasks, in virtual time.
func eachRunning(t *testing.T, test func(t *testing.T, mode driver.Option)) {
	for name, mode := range map[string]driver.Running{
		"inline": driver.Inline{}, "goroutine": driver.Goroutine{}, "pool": driver.Pool{Workers: 3, Queue: 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, driver.WithRunning(mode)) })
		})
	}
}

func TestGoroutineTasksDoNotDelayEachOther(t *testing.T) {
	live(t, func(t *testing.T, s subject) {
		d := s.start(t, driver.WithRunning(driver.Goroutine{}))
		began := time.Now()
		var fired atomic.Int64
		for range 300 {
			after(t, d, time.Second, func() {
				require.Equal(t, time.Second, time.Since(began))
				fired.Add(1)
				time.Sleep(time.Second)
			})
		}
		pass(time.Second)
		require.Equal(t, int64(300), fired.Load())
	})
}

func TestPanicIsReportedAndSurvived(t *testing.T) {
	eachRunning(t, func(t *testing.T, mode driver.Option) {
		var values []any
		var stacks []string
		d := start(t, newPlain(), mode, driver.WithPanicHandler(func(value any, stack []byte) {
			values, stacks = append(values, value), append(stacks, string(stack))
		}))
		broken := errors.New("broken")
		fired := false
		after(t, d, 1, func() { explode(broken) })
		after(t, d, 2, func() { explode(nil) })
		after(t, d, 3, func() { fired = true })
		pass(3)
		require.True(t, fired)
		require.Len(t, values, 2)
		require.Equal(t, broken, values[0])
		require.IsType(t, new(runtime.PanicNilError), values[1])
		require.Contains(t, stacks[0], "explode", "the stack is that of the panic")
		require.Equal(t, uint64(2), d.Stats().Panics)
		require.Equal(t, uint64(3), d.Stats().Fired)
	})
}

func explode(value any) { panic(value) }

func TestPanicIsLoggedIfAsked(t *testing.T) {
	var log bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(old) })
	synctest.Test(t, func(t *testing.T) {
		d := start(t, newPlain(), driver.WithPanicsLogged())
		after(t, d, 1, func() { explode("broken") })
		pass(1)
	})
	require.Contains(t, log.String(), "level=ERROR")
	require.Contains(t, log.String(), "value=broken")
	require.Contains(t, log.String(), "explode")
}

// The program is this test, run once more.
func TestPanicEndsTheProgram(t *testing.T) {
	const asked = "SCHEDBENCH_TEST_PANIC"
	if os.Getenv(asked) != "" {
		d := start(t, newPlain())
		after(t, d, 1, func() { explode("broken") })
		select {}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestPanicEndsTheProgram$")
	cmd.Env = append(os.Environ(), asked+"=1")
	out, err := cmd.CombinedOutput()
	require.ErrorAs(t, err, new(*exec.ExitError), string(out))
	require.Contains(t, string(out), "panic: broken")
	require.Contains(t, string(out), "explode", "the stack is that of the panic")
}

// A task that ends its goroutine, as t.FailNow does, does not end the worker,
// and does not lose the tasks found due together with it.
func TestGoexitIsSurvived(t *testing.T) {
	eachRunning(t, func(t *testing.T, mode driver.Option) {
		d := start(t, newPlain(), mode)
		var fired atomic.Int64
		for range 10 {
			after(t, d, time.Second, runtime.Goexit)
			after(t, d, time.Second, func() { fired.Add(1) })
		}
		after(t, d, 2*time.Second, func() { fired.Add(1) })
		pass(2 * time.Second)
		require.Equal(t, int64(11), fired.Load())
		require.Equal(t, uint64(10), d.Stats().Exits)
		require.Zero(t, d.Stats().Panics)
		require.Empty(t, must.Get(d.Close(context.Background()))(t))
	})
}
