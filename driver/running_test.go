package driver_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
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
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, driver.WithRunning(mode)) }) })
	}
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
		require.Zero(t, d.Stats().Panics)
		require.Empty(t, must.Get(d.Close(context.Background()))(t))
	})
}

// beginnings notes which task began when, in seconds.
type beginnings struct {
	mu    sync.Mutex
	began time.Time
	lines []beginning
}

type beginning struct {
	task   int
	second int
}

func newBeginnings() *beginnings { return &beginnings{began: time.Now()} }

// task returns task number i, which takes the given seconds.
func (j *beginnings) task(i, seconds int) func() {
	return func() {
		j.mu.Lock()
		j.lines = append(j.lines, beginning{i, int(time.Since(j.began) / time.Second)})
		j.mu.Unlock()
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

// inPool runs test in virtual time with a driver that has a pool.
func inPool(t *testing.T, pool driver.Pool, test func(t *testing.T, d *driver.Driver, log *logged)) {
	synctest.Test(t, func(t *testing.T) {
		log := new(logged)
		test(t, start(t, newPlain(), driver.WithRunning(pool), driver.WithLogger(log.logger())), log)
	})
}

// Of six tasks for a pool of one goroutine and a queue of one, the worker waits with one in hand, runs what finds no
// room, or drops, counts and logs it. What it has not taken in hand can still be stopped.
func TestFullPool(t *testing.T) {
	for _, c := range []struct {
		full    driver.FullPolicy
		pending int // after 3 s
		begun   []beginning
		dropped int
	}{
		{driver.WaitForRoom, 3, []beginning{{0, 1}, {1, 11}, {2, 21}, {4, 25}, {5, 29}}, 0},
		{driver.RunInline, 3, []beginning{{0, 1}, {2, 1}, {4, 5}, {5, 9}, {1, 11}}, 0},
		{driver.Drop, 0, []beginning{{0, 1}, {1, 11}}, 4},
	} {
		inPool(t, driver.Pool{Workers: 1, Queue: 1, Full: c.full}, func(t *testing.T, d *driver.Driver, log *logged) {
			j := newBeginnings()
			var timers []driver.Timer
			for i, seconds := range []int{10, 10, 4, 4, 4} {
				timers = append(timers, after(t, d, time.Second, j.task(i, seconds)))
			}
			after(t, d, 2*time.Second, j.task(5, 0))
			pass(3 * time.Second)
			require.Equal(t, c.pending, d.Len())
			for _, timer := range timers[:3] {
				require.False(t, timer.Stop(), "it has begun, also in the queue")
			}
			require.Equal(t, c.pending > 0, timers[3].Stop())
			pass(time.Minute)
			slices.SortFunc(j.lines, func(a, b beginning) int { return cmp.Or(a.second-b.second, a.task-b.task) })
			require.Equal(t, c.begun, j.lines)
			require.Equal(t, uint64(c.dropped), d.Stats().Rejected)
			require.Equal(t, c.dropped, strings.Count(log.String(), "level=WARN msg=\"timer task dropped"))
			require.Equal(t, c.dropped, strings.Count(log.String(), "goroutines=1 queue=1"))
			after(t, d, time.Second, j.task(6, 0))
			pass(time.Second)
			require.Len(t, j.lines, len(c.begun)+1, "there is room again")
			require.NoError(t, second(d.Close(t.Context())), "Close does not wait for what was dropped")
		})
	}
}

// A task that repeats is never dropped: the worker runs it if the pool is full.
func TestPoolNeverDropsWhatRepeats(t *testing.T) {
	inPool(t, driver.Pool{Workers: 1, Full: driver.Drop}, func(t *testing.T, d *driver.Driver, log *logged) {
		j := newBeginnings()
		after(t, d, 500*ms, func() { time.Sleep(time.Hour) })
		r := every(t, d, false, time.Second, j.task(0, 0))
		pass(5*time.Second + 1)
		require.Len(t, j.lines, 5)
		require.True(t, r.Stop())
		require.Zero(t, d.Stats().Rejected)
		require.Empty(t, log.String())
	})
}

// What is in the queue has begun: Close waits for it and does not return it.
func TestCloseWaitsForTheQueueOfAPool(t *testing.T) {
	inPool(t, driver.Pool{Workers: 1, Queue: 3}, func(t *testing.T, d *driver.Driver, _ *logged) {
		j := newBeginnings()
		for i := range 4 {
			after(t, d, time.Second, j.task(i, 10))
		}
		after(t, d, time.Minute, j.task(4, 0))
		pass(2 * time.Second)
		require.Len(t, must.Get(d.Close(context.Background()))(t), 1)
		require.Equal(t, []beginning{{0, 1}, {1, 11}, {2, 21}, {3, 31}}, j.lines)
		require.Equal(t, 41*time.Second, time.Since(j.began))
	})
}

// The goroutines of a pool start with the tasks, as many as there may be, and end with the driver.
func TestPoolStartsGoroutinesAsNeeded(t *testing.T) {
	const ofPool = "created by schedbench/driver.(*pool)"
	inPool(t, driver.Pool{Workers: 3, Queue: 10}, func(t *testing.T, d *driver.Driver, _ *logged) {
		for _, want := range []int{1, 2, 3, 3, 3} {
			after(t, d, time.Second, nothing)
			pass(time.Second)
			require.Equal(t, want, inStacks(ofPool))
		}
		require.NoError(t, second(d.Close(context.Background())))
		synctest.Wait()
		require.Zero(t, inStacks(ofPool))
	})
}

// logged keeps what a logger writes.
type logged struct{ bytes.Buffer }

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// exiting is a handler of logs that ends its goroutine.
type exiting struct{ slog.Handler }

func (exiting) Enabled(context.Context, slog.Level) bool { return true }

func (exiting) Handle(context.Context, slog.Record) error { runtime.Goexit(); return nil }

// No task is lost where the logger ends the goroutine of the worker.
func TestQueuedSurvivesGoexitOfLogger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startQueued(t, newPlainWithin(time.Second), 0, driver.WithLogger(slog.New(exiting{slog.DiscardHandler})))
		after(t, d, time.Second, nothing)
		synctest.Wait()
		fired := 0
		for range 2 {
			far := after(t, d, 2*time.Second, nothing)
			after(t, d, 0, func() { fired++ })
			after(t, d, 0, func() { fired++ })
			synctest.Wait()
			require.Equal(t, driver.Cancelled, far.State())
		}
		require.Equal(t, 4, fired)
		require.NoError(t, second(d.Close(context.Background())))
	})
}
