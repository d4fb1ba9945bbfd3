package harness

import "slices"

// Kind describes the series of an experiment.
type Kind struct {
	// Name is the first part of the names of its series.
	Name string
	// OnlyFull says that it takes long, and is left to a plan of everything unless it
	// is asked for.
	OnlyFull bool
	// Lateness says that its series have histograms of how late and how early timers
	// fired.
	Lateness bool
	// Durations says that its series have histograms of how long single calls took.
	Durations bool
	// Unit is that of the samples by which contestants are compared, and Control names
	// the series whose samples are taken off theirs before, if there is one.
	Unit, Control string
}

// kinds are all kinds of series, in the order in which experiments are run and shown.
func kinds() []Kind {
	return []Kind{
		{Name: Control, Unit: NsPerOp},
		{Name: Cost, Unit: NsPerOp, Control: EmptyControl},
		{Name: Profiles, Unit: NsPerOp, Control: EmptyControl},
		{Name: Map, OnlyFull: true, Unit: NsPerOp, Control: EmptyControl},
		{Name: Parallel, Unit: NsPerOp},
		{Name: Tails, Durations: true, Unit: P999Took},
		// Before those in which time.AfterFunc starts goroutines by the hundred thousand: the
		// runtime keeps what is left of them, and each collection takes ten times as long.
		{Name: Memory, Unit: BytesPerTimer},
		{Name: Jitter, Lateness: true, Unit: P99Late},
		{Name: Live, Lateness: true, Unit: P99Late},
		{Name: Slow, Lateness: true, Unit: P99Late},
		{Name: Burst, Lateness: true, Unit: DoneNs},
		{Name: Drain, OnlyFull: true, Lateness: true, Unit: CPUPerTimer},
		{Name: Flood, OnlyFull: true, Unit: LateAfter},
		{Name: Pause, OnlyFull: true, Unit: CatchUpNs},
		{Name: Slack, OnlyFull: true, Lateness: true, Unit: CPUPerSecond},
		{Name: Idle, Unit: CPUPerSecond, Control: ProcessControl},
	}
}

// Experiments lists the names of all experiments.
func Experiments() []string {
	return each(kinds(), func(e Kind) string { return e.Name })
}

// ExperimentOf returns the kind of series that an experiment of a name has, and none, without a
// name, if there is none.
func ExperimentOf(name string) (e Kind) {
	if i := slices.IndexFunc(kinds(), func(e Kind) bool { return e.Name == name }); i >= 0 {
		e = kinds()[i]
	}
	return e
}
