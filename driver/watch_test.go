package driver

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
	"schedbench/internal/must"
)

// A channel of what was logged.
type channel chan slog.Record

func (c channel) Enabled(context.Context, slog.Level) bool      { return true }
func (c channel) Handle(_ context.Context, r slog.Record) error { c <- r; return nil }
func (c channel) WithAttrs([]slog.Attr) slog.Handler            { return c }
func (c channel) WithGroup(string) slog.Handler                 { return c }
func newLog() (channel, Option)                                 { c := make(channel, 100); return c, WithLogger(slog.New(c)) }

// collected collects garbage until something comes through the channel.
func collected[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	for range 1000 {
		runtime.GC()
		select {
		case v = <-c:
			return v
		case <-time.After(10 * time.Millisecond):
		}
	}
	require.Fail(t, "nothing came")
	return v
}

// use starts a driver, uses it, and lets go of it. What it returns does not keep the driver.
func use(t *testing.T, opt Option, with func(d *Driver)) (c *core, gone <-chan struct{}) {
	d := must.Get(Start(heapsched.New[Task](), opt))(t)
	noted := make(chan struct{}, 1)
	runtime.AddCleanup(d, func(noted chan struct{}) { noted <- struct{}{} }, noted)
	with(d)
	return d.core, noted
}

// A driver that no code can close is reported, once, to its logger; its timers fire all the same.
func TestDroppedDriverIsReported(t *testing.T) {
	log, opt := newLog()
	fired := make(chan struct{}, 2)
	hold := make(chan struct{})
	c, _ := use(t, opt, func(d *Driver) {
		for range 2 {
			armed(t, d, 0, func() { <-hold; fired <- struct{}{} })
		}
	})
	r := collected(t, log)
	require.Equal(t, slog.LevelWarn, r.Level)
	require.Contains(t, r.Message, "dropped without Close")
	close(hold)
	<-fired
	<-fired

	other, optOther := newLog()
	c2, _ := use(t, optOther, func(*Driver) {})
	collected(t, other)
	require.Empty(t, log, "reported once")
	for _, c := range []*core{c, c2} {
		must.Get((&Driver{c}).Close(context.Background()))(t) // only this test can
	}
}

// A timer does not keep its driver, and stops after the driver was dropped.
func TestTimerOutlivesItsDriver(t *testing.T) {
	log, opt := newLog()
	var timer Timer
	c, _ := use(t, opt, func(d *Driver) { timer = armed(t, d, time.Hour, func() {}) })
	collected(t, log)
	require.True(t, timer.Stop())
	must.Get((&Driver{c}).Close(context.Background()))(t)
}

func TestClosedDriverIsNotReported(t *testing.T) {
	log, opt := newLog()
	_, gone := use(t, opt, func(d *Driver) {
		armed(t, d, time.Hour, func() {})
		must.Get(d.Close(context.Background()))(t)
	})
	collected(t, gone)
	later, optLater := newLog()
	c, _ := use(t, optLater, func(*Driver) {})
	collected(t, later) // by now all that was due for the first has run
	require.Empty(t, log)
	must.Get((&Driver{c}).Close(context.Background()))(t)
}

// More than 64 drivers that are open at once are reported, once in a process. The process is this test, run once more.
func TestManyDriversAreReportedOnce(t *testing.T) {
	const asked = "SCHEDBENCH_MANY_DRIVERS"
	if os.Getenv(asked) == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestManyDriversAreReportedOnce$", "-test.v")
		cmd.Env = append(os.Environ(), asked+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS: TestManyDriversAreReportedOnce")
		return
	}
	log, opt := newLog()
	var open []*Driver
	var counts []int
	add := func(n int) {
		for range n {
			open = append(open, must.Get(Start(heapsched.New[Task](), opt))(t))
		}
		counts = append(counts, len(log))
	}
	closeAll := func() {
		for _, d := range open {
			must.Get(d.Close(context.Background()))(t)
		}
		open = nil
	}
	add(64)
	closeAll()
	add(64) // no more than 64 at once
	add(1)
	closeAll()
	add(70)
	closeAll()
	require.Equal(t, []int{0, 0, 1, 1}, counts)
	(<-log).Attrs(func(a slog.Attr) bool { require.Equal(t, "drivers=65", a.String()); return true })
}
