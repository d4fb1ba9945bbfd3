package harness

import (
	"time"

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
	// About is one line for the list of contestants.
	About string
	// New makes a scheduler. It is nil for a contestant that is not one: the
	// standard library's timers, which are known to the harness by Runtime.
	New func(Geometry) (schedulers.Scheduler[uint64], error)
	// Runtime marks time.AfterFunc: no scheduler, but a live contestant.
	Runtime bool
	// Baseline marks what is measured beside the contestants for comparison.
	Baseline bool
	// HasTick says that the tick of the Geometry matters.
	HasTick bool
	// LinearInsert says that an insertion takes time in proportion to what is
	// pending, so that cells with many pending are left out.
	LinearInsert bool
}

// Live reports whether the contestant can run against the real clock.
func (c Contestant) Live() bool { return c.Runtime || c.New != nil && !c.Baseline }
