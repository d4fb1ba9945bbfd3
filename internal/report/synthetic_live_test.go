package report

import (
	"fmt"
	"maps"
	"slices"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

// parallels makes up inboxes of which the sharded one scales and the locked one gets slower with every goroutine.
func (g *synthetic) parallels(impl string) {
	for _, n := range []int{1_000, 100_000} {
		for _, goroutines := range []float64{1, 2, 4, 8} {
			add := func(impl, inbox string, ns float64) {
				g.series(rundata.Parallel, fmt.Sprintf("impl=%s inbox=%s pending=%d goroutines=%g", impl, inbox, n, goroutines),
					map[string]float64{rundata.NsPerOp: ns, rundata.CPUPerOp: ns * 1.5})
			}
			add(impl, rundata.InboxLocked, 80+30*goroutines)
			add(impl, rundata.InboxSharded, 30+70/goroutines)
			add(impl, rundata.InboxQueued, 150+50/goroutines)
			add(catalog.RuntimeTimer, rundata.RuntimeWaking, 100+150/goroutines)
		}
	}
}

// systems makes up presets between the ticks of others.
func (g *synthetic) systems() {
	ticks := map[string]float64{"netty": 100e6, "kafka": 1e6, "jdk-timer": 0}
	for _, name := range slices.Sorted(maps.Keys(ticks)) { // in order: the noise has to be the same each time
		tick := ticks[name]
		g.jitter(name, rundata.PresetWaking, tick)
		cpu := 200e3
		if tick > 0 {
			cpu += 9e3 * 1e9 / tick
		}
		g.series(rundata.Idle, fmt.Sprintf("impl=%s waking=own pending=100000", name),
			map[string]float64{rundata.CPUPerSecond: cpu, rundata.WakeupsPerSecond: 10, rundata.SwitchesPerSecond: 20})
	}
	g.series(rundata.Idle, "impl=time.AfterFunc waking=runtime pending=100000",
		map[string]float64{rundata.CPUPerSecond: 210e3, rundata.WakeupsPerSecond: 0, rundata.SwitchesPerSecond: 20})
}

// waits makes up a precise clock that is ten times as good and costs twice as
// much.
func (g *synthetic) waits(impls ...string) {
	for _, others := range []int{0, 100_000} {
		for _, impl := range append(impls, catalog.RuntimeTimer) {
			g.wait(rundata.Jitter, fmt.Sprintf("impl=%s waking=tickless waiting=runtime rate=1000 pending=%d", impl, others), 60e3, 1e6, 4e7)
			if impl != catalog.RuntimeTimer {
				g.wait(rundata.Jitter, fmt.Sprintf("impl=%s waking=tickless waiting=precise rate=1000 pending=%d", impl, others), 40e3, 1e5, 9e7)
			}
		}
	}
}

func (g *synthetic) wait(experiment, params string, least, spread, cpu float64) {
	g.late(experiment, params, 2_000, func(int) float64 { return least + g.rng.Float64()*spread },
		map[string]float64{rundata.CPUPerSecond: cpu, rundata.WakeupsPerSecond: 1e9 / (1e6 + spread)})
}

// slows makes up what slow tasks do: inline every tenth timer waits up to 10 ms.
func (g *synthetic) slows(impl string) {
	for _, task := range []string{rundata.SlowSleeps, rundata.SlowBurns} {
		for _, running := range []string{rundata.RunInline, rundata.RunGoroutine, rundata.RunPool, rundata.RunRuntime} {
			name := impl
			if running == rundata.RunRuntime {
				name = catalog.RuntimeTimer
			}
			g.late(rundata.Slow, fmt.Sprintf("impl=%s running=%s task=%s rate=1000", name, running, task), 2_000, func(i int) float64 {
				ns := 60e3 + g.rng.Float64()*1e6
				if running == rundata.RunInline && i%10 == 0 {
					ns += g.rng.Float64() * 10e6
				}
				return ns
			}, nil)
		}
	}
}

// bursts makes up timers that run one after the other, at once or over a time.
func (g *synthetic) bursts(impls ...string) {
	for i, impl := range impls {
		each := 100 + 40*float64(i)
		for _, experiment := range []string{rundata.Burst, rundata.Drain} {
			g.late(experiment, fmt.Sprintf("impl=%s waking=tickless pending=100000", impl), 2_000,
				func(k int) float64 { return 500e3 + 50*each*float64(k) },
				map[string]float64{rundata.DoneNs: 500e3 + 50*each*1999, rundata.GapNs: 80e3, rundata.CPUPerTimer: each})
		}
	}
}
