package harness

import "time"

// DefaultPlan returns the plan of a default run, for some contestants: all that does not take
// long, in less than three minutes. It has no workloads and starts no processes, so that
// Profiles, Live and Pause have no cells: see Profiles, LiveProfiles and Start. Any field may be
// changed before Run.
func DefaultPlan(contestants ...Contestant) *Plan {
	return &Plan{
		Experiments: usual(),
		Known:       All(),
		About:       (*Plan).fitted,
		Contestants: contestants,
		Pending:     []int{1_000, 10_000, 100_000, 1_000_000},
		Ticks:       []time.Duration{time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond},
		Delays:      Delays(),
		Ops:         Ops(),
		Goroutines:  []int{1, 2},
		Budget:      165 * time.Second,
		Rounds:      9,
		Epoch:       1200 * time.Microsecond,
		Slice:       400 * time.Millisecond,
		Watch:       700 * time.Millisecond,
		Rate:        1000,
		Burst:       20_000,
		Drain:       100_000,
		Flood:       1_000_000,
		ListCell:    90 * time.Millisecond,
		ReplayLimit: 3 * time.Second,
		Seed:        1,
	}
}

// QuickPlan returns a DefaultPlan with sizes so tiny that all of it takes half a minute, to
// see that it works: hardly anything can be told from its figures.
func QuickPlan(contestants ...Contestant) *Plan {
	p := DefaultPlan(contestants...)
	p.MakeQuick()
	return p
}

// MakeQuick makes the sizes of a plan tiny, and leaves what is asked as it is.
func (p *Plan) MakeQuick() {
	p.Pending = []int{100, 1_000, 10_000}
	p.Ticks = p.Ticks[:3]
	p.Delays = p.Delays[:1]
	p.Blocks, p.Budget, p.Rounds = 2, 0, 1
	p.Epoch, p.Slice, p.Watch = time.Millisecond, 100*time.Millisecond, 100*time.Millisecond
	p.ListCell = 20 * time.Millisecond
	p.Burst, p.Drain, p.Flood = 10_000, 10_000, 10_000
}

// usual returns the experiments that do not take long.
func usual() (names []string) {
	for _, e := range kinds() {
		if !e.OnlyFull {
			names = append(names, e.Name)
		}
	}
	return names
}
