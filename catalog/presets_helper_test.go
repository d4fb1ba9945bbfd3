package catalog

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"schedbench/driver"
	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	ms  = time.Millisecond
	sec = time.Second
)

// with returns a system with another Config.
func with(s System, change func(*Config)) System {
	change(&s.Config)
	return s
}

func upTo(d time.Duration) func(time.Duration) time.Duration {
	return func(time.Duration) time.Duration { return d }
}

func latenessOfLinux(delay time.Duration) time.Duration {
	w, err := hierwheel.NewNoCascade[driver.Task](linuxTick, linuxSlots, linuxCoarser)
	if err != nil {
		panic(err)
	}
	return w.Lateness(delay) - 1
}

// latest is how late the timers of each preset are at most if nothing holds them up.
var latest = map[string]func(delay time.Duration) time.Duration{
	"netty": upTo(NettyTick), "dubbo": upTo(dubboTick), "business-wheel": upTo(NettyTick),
	"kafka": upTo(kafkaTick - 1), "tokio-like": upTo(tokioTick - 1), "linux-like": latenessOfLinux,
	"netty-schedule": upTo(0), "jdk-executor": upTo(0), "jdk-executor-remove": upTo(0), "jdk-timer": upTo(2*jdkTimerClock - 1),
	"nats": upTo(natsLeast),
}

var (
	jdkOneThread = with(jdkExecutor, func(c *Config) { c.Running = driver.Pool{Workers: 1, Full: driver.WaitForRoom} })

	everyPreset = []System{netty, dubbo, businessWheel, kafka, tokio, linux, nettySchedule, jdkExecutor, jdkExecutorRemove, jdkTimer, nats}
	queued      = []System{netty, dubbo, businessWheel, nettySchedule}
	inline      = append(queued[:len(queued):len(queued)], linux, jdkTimer, nats)
)

// bench is a preset that runs in virtual time until its test ends.
type bench struct {
	*driver.Driver
	t     *testing.T
	s     schedulers.Scheduler[driver.Task] // not to be touched while the worker may be awake
	began time.Time
}

// begin starts the driver of a preset, with a scheduler that can be looked at.
func begin(t *testing.T, p System) *bench {
	t.Helper()
	s := must.Get(New[driver.Task](p.Config))(t)
	d := must.Get(driver.Start(s, p.Config.options()...))(t)
	t.Cleanup(func() { d.Close(context.Background()) })
	return &bench{d, t, s, time.Now()}
}

// open starts a preset as its users do.
func open(t *testing.T, p System, opts ...driver.Option) *bench {
	t.Helper()
	d := must.Get(p.Start(opts...))(t)
	t.Cleanup(func() { d.Close(context.Background()) })
	return &bench{d, t, nil, time.Now()}
}

func (l *bench) after(delay time.Duration, f func()) driver.Timer {
	l.t.Helper()
	return must.Get(l.AfterFunc(delay, f))(l.t)
}

func (l *bench) now() time.Duration { return time.Since(l.began) }

func (l *bench) work() schedulers.Work {
	defer l.looked()
	return l.s.(schedulers.Meter).Work()
}

// inside returns how many are pending in the scheduler itself.
func (l *bench) inside() int {
	defer l.looked()
	return l.s.Len()
}

// looked takes the lock of the worker, so that what it does from here on comes after what the test has seen.
func (l *bench) looked() { l.All() }

// instants collects when tasks began. Tasks may share it.
type instants struct {
	l    *bench
	mu   sync.Mutex
	list []time.Duration
}

func (l *bench) instants() *instants { return &instants{l: l} }

func (i *instants) note() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.list = append(i.list, i.l.now())
}

func (i *instants) all() []time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.list)
}

// pass lets virtual time go by, and then everything due run.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// each runs a test for presets, as opened or begun does.
func each(t *testing.T, presets []System, run func(*testing.T, System, func(*testing.T, *bench)), test func(t *testing.T, l *bench)) {
	t.Helper()
	for _, p := range presets {
		t.Run(p.Name, func(t *testing.T) { run(t, p, test) })
	}
}

// opened and begun run a test of a preset in virtual time, as open and begin start it.
func opened(t *testing.T, p System, test func(t *testing.T, l *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, open(t, p)) })
}

func begun(t *testing.T, p System, test func(t *testing.T, l *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, begin(t, p)) })
}

func nothing() {}

// logger writes to log, which may be read when all goroutines of a bubble wait.
func logger(log *bytes.Buffer) *slog.Logger { return slog.New(slog.NewTextHandler(log, nil)) }

// logged has slog's default logger write to a buffer until the test ends.
func logged(t *testing.T) *bytes.Buffer {
	t.Helper()
	var log bytes.Buffer
	old := slog.Default()
	slog.SetDefault(logger(&log))
	t.Cleanup(func() { slog.SetDefault(old) })
	return &log
}

// stopOneThatRefers makes a timer whose task refers to something, stops it, and returns a weak pointer to that.
//
//go:noinline
func (l *bench) stopOneThatRefers(delay time.Duration) weak.Pointer[[1000]int] {
	big := new([1000]int)
	timer := l.after(delay, func() { big[0]++ })
	synctest.Wait()
	require.True(l.t, timer.Stop())
	return weak.Make(big)
}

func kept(p weak.Pointer[[1000]int]) bool {
	runtime.GC()
	return p.Value() != nil
}
