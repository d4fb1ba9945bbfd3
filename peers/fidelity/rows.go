package fidelity

import (
	"fmt"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/words"
)

// figure is a figure in which an original and its preset are compared.
type figure struct {
	name    string
	format  words.Format
	of      func(d *rundata.Data, impl string) []float64 // of a contestant, block by block
	same    float64                                      // the difference that counts as none, in the unit of the figure
	nothing bool                                         // it may be zero, and is compared by the difference alone
}

// How many timers are pending, and the second number of them, for costs.
const pending, few = 100_000, 1_000

func figures() []figure {
	read := func(experiment, unit string, params ...string) func(*rundata.Data, string) []float64 {
		return func(d *rundata.Data, impl string) []float64 {
			return blocks(d, experiment, unit, append([]string{"impl=" + impl}, params...)...)
		}
	}
	const micro = float64(time.Microsecond)
	all := []figure{
		{name: "lateness, 50 %", format: words.Nanos, same: 20 * micro, of: read(rundata.Jitter, rundata.P50Late, "delays=", "waiting=")},
		{name: "lateness, 99 %", format: words.Nanos, same: 100 * micro, of: read(rundata.Jitter, rundata.P99Late, "delays=", "waiting=")},
		{name: "timers that fire early", format: words.Percent, same: 0.01, nothing: true, of: early},
		{name: "idle CPU of a core", format: words.Percent, same: judge.Imperceptible, nothing: true, of: func(d *rundata.Data, impl string) []float64 {
			nanos := beyond(d, impl, rundata.CPUPerSecond, rundata.EmptyCPUPerSecond)
			return lists.Each(nanos, func(v float64) float64 { return v * 1e-9 })
		}},
		{name: "context switches when idle", format: words.PerSecond, same: 10, nothing: true, of: func(d *rundata.Data, impl string) []float64 {
			return beyond(d, impl, rundata.SwitchesPerSecond, rundata.EmptySwitchesPerSecond)
		}},
	}
	for _, n := range []int{few, pending} {
		param, count := fmt.Sprintf("pending=%d", n), words.Count(float64(n))+" pending"
		for _, cost := range []struct{ name, unit string }{{"cancel and insert, caller", rundata.NsPerOp}, {"cancel and insert, CPU of the process", rundata.CPUPerOp}} {
			all = append(all, figure{
				name: cost.name + ", " + count, format: words.Nanos, same: 10,
				of: read(rundata.Cost, cost.unit, "op="+rundata.OpLivePair, param),
			})
		}
	}
	return append(all,
		figure{name: "burst, until the last", format: words.Nanos, same: 1000 * micro, of: read(rundata.Burst, rundata.DoneNs)},
		figure{name: "burst, CPU for each timer", format: words.Nanos, same: 10, of: read(rundata.Burst, rundata.CPUPerTimer)},
		figure{name: "after a flood of stopped timers, a timer is late by", format: words.Nanos, same: 100 * micro, of: read(rundata.Flood, rundata.LateAfter)})
}

// blocks returns the figures of the series with the parameters, none without it.
func blocks(d *rundata.Data, experiment, unit string, params ...string) []float64 {
	for _, s := range d.Select(experiment, params...) {
		return s.Blocks(unit)
	}
	return nil
}

// early returns the shares of timers that fired early.
func early(d *rundata.Data, impl string) []float64 {
	params := []string{"impl=" + impl, "delays=", "waiting="}
	shares, fired := blocks(d, rundata.Jitter, rundata.Early, params...), blocks(d, rundata.Jitter, rundata.Fired, params...)
	byDesign := blocks(d, rundata.Jitter, rundata.EarlyByDesign, params...)
	for i := range shares {
		if byDesign != nil {
			shares[i] += byDesign[i]
		}
		shares[i] /= fired[i]
	}
	return shares
}

// beyond returns what a contestant uses when idle beyond its process without timers: its own process, or this one.
func beyond(d *rundata.Data, impl, unit, empty string) []float64 {
	param := fmt.Sprintf("pending=%d", pending)
	own := blocks(d, rundata.Idle, unit, "impl="+impl, param, "waiting=")
	without := blocks(d, rundata.Idle, empty, "impl="+impl, param, "waiting=")
	if without == nil {
		without = blocks(d, rundata.Idle, unit, "impl="+rundata.ProcessControl, param)
	}
	return judge.Net(own, without)
}
