package rundata

import (
	"slices"
	"strings"

	"schedbench/internal/lists"
)

// Burst asks how long it takes until timers have fired that are all due at once.
const Burst = "Burst"

// Controls returns the names that series have which are not of a contestant.
func Controls() []string {
	return []string{EmptyControl, ProcessControl, SleepControl, NothingControl, ClockControl}
}

// The names that series have as their impl where they are not of a contestant.
const (
	EmptyControl   = "empty"   // the empty scheduler: the loop's own cost
	ProcessControl = "process" // the idle process
	SleepControl   = "sleep"   // a bare loop of time.Sleep
	NothingControl = "none"    // nothing pending
	ClockControl   = "clock"   // two readings of the clock with nothing between them

	// AASuffix marks the contestant that is measured twice in each cell that compares
	// some, to show how far apart two measurements of the same thing come out.
	AASuffix = "-again"
)

// Control asks what the instrument itself costs, and whether it reads back what is known.
const Control = "Control"

// Cost asks what single operations cost.
const Cost = "Cost"

// The operations of cost cells.
const (
	OpInsert   = "insert"    // insert into what is pending
	OpPair     = "pair"      // cancel a random pending timer and insert another
	OpReset    = "reset"     // move a random pending timer to another deadline
	OpExpire   = "expire"    // go to the next deadline and take out what is due
	OpTick     = "tick"      // an Expire with nothing due
	OpLivePair = "live-pair" // AfterFunc and Stop through the driver
)

// Ops lists the operations of cost cells. OpLiveReset comes with OpLivePair.
func Ops() []string { return []string{OpPair, OpInsert, OpReset, OpExpire, OpTick, OpLivePair} }

// NearDelays is the distribution of delays with a near horizon.
const NearDelays = "minute"

// Drain asks what it costs to arm timers and have them all run out on the real clock.
const Drain = "Drain"

// Flood asks how late a timer is that is armed right after very many were armed and stopped
// again: whoever puts their removal off may have to do that first.
const Flood = "Flood"

// Idle asks what pending timers cost while nothing happens.
const Idle = "Idle"

// Jitter asks how late timers fire that arrive at random.
const Jitter = "Jitter"

// ShortDelays is the value of the parameter delays of lateness with delays so short that
// many a timer is due before the one for which the worker sleeps.
const ShortDelays = "short"

// The phases of a life of which calls are kept: values of the parameter during of tails.
const (
	DuringGrow   = "grow"   // to all timers
	DuringHold   = "hold"   // their number stays, and time moves on
	DuringShrink = "shrink" // to a tenth
)

// Map asks who is best where: what the whole life of a timer costs, by how many timers are
// pending, which share of them is cancelled, and how far ahead they are due.
//
// A life is a Schedule, and a Cancel or the timer's part of Expire and Next. Time moves as a
// driver moves it that sleeps until a timer is due: see mapped.play.
const Map = "Map"

// Memory asks what pending timers take up, and empty wheels. Timers are weighed in the populations
// of which costs are measured.
const Memory = "Memory"

// HoldingFunctions is the value of the parameter holding of timers that are weighed as a
// program has them: on the real clock, by a driver or the Go runtime, each with a function
// to run. Bare schedulers hold numbers, and their series do not have the parameter.
const HoldingFunctions = "functions"

// Turns of AfterFunc, Stop and Reset on the real clock. Each turn makes a population,
// ages it, times what replaces or moves timers in it, and lets it go, so that only one
// contestant's timers are alive at a time: the garbage collector, which runs as
// it does by default, then works for that contestant alone. See
// docs/decisions/0006.

// OpLiveReset is an operation of cost cells that comes with OpLivePair: Reset through the
// driver.
const OpLiveReset = "live-reset"

// Parallel asks what operations cost that many goroutines do at once.
const Parallel = "Parallel"

// The values of the parameter inbox.
const (
	InboxLocked  = "locked"
	InboxSharded = "sharded"
	InboxQueued  = "queued"
	InboxRuntime = "runtime" // time.AfterFunc: a heap for each processor
)

