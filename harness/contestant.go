package harness

import (
	"context"
	"slices"
	"time"

	"schedbench/driver"
	"schedbench/live"
	"schedbench/schedulers"
)

// Geometry is what a contestant is made for. A contestant without ticks or
// slots ignores it.
type Geometry struct {
	// Tick is the tick duration.
	Tick time.Duration
	// Horizon is how far ahead deadlines will lie; a single wheel needs
	// Horizon/Tick slots.
	Horizon time.Duration
}

// Contestant is something to be measured. To measure a scheduler of your own,
// write one of these and pass it to Run beside the others.
type Contestant struct {
	// Name identifies the contestant in flags, tables and charts.
	Name string
	// Family says what kind of structure it is, in a few words.
	Family string
	// Fitted says what it is made with for a geometry besides the tick, such as its slots; "" is
	// nothing. It may be nil.
	Fitted func(Geometry) string
	// About is one line for the list of contestants.
	About string
	// New makes a scheduler, to be measured without a clock. It is nil for a
	// contestant that is none: the standard library's timers, which are known to
	// the harness by Runtime, and presets.
	New func(Geometry) (schedulers.Scheduler[uint64], error)
	// Start starts a driver of a scheduler, to be measured against the real
	// clock: with the given options, and those of its own, if any, after them. It
	// is nil for what is measured without a clock only.
	Start func(Geometry, ...driver.Option) (*driver.Driver, error)
	// Open starts timers that have a clock of their own and are no driver's, such as a
	// library's or a program's, to be measured against the real clock: anything with an
	// AfterFunc and a Stop, as live.Own. Start is nil then.
	Open func(Geometry) (live.Timers, error)
	// Launch starts a process that has timers, to be measured from outside. Start and Open
	// are nil then.
	Launch func(context.Context) (Process, error)
	// AddOnly says that the timers of Open cannot be stopped: they sit out where stopping is
	// measured.
	AddOnly bool
	// EarlyByMake says that its timers may fire before they are due, since it is made so: that
	// is counted and shown, but not as an error.
	EarlyByMake bool
	// Notes are what else is to be known of a run that it takes part in, such as the version
	// of what it is. It may be nil.
	Notes func() []Param
	// Shard makes one more scheduler like that of Start, for a driver that is
	// Sharded. Without it the contestant is not measured with shards.
	Shard func(Geometry) (schedulers.Scheduler[driver.Task], error)
	// Runtime marks time.AfterFunc: no scheduler, but a live contestant.
	Runtime bool
	// Baseline marks what is measured beside the contestants for comparison.
	Baseline bool
	// Preset marks a scheduler with options that together behave as a known
	// system. It keeps to its own tick and waking.
	Preset bool
	// Beside names the contestant in whose colour it is drawn: of a preset its original, or the
	// other way round. "" is none.
	Beside string
	// StandsForAll marks the one contestant that takes part where the driver is asked about
	// and not the structure, and that is measured twice where noise is: as the others would
	// do, but once.
	StandsForAll bool
	// HasTick says that the tick of the Geometry matters.
	HasTick bool
	// LinearInsert says that an insertion takes time in proportion to what is
	// pending, so that cells with many pending are left out.
	LinearInsert bool
}

// Live reports whether the contestant can run against the real clock.
func (c Contestant) Live() bool {
	return c.Runtime || c.Start != nil || c.Open != nil || c.Launch != nil
}

// asItIs reports whether the contestant keeps to its own tick and its own way of waking: a
// preset, and what is no driver.
func (c Contestant) asItIs() bool { return c.Preset || c.Open != nil || c.Launch != nil }

// bare reports whether the contestant can be measured without a driver.
func (c Contestant) bare() bool { return c.New != nil }

// The names that series have as their impl where they are not of a contestant.
const (
	EmptyControl   = "empty"   // the empty scheduler: the loop's own cost
	ProcessControl = "process" // the idle process
	SleepControl   = "sleep"   // a bare loop of time.Sleep
	NothingControl = "none"    // nothing pending
	ClockControl   = "clock"   // two readings of the clock with nothing between them

	// AgainSuffix marks the contestant that is measured twice in each cell that compares
	// some, to show how far apart two measurements of the same thing come out.
	AgainSuffix = "-again"
)

// withAgain returns contestants and one of them a second time: the one that stands for
// all, or whoever is last.
func withAgain(list []Contestant) []Contestant {
	again := list[secondTime(list, func(c Contestant) bool { return c.StandsForAll })]
	again.Name += AgainSuffix
	return append(list, again)
}

// secondTime returns which of a list is measured twice.
func secondTime[T any](list []T, standsForAll func(T) bool) int {
	if i := slices.IndexFunc(list, standsForAll); i >= 0 {
		return i
	}
	return len(list) - 1
}

// emptyScheduler keeps nothing: what it costs is what the harness adds.
type emptyScheduler struct{ n int }

func (e *emptyScheduler) Schedule(time.Duration, uint64) (schedulers.ID, error) {
	e.n++
	return 1, nil
}
func (e *emptyScheduler) Cancel(schedulers.ID) bool                        { e.n--; return true }
func (e *emptyScheduler) Reset(schedulers.ID, time.Duration) (bool, error) { return true, nil }
func (e *emptyScheduler) Expire(time.Duration, []uint64) int               { return 0 }
func (e *emptyScheduler) Next() (time.Duration, bool)                      { return 0, false }
func (e *emptyScheduler) Len() int                                         { return e.n }

// emptyContestant is the control of all cost cells.
func emptyContestant() Contestant {
	return Contestant{Name: EmptyControl, Baseline: true, New: func(Geometry) (schedulers.Scheduler[uint64], error) {
		return &emptyScheduler{}, nil
	}}
}
