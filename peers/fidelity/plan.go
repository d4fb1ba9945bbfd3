package fidelity

import (
	"time"

	"schedbench/harness"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
)

// Plan returns the plan for some contestants, with so many blocks of each cell. A quick one only shows that it works.
func Plan(contestants []harness.Contestant, blocks int, quick bool) *harness.Plan {
	p := &harness.Plan{
		Known: experiments.All(), About: experiments.Geometries,
		Experiments:  []string{rundata.Cost, rundata.Jitter, rundata.Burst, rundata.Flood, rundata.Idle},
		Contestants:  contestants,
		Pending:      []int{few, pending},
		PendingGiven: true,
		Ops:          []string{rundata.OpLivePair},
		Delays:       experiments.Delays()[:1],
		Blocks:       blocks, Rounds: 1,
		Epoch: 20 * time.Millisecond,
		Slice: time.Second,
		Watch: time.Second,
		Rate:  1000,
		Burst: pending,
		Flood: 2_000_000,
		Seed:  1,
	}
	if quick {
		p.Slice, p.Watch, p.Burst, p.Flood = 150*time.Millisecond, 150*time.Millisecond, 10_000, 20_000
	}
	return p
}
