package tune

import "schedbench/judge"

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

// MoreCPU compares how much more CPU one takes than another in the same blocks, if so many
// comparisons are made. What differs by no more than same is as good.
func MoreCPU(a, b Measured, same float64, comparisons int) judge.Difference {
	return judge.Differ(a.CPU.Blocks, b.CPU.Blocks, same, judge.Terms{Comparisons: comparisons})
}
