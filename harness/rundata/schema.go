package rundata

import (
	"slices"
	"strings"

	"schedbench/internal/lists"
)

// The experiments: the first part of the names of their series. Package experiments has them.
const (
	Control  = "Control"  // the cost of the instrument, and its readings of known quantities
	Cost     = "Cost"     // the time of an operation
	Profiles = "Profiles" // the time of a workload in virtual time
	Map      = "Map"      // the time of a timer's whole life, by pending, share cancelled, and horizon
	Parallel = "Parallel" // the time of operations of many goroutines at once
	Tails    = "Tails"    // the time of single calls, up to the 99.9th percentile
	Memory   = "Memory"   // the memory of pending timers, and of empty wheels
	Jitter   = "Jitter"   // the lateness of timers that arrive at random
	Live     = "Live"     // the lateness of a workload's timers on the real clock
	Slow     = "Slow"     // the lateness of timers beside slow tasks
	Burst    = "Burst"    // the time until all of many timers with one deadline have fired
	Drain    = "Drain"    // the CPU time of timers that all fire, on the real clock
	Flood    = "Flood"    // the lateness of a timer that is armed after a million were armed and stopped
	Idle     = "Idle"     // the CPU time while nothing is due
)

// Experiment describes the series of an experiment.
type Experiment struct {
	Name          string // the first part of the names of its series
	OnlyFull      bool   // only a full plan has it, unless it is asked for: it takes long, or decides nothing
	Unit, Control string // the unit to compare contestants by, and the series to subtract before, "" for none
}

// experiments are in the order in which they are run and shown.
var experiments = []Experiment{
	{Name: Control, Unit: NsPerOp},
	{Name: Cost, Unit: NsPerOp, Control: EmptyControl},
	{Name: Profiles, Unit: NsPerOp, Control: EmptyControl},
	{Name: Map, OnlyFull: true, Unit: NsPerOp, Control: EmptyControl},
	{Name: Parallel, Unit: NsPerOp},
	{Name: Tails, OnlyFull: true, Unit: P999Took},
	// Before those where time.AfterFunc starts 100,000 goroutines: what is left of them makes collections 10 times as long.
	{Name: Memory, Unit: BytesPerTimer},
	{Name: Jitter, Unit: P99Late},
	{Name: Live, Unit: P99Late},
	{Name: Slow, Unit: P99Late},
	{Name: Burst, OnlyFull: true, Unit: DoneNs},
	{Name: Drain, OnlyFull: true, Unit: CPUPerTimer},
	{Name: Flood, OnlyFull: true, Unit: LateAfter},
	{Name: Idle, Unit: CPUPerSecond, Control: ProcessControl},
}

// ExperimentNames lists the names of all experiments.
func ExperimentNames() []string {
	return lists.Each(experiments, func(e Experiment) string { return e.Name })
}

// ExperimentOf returns the experiment of a name, and the zero Experiment if no experiment has it.
func ExperimentOf(name string) (e Experiment) {
	if i := slices.IndexFunc(experiments, func(e Experiment) bool { return e.Name == name }); i >= 0 {
		e = experiments[i]
	}
	return e
}

// The values of impl where a series is not a contestant's.
const (
	EmptyControl   = "empty"   // the empty scheduler: the loop's own cost
	ProcessControl = "process" // the idle process
	SleepControl   = "sleep"   // a bare loop of time.Sleep
	NothingControl = "none"    // nothing pending
	ClockControl   = "clock"   // two readings of the clock with nothing between them

	// AASuffix marks the second measurement of a contestant, which shows how far apart two of the same come out.
	AASuffix = "-again"
)

// Controls lists the values of impl that are not contestants.
func Controls() []string {
	return []string{EmptyControl, ProcessControl, SleepControl, NothingControl, ClockControl}
}

// The values of op in Cost. OpLiveReset comes with OpLivePair.
const (
	OpInsert    = "insert"     // insert into what is pending
	OpPair      = "pair"       // cancel a random pending timer and insert another
	OpReset     = "reset"      // move a random pending timer to another deadline
	OpExpire    = "expire"     // go to the next deadline and take out what is due
	OpTick      = "tick"       // an Expire with nothing due
	OpLivePair  = "live-pair"  // AfterFunc and Stop through the driver
	OpLiveReset = "live-reset" // Reset through the driver
)

// Ops lists the operations that a plan can have.
func Ops() []string { return []string{OpPair, OpInsert, OpReset, OpExpire, OpTick, OpLivePair} }

// The values of op in Tails.
const (
	CallSchedule = "schedule"
	CallCancel   = "cancel"
	CallReset    = "reset"
	CallExpire   = "expire" // one call, with what is due in it
	CallNext     = "next"
)

// Calls lists the operations that are timed call by call.
func Calls() []string { return []string{CallSchedule, CallCancel, CallReset, CallExpire, CallNext} }

// The values of during in Tails: the phases of which calls are kept.
const (
	DuringGrow   = "grow"   // to all timers
	DuringHold   = "hold"   // their number stays, and time moves on
	DuringShrink = "shrink" // to a tenth
)

// The values of waking. A fixed tick goes by its duration.
const (
	Tickless      = "tickless" // the driver sleeps until something is due
	RuntimeWaking = "runtime"  // as the Go runtime does
	PresetWaking  = "own"      // as a preset does
	NoWaking      = "none"     // a control without a driver
)

// The values of waiting.
const (
	WaitRuntime = "runtime" // on a timer of the Go runtime, time.AfterFunc's own too
	WaitPrecise = "precise" // on a clock of the system
)

// The values of inbox. A contestant whose driver is not chosen here has the value of its waking.
const (
	InboxLocked  = "locked"
	InboxSharded = "sharded"
	InboxQueued  = "queued"
)

// The values of running.
const (
	RunInline    = "inline"
	RunGoroutine = "goroutine"
	RunPool      = "pool-4"
	RunRuntime   = "runtime" // time.AfterFunc: a goroutine for each
	RunPreset    = "own"     // as a preset does
)

// Values of other parameters.
const (
	SlowSleeps       = "sleep"     // of task: what a slow task does
	SlowBurns        = "busy"      // the same
	NearDelays       = "minute"    // of delay: a near horizon
	ShortDelays      = "short"     // of delays: many a timer is due before the one for which the worker sleeps
	HoldingFunctions = "functions" // of holding: live timers, with a function each; bare schedulers hold numbers
)

// Keys of what is said of a run.
const (
	BesideKey   = "beside"    // which contestants are drawn beside which: original=preset, separated by blanks
	GeometryKey = "geometry-" // with a contestant, or Wheels for all that have ticks: what it was made for
	Wheels      = "wheels"
	LostKey     = "lost"      // a block whose process died
	WorkloadKey = "workload-" // with the name of a workload: how a command line names it, if otherwise
)

// Why a contestant has no figures: the beginning of the note of its series.
const (
	CannotHold = "cannot hold" // the workload: it refused an operation, or cannot be made
	GaveUp     = "gave up"     // it took too long
	Wrong      = "wrong"       // its answers are not those of the model
	NothingDue = "nothing due" // in the time that was measured
)

// State returns which of these the note of a series begins with, and "" if the series has figures.
func (s *Series) State() string {
	for _, state := range []string{CannotHold, GaveUp, Wrong, NothingDue} {
		if strings.HasPrefix(s.Note, state) {
			return state
		}
	}
	return ""
}
