package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/words"
)

// parallels makes up inboxes of which the sharded one scales and the locked one
// gets slower with every goroutine.
func (g *synthetic) parallels(impl string) {
	for _, n := range []int{1_000, 100_000} {
		for _, goroutines := range []float64{1, 2, 4, 8} {
			g.parallel(impl, harness.InboxLocked, n, int(goroutines), 80+30*goroutines)
			g.parallel(impl, harness.InboxSharded, n, int(goroutines), 30+70/goroutines)
			g.parallel(impl, harness.InboxQueued, n, int(goroutines), 150+50/goroutines)
			g.parallel(catalog.RuntimeTimer, harness.InboxRuntime, n, int(goroutines), 100+150/goroutines)
		}
	}
}

func (g *synthetic) parallel(impl, inbox string, n, goroutines int, ns float64) {
	g.series(harness.Parallel, fmt.Sprintf("impl=%s inbox=%s pending=%d goroutines=%d", impl, inbox, n, goroutines),
		map[string]float64{harness.NsPerOp: ns, harness.CPUPerOp: ns * 1.5})
}

// systems makes up presets between the ticks of others.
func (g *synthetic) systems() {
	ticks := map[string]float64{"netty": 100e6, "kafka": 1e6, "jdk-timer": 0}
	for _, name := range slices.Sorted(maps.Keys(ticks)) { // in order: the noise has to be the same each time
		tick := ticks[name]
		g.jitter(name, harness.OwnWaking, tick)
		cpu := 200e3
		if tick > 0 {
			cpu += 9e3 * 1e9 / tick
		}
		g.series(harness.Idle, fmt.Sprintf("impl=%s waking=own pending=100000", name),
			map[string]float64{harness.CPUPerSecond: cpu, harness.WakeupsPerSecond: 10, harness.SwitchesPerSecond: 20})
	}
	g.series(harness.Idle, "impl=time.AfterFunc waking=runtime pending=100000",
		map[string]float64{harness.CPUPerSecond: 210e3, harness.WakeupsPerSecond: 0, harness.SwitchesPerSecond: 20})
}

// waits makes up a precise clock that is ten times as good and costs twice as
// much, and slack that makes it the worse the more.
func (g *synthetic) waits(impls ...string) {
	for _, others := range []int{0, 100_000} {
		for _, impl := range append(impls, catalog.RuntimeTimer) {
			g.wait(harness.Jitter, fmt.Sprintf("impl=%s waking=tickless waiting=runtime rate=1000 pending=%d", impl, others), 60e3, 1e6, 4e7)
			if impl != catalog.RuntimeTimer {
				g.wait(harness.Jitter, fmt.Sprintf("impl=%s waking=tickless waiting=precise rate=1000 pending=%d", impl, others), 40e3, 1e5, 9e7)
			}
		}
	}
	for i, slack := range []float64{0, 1e5, 5e5, 1e6, 5e6} {
		for _, waiting := range []string{harness.WaitRuntime, harness.WaitPrecise} {
			label := "0s"
			if slack > 0 {
				label = words.Span(slack)
			}
			g.wait(harness.Slack, fmt.Sprintf("impl=%s waiting=%s slack=%s rate=1000", impls[0], waiting, label),
				40e3, slack+1e5, 9e7/float64(i+1))
		}
	}
}

func (g *synthetic) wait(experiment, params string, least, spread, cpu float64) {
	late, early := hdrhistogram.New(1, 60e9, 3), hdrhistogram.New(1, 60e9, 3)
	for range 2_000 {
		_ = late.RecordValue(int64(least + g.rng.Float64()*spread))
	}
	values := lateness(late)
	values[harness.CPUPerSecond], values[harness.WakeupsPerSecond] = cpu, 1e9/(1e6+spread)
	s := g.series(experiment, params, values)
	s.Late, s.Early = late, early
}

// slows makes up what slow tasks do: inline every tenth timer waits up to 10 ms.
func (g *synthetic) slows(impl string) {
	for _, task := range []string{harness.SlowSleeps, harness.SlowBurns} {
		for _, running := range []string{harness.RunInline, harness.RunGoroutine, harness.RunPool} {
			g.slow(impl, running, task)
		}
		g.slow(catalog.RuntimeTimer, harness.RunRuntime, task)
	}
}

func (g *synthetic) slow(impl, running, task string) {
	late, early := hdrhistogram.New(1, 60e9, 3), hdrhistogram.New(1, 60e9, 3)
	for i := range 2_000 {
		ns := 60e3 + g.rng.Float64()*1e6
		if running == harness.RunInline && i%10 == 0 {
			ns += g.rng.Float64() * 10e6
		}
		_ = late.RecordValue(int64(ns))
	}
	s := g.series(harness.Slow, fmt.Sprintf("impl=%s running=%s task=%s rate=1000", impl, running, task), lateness(late))
	s.Late, s.Early = late, early
}

// pauses makes up processes that were stopped.
func (g *synthetic) pauses(impls ...string) {
	for i, impl := range impls {
		g.series(harness.Pause, fmt.Sprintf("impl=%s waking=tickless stopped=500ms", impl), map[string]float64{
			harness.PausedNs: 502e6, harness.DueMeanwhile: 500, harness.CatchUpNs: 100e3 * float64(i+1),
			harness.HookLate: 501e6, harness.HookFired: 501,
			harness.Fired: 1500, harness.Early: 0, harness.Lost: 0, harness.Doubled: 0,
		})
	}
}

// bursts makes up timers that run one after the other, at once or over a time.
func (g *synthetic) bursts(impls ...string) {
	for i, impl := range impls {
		each := 100 + 40*float64(i)
		late, early := hdrhistogram.New(1, 60e9, 3), hdrhistogram.New(1, 60e9, 3)
		for k := range 2_000 {
			_ = late.RecordValue(int64(500e3 + 50*each*float64(k)))
		}
		values := lateness(late)
		values[harness.DoneNs], values[harness.GapNs], values[harness.CPUPerTimer] = float64(late.Max()), 80e3, each
		for _, experiment := range []string{harness.Burst, harness.Drain} {
			s := g.series(experiment, fmt.Sprintf("impl=%s waking=tickless pending=100000", impl), values)
			s.Late, s.Early = late, early
		}
	}
}

// lateness returns the values of a made-up histogram, with nothing gone wrong.
func lateness(late *hdrhistogram.Histogram) map[string]float64 {
	return map[string]float64{
		harness.P50Late: float64(late.ValueAtQuantile(50)), harness.P90Late: float64(late.ValueAtQuantile(90)),
		harness.P99Late: float64(late.ValueAtQuantile(99)), harness.MaxLate: float64(late.Max()),
		harness.Fired: 2000, harness.Early: 0, harness.Lost: 0, harness.Doubled: 0, harness.CPUPerSecond: 5e6,
	}
}
