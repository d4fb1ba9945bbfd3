package harness

// The names that series have as their impl where they are not of a contestant.
const (
	EmptyControl   = "empty"   // the empty scheduler: the loop's own cost
	ProcessControl = "process" // the idle process
	SleepControl   = "sleep"   // a bare loop of time.Sleep
	NothingControl = "none"    // nothing pending

	// AgainSuffix marks the contestant that is measured twice in each cell of
	// pairs, to show how far apart two measurements of the same thing come out.
	AgainSuffix = "-again"
)

// JitterHorizon is for how far ahead a scheduler is made of which lateness is
// measured.
const JitterHorizon = jitterHorizon
