package report

import (
	"math"

	"schedbench/internal/judge"
	"schedbench/internal/words"
)

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

// ofTicks returns what some ticks come to together: of each block the mean of theirs.
func ofTicks(ticks []wakingCost, of []int) judge.Average {
	var blocks []float64
	for block := 0; ; block++ {
		sum, n, more := 0.0, 0.0, false
		for _, i := range of {
			if all := ticks[i].cpu.Blocks; block < len(all) {
				more = true
				if !math.IsNaN(all[block]) {
					sum, n = sum+all[block], n+1
				}
			}
		}
		if !more {
			return judge.Mean(blocks)
		}
		blocks = append(blocks, sum/n) // NaN if none has it
	}
}

// cautionTick warns where a longer tick takes significantly more idle CPU than a shorter one,
// which cannot be.
func (v *view) cautionTick(add func(grave bool, format string, args ...any)) {
	impl := v.subject()
	ticks := v.ticks(impl)
	same, pairs := v.sameIdle(impl), len(ticks)*(len(ticks)-1)/2
	most, short, long := 0.0, 0, 0
	for j := range ticks {
		for i := range j {
			d := judge.Differ(ticks[j].cpu.Blocks, ticks[i].cpu.Blocks, same, judge.Terms{Comparisons: pairs})
			if d.Answer == judge.Slower && d.Value > most {
				most, short, long = d.Value, i, j
			}
		}
	}
	if most > 0 {
		add(false, "idle CPU is not to be trusted: a tick of %s takes %s of a core, one of %s only %s",
			ticks[long].name(), words.Share(ticks[long].cpu.Value), ticks[short].name(), words.Share(ticks[short].cpu.Value))
	}
}
