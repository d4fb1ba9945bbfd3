package harness

import (
	"context"
	"slices"
	"time"

	"schedbench/driver"
	"schedbench/harness/rundata"
	"schedbench/live"
	"schedbench/schedulers"
)

// Geometry is what a contestant is made for. A contestant without ticks or slots ignores it.
type Geometry struct {
	// Tick is the tick duration.
	Tick time.Duration
	// Horizon is how far ahead deadlines will lie; a single wheel needs Horizon/Tick slots.
	Horizon time.Duration
}

// Contestant is something to measure. To measure your own scheduler, write a Contestant and pass it to Run
// beside the others.
type Contestant struct {
	// Name identifies the contestant in flags, tables and charts.
	Name string
	// Family says what kind of structure it is, in a few words.
	Family string
	// Fitted says what it is made with for a geometry besides the tick, such as its slots; "" is none. It may be nil.
	Fitted func(Geometry) string
	// About is one line for the list of contestants.
	About string
	// New makes a scheduler, to be measured without a clock. It is nil for a contestant without a scheduler:
	// presets, and the standard library's timers, which the harness knows by Runtime.
	New func(Geometry) (schedulers.Scheduler[uint64], error)
	// Start starts a driver of a scheduler, to be measured against the real clock. The driver's own options
	// come after the given ones. Start is nil for a contestant that is only measured without a clock.
	Start func(Geometry, ...driver.Option) (*driver.Driver, error)
	// Open starts timers with their own clock and no driver, such as a library's or a program's, to be
	// measured against the real clock: anything with an AfterFunc and a Stop, as live.Own. Start is nil then.
	Open func(Geometry) (live.Timers, error)
	// Launch starts a process that has timers, to be measured from outside. Start and Open are nil then.
	Launch func(context.Context) (Process, error)
	// AddOnly says that the timers of Open cannot be stopped: cells that stop timers leave the contestant out.
	AddOnly bool
	// EarlyByDesign says that its timers may fire before they are due, by design. Early timers are then
	// counted and shown, but are no error.
	EarlyByDesign bool
	// Notes returns facts for the description of a run with it, such as the version of an original. It may be nil.
	Notes func() []rundata.Param
	// Shard makes one more scheduler like that of Start, for a Sharded driver. Without it the contestant is
	// not measured with shards.
	Shard func(Geometry) (schedulers.Scheduler[driver.Task], error)
	// Runtime marks time.AfterFunc: no scheduler, but a live contestant.
	Runtime bool
	// Baseline marks what is measured beside the contestants for comparison.
	Baseline bool
	// Preset marks a scheduler with options that behave as a known system. It keeps its own tick and waking.
	Preset bool
	// Beside names the contestant that shares its colour: the original of a preset, or the preset of an
	// original. "" is none.
	Beside string
	// Representative marks the one contestant of cells about the driver, where schedulers do not matter. It
	// is also the one that A/A measures twice.
	Representative bool
	// HasTick says that the tick of the Geometry matters.
	HasTick bool
	// LinearInsert says that an insertion takes time in proportion to the pending timers: cells with many leave it out.
	LinearInsert bool
}

// Live reports whether the contestant can run against the real clock.
func (c Contestant) Live() bool {
	return c.Runtime || c.Start != nil || c.Open != nil || c.Launch != nil
}

// AsItIs reports whether the contestant keeps its own tick and waking: a preset, or one with Open or Launch.
func (c Contestant) AsItIs() bool { return c.Preset || c.Open != nil || c.Launch != nil }

// Bare reports whether the contestant can be measured without a driver.
func (c Contestant) Bare() bool { return c.New != nil }

// contestant returns c. WithAA reads and renames the contestants of a list by it.
func (c *Contestant) contestant() *Contestant { return c }

// WithAA returns the participants of a cell, and one of them a second time: the representative, or else the
// last. An empty list stays empty.
func WithAA[T any, P interface {
	*T
	contestant() *Contestant
}](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	i := slices.IndexFunc(list, func(v T) bool { return P(&v).contestant().Representative })
	if i < 0 {
		i = len(list) - 1
	}
	second := list[i]
	P(&second).contestant().Name += rundata.AASuffix
	return append(list, second)
}

// EmptyScheduler keeps nothing: its cost is that of the harness.
type EmptyScheduler struct{ n int }

func (e *EmptyScheduler) Schedule(time.Duration, uint64) (schedulers.ID, error) {
	e.n++
	return 1, nil
}
func (e *EmptyScheduler) Cancel(schedulers.ID) bool                        { e.n--; return true }
func (e *EmptyScheduler) Reset(schedulers.ID, time.Duration) (bool, error) { return true, nil }
func (e *EmptyScheduler) Expire(time.Duration, []uint64) int               { return 0 }
func (e *EmptyScheduler) Next() (time.Duration, bool)                      { return 0, false }
func (e *EmptyScheduler) Len() int                                         { return e.n }

// EmptyContestant is the control of all cost cells.
func EmptyContestant() Contestant {
	return Contestant{Name: rundata.EmptyControl, Baseline: true, New: func(Geometry) (schedulers.Scheduler[uint64], error) {
		return &EmptyScheduler{}, nil
	}}
}