// Pause asks what becomes of timers when the process is stopped for a while by a signal,
// and the clock goes on. A machine that is suspended is another thing, which is not
// measured: the clock that Go goes by, CLOCK_MONOTONIC on Linux, stands still meanwhile, so
// that nothing comes due and there is nothing to catch up with.
const Pause = "Pause"

// BesideKey is the key in the environment of a run that says who is drawn beside whom:
// original=preset, separated by blanks.
const BesideKey = "beside"

// GeometryKey is the beginning of the keys in the environment of a run that say with which geometry a
// contestant is measured, and Wheels is in place of its name where that is said of all that have ticks.
const GeometryKey, Wheels = "geometry-", "wheels"

// Profiles asks what it costs to replay a workload in virtual time.
const Profiles = "Profiles"

// What is said of a contestant that has no figures: the beginning of its note.
const (
	CannotHold = "cannot hold" // the workload: it refused an operation, or cannot be made
	GaveUp     = "gave up"     // it took too long
	Wrong      = "wrong"       // its answers are not those of the model
	NothingDue = "nothing due" // in the time that was measured
)

// State returns which of these the note of a series begins with, and "" if the
// series has figures.
func (s *Series) State() string {
	for _, state := range []string{CannotHold, GaveUp, Wrong, NothingDue} {
		if strings.HasPrefix(s.Note, state) {
			return state
		}
	}
	return ""
}

// LostKey is the key under which a run names a block whose process died.
const LostKey = "lost"

// The values of the parameter waking. A fixed tick goes by its duration.
const (
	Tickless      = "tickless" // the driver sleeps until something is due
	RuntimeWaking = "runtime"  // as the Go runtime does
	OwnWaking     = "own"      // as a preset does
	NoWaking      = "none"     // a control without a driver
)

// The values of the parameter waiting.
const (
	WaitRuntime = "runtime" // on a timer of the Go runtime, time.AfterFunc's own too
	WaitPrecise = "precise" // on a clock of the system
)

// Experiment describes the series of an experiment.
type Experiment struct {
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

// Experiments are all kinds of series, in the order in which experiments are run and shown.
func Experiments() []Experiment {
	return []Experiment{
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

// ExperimentNames lists the names of all experiments.
func ExperimentNames() []string {
	return lists.Each(Experiments(), func(e Experiment) string { return e.Name })
}

// ExperimentOf returns the kind of series that an experiment of a name has, and none, without a
// name, if there is none.
func ExperimentOf(name string) (e Experiment) {
	if i := slices.IndexFunc(Experiments(), func(e Experiment) bool { return e.Name == name }); i >= 0 {
		e = Experiments()[i]
	}
	return e
}

// Slack asks what it saves to let timers be late, so that one wake-up serves several.
const Slack = "Slack"

// Slow asks what tasks that take long do to the others.
const Slow = "Slow"

// The values of the parameter running.
const (
	RunInline    = "inline"
	RunGoroutine = "goroutine"
	RunPool      = "pool-4"
	RunRuntime   = "runtime" // time.AfterFunc: a goroutine for each
	RunOwn       = "own"     // as a preset does
)

// The values of the parameter task: what a slow task does.
const (
	SlowSleeps = "sleep"
	SlowBurns  = "busy"
)

// The values of the parameter op of tails.
const (
	CallSchedule = "schedule"
	CallCancel   = "cancel"
	CallReset    = "reset"
	CallExpire   = "expire" // one call, with what is due in it
	CallNext     = "next"
)

// Calls lists the operations that are timed call by call.
func Calls() []string {
	return []string{CallSchedule, CallCancel, CallReset, CallExpire, CallNext}
}

// Tails asks how long single calls take, up to the 99.9th percentile: each is timed by itself,
// while timers become many, are replaced, cascade and become few.
const Tails = "Tails"

// Live asks how late timers fire that a workload arms, moves and stops on the real
// clock.
const Live = "Live"
