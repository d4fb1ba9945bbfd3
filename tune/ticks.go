package tune

import (
	"cmp"
	"math"
	"slices"

	"schedbench/judge"
)

// InTime says whether a lateness, in seconds at the percentile of the requirements,
// keeps the limit; without one anything does.
func (r Requirements) InTime(late judge.Estimate) judge.Finding {
	return keeps(late, r.Lateness.Seconds())
}

// Cheap says whether a CPU share keeps the limit; without one anything does.
func (r Requirements) Cheap(cpu judge.Estimate) judge.Finding { return keeps(cpu, r.CPU) }

// keeps says whether a figure is at most a limit; 0 is none.
func keeps(e judge.Estimate, limit float64) judge.Finding {
	if limit <= 0 {
		return judge.Holds
	}
	return e.Is(judge.AtMost(limit))
}

// PickTick returns which of the ticks of a scheduler is to be taken, of those that meet
// what is asked for, and -1 if there is none: the shortest, which is the least late, of
// which no other is told to take less CPU. So it takes evidence for a tick to be longer.
// CPU shares that differ by no more than same are as good as each other. Where no CPU
// was measured the longest is taken, since it costs the least. O(n²).
func PickTick(met []Measured, same float64) int {
	var costed []int
	for i, m := range met {
		if !math.IsNaN(m.CPU.Value) {
			costed = append(costed, i)
		}
	}
	byTick := func(i, j int) int { return cmp.Compare(met[i].Config.Tick, met[j].Config.Tick) }
	if len(costed) == 0 {
		if len(met) == 0 {
			return -1
		}
		return slices.MaxFunc(indices(met), byTick)
	}
	dear := func(i int) bool { // another is told to take less
		return slices.ContainsFunc(costed, func(j int) bool {
			return j != i && MoreCPU(met[i], met[j], same, pairs(len(costed))).Answer == judge.Slower
		})
	}
	if taken := slices.DeleteFunc(slices.Clone(costed), dear); len(taken) > 0 {
		return slices.MinFunc(taken, byTick)
	}
	// Blocks that are missing may have each told from another.
	return slices.MinFunc(costed, func(i, j int) int { return cmp.Compare(met[i].CPU.Value, met[j].CPU.Value) })
}

// pairs is how many pairs there are of n.
func pairs(n int) int { return n * (n - 1) / 2 }

func indices[T any](list []T) (all []int) {
	for i := range list {
		all = append(all, i)
	}
	return all
}

// MoreCPU compares how much more CPU one takes than another in the same blocks, if so many
// comparisons are made. What differs by no more than same is as good.
func MoreCPU(a, b Measured, same float64, comparisons int) judge.Difference {
	return judge.Differ(a.CPU.Blocks, b.CPU.Blocks, same, judge.Terms{Comparisons: comparisons})
}
