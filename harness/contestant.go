package harness

import (
	"time"

	"schedbench/driver"
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
	// New makes a scheduler, to be measured without a clock. It is nil for a
	// contestant that is none: the standard library's timers, which are known to
	// the harness by Runtime, and presets.
	New func(Geometry) (schedulers.Scheduler[uint64], error)
	// Start starts a driver of a scheduler, to be measured against the real
	// clock: with the given options, and those of its own, if any, after them. It
	// is nil for what is measured without a clock only.
	Start func(Geometry, ...driver.Option) (*driver.Driver, error)
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
func (c Contestant) Live() bool { return c.Runtime || c.Start != nil }

// virtual reports whether the contestant can be measured without a clock that
// moves.
func (c Contestant) virtual() bool { return c.New != nil || c.Runtime }
