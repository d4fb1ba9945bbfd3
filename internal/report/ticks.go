package report

import (
	"math"
	"slices"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/tune"
	"schedbench/internal/words"
)

type wakingCost struct {
	waking string
	tick   time.Duration // 0 without one
	// late is the 99th percentile of lateness, in seconds, and cpu the share of one core
	// taken while nothing is due, beyond what an idle process takes.
	late, cpu judge.Average
	meets     judge.Finding // whether they keep the limits
}

func (p wakingCost) timed() bool { return !math.IsNaN(p.late.Value) }

func (p wakingCost) costed() bool { return !math.IsNaN(p.cpu.Value) }

// recommended returns the longest tick that keeps the limits, 0 if none does or nothing is required.
func (v *Report) recommended() time.Duration {
	impl, req := v.ticking(), v.opt.Requirement
	if impl == "" || req == (tune.Requirements{}) {
		return 0
	}
	for _, p := range slices.Backward(v.wakingCosts(impl)) {
		if p.tick > 0 && p.meets == judge.Holds {
			return p.tick
		}
	}
	return 0
}

// wakingCosts returns what each waking of a contestant gives: its ticks, ascending, and last the waking without one, if
// that was measured. CPU never grows with the tick.
func (v *Report) wakingCosts(impl string) []wakingCost {
	limits := v.opt.Requirement
	all := v.ticks(impl)
	falling(all)
	if p := v.wakingCost(impl, rundata.Tickless); p.timed() || p.costed() {
		all = append(all, p)
	}
	for i, p := range all {
		all[i].meets = judge.All(limits.InTime(p.late.Estimate), limits.Cheap(p.cpu.Estimate))
	}
	return all
}

// ticks returns what each tick gives as it was measured, ascending.
func (v *Report) ticks(impl string) []wakingCost {
	all := lists.Each(values(v.data.Series, "waking"), func(waking string) wakingCost { return v.wakingCost(impl, waking) })
	return lists.Only(all, func(p wakingCost) bool { return p.timed() || p.costed() })
}

func (v *Report) wakingCost(impl, waking string) wakingCost {
	tick, _ := time.ParseDuration(waking) // 0 without one
	return wakingCost{
		waking: waking, tick: tick,
		late: judge.GeometricMean(inSeconds(v.jitter(impl, waking).Blocks(rundata.P99Late))),
		cpu:  judge.Middle(v.idleBlocks(v.idleSeries(impl, waking, v.idlePending()))),
	}
}

func inSeconds(ns []float64) []float64 {
	return lists.Each(ns, func(v float64) float64 { return v / 1e9 })
}

// sameIdle returns the largest difference of CPU shares of a contestant that counts as none: judge.Imperceptible, or
// what its A/A series differ by if that is more.
func (v *Report) sameIdle(impl string) float64 {
	same := judge.Imperceptible
	for _, waking := range rundata.Distinct(v.data.Select(rundata.Idle, "impl="+impl+rundata.AASuffix), "waking") {
		of := func(impl string) []float64 { return v.idleBlocks(v.idleSeries(impl, waking, v.idlePending())) }
		if d := judge.Differ(of(impl+rundata.AASuffix), of(impl), same, judge.Terms{}); d.Blocks > 0 {
			same = max(same, math.Abs(d.Value))
		}
	}
	return same
}

// falling makes idle CPU fall, or stay, from tick to tick. A longer tick wakes less often, and
// a share that grows is noise: ticks that come out dearer than a shorter one are pooled with it,
// block by block. That is isotonic regression by pooling adjacent violators.
func falling(ticks []wakingCost) {
	type pool struct {
		of  []int // ticks
		cpu judge.Average
	}
	var pools []pool
	for i, p := range ticks {
		if !p.costed() {
			continue
		}
		next := pool{[]int{i}, p.cpu}
		for n := len(pools); n > 0 && pools[n-1].cpu.Value < next.cpu.Value; n-- {
			next.of = append(pools[n-1].of, next.of...)
			next.cpu = ofTicks(ticks, next.of)
			pools = pools[:n-1]
		}
		pools = append(pools, next)
	}
	for _, p := range pools {
		for _, i := range p.of {
			ticks[i].cpu = p.cpu
		}
	}
}

// ofTicks pools ticks: each block is the mean of that block over the ticks.
func ofTicks(ticks []wakingCost, of []int) judge.Average {
	var blocks []float64
	for block := range lists.Most(of, func(i int) int { return len(ticks[i].cpu.Blocks) }) {
		sum, n := 0.0, 0.0
		for _, i := range of {
			if all := ticks[i].cpu.Blocks; block < len(all) && !math.IsNaN(all[block]) {
				sum, n = sum+all[block], n+1
			}
		}
		blocks = append(blocks, sum/n) // NaN if none has it
	}
	return judge.Middle(blocks)
}

// cautionTick warns where a longer tick takes significantly more idle CPU than a shorter one, which cannot be.
func (v *Report) cautionTick(add func(grave bool, format string, args ...any)) {
	impl := v.ticking()
	ticks := v.ticks(impl)
	same, pairs := v.sameIdle(impl), len(ticks)*(len(ticks)-1)/2
	most, short, long := 0.0, 0, 0
	for j := range ticks {
		for i := range j {
			d := judge.Differ(ticks[j].cpu.Blocks, ticks[i].cpu.Blocks, same, judge.Terms{Comparisons: pairs})
			if d.Answer == judge.Slower && d.Value > most && ticks[j].cpu.Value > ticks[i].cpu.Value {
				most, short, long = d.Value, i, j
			}
		}
	}
	if most > 0 {
		add(false, "do not trust idle CPU: a tick of %s takes %s of a core, a tick of %s only %s",
			ticks[long].name(), words.Share(ticks[long].cpu.Value), ticks[short].name(), words.Share(ticks[short].cpu.Value))
	}
}

func (p wakingCost) name() string {
	if p.tick > 0 {
		return words.Span(float64(p.tick))
	}
	return p.waking
}
