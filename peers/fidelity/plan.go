package fidelity

import (
	"time"

	"schedbench/harness"
)

// Plan returns what is to be measured of some contestants, with so many blocks of each; a
// quick one shows that it works.
func Plan(contestants []harness.Contestant, blocks int, quick bool) *harness.Plan {
	p := &harness.Plan{
		Experiments: []string{harness.Cost, harness.Jitter, harness.Burst, harness.Flood, harness.Idle},
		Contestants: contestants,
		Pending:     []int{few, Pending},
		Asked:       true,
		Ops:         []string{harness.OpLivePair},
		Delays:      harness.Delays()[:1],
		Blocks:      blocks, Rounds: 1,
		Epoch: 20 * time.Millisecond,
		Slice: time.Second,
		Watch: time.Second,
		Rate:  1000,
		Burst: Pending,
		Flood: 2_000_000,
		Seed:  1,
	}
	if quick {
		p.Slice, p.Watch, p.Burst, p.Flood = 150*time.Millisecond, 150*time.Millisecond, 10_000, 20_000
	}
	return p
}
