package harness

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"schedbench/driver"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/live"
	"schedbench/schedulers"
)

// Geometry is what a contestant is made for. A contestant without ticks or slots ignores it.
type Geometry struct {
	Tick    time.Duration
	Horizon time.Duration // how far ahead deadlines will lie; a single wheel needs Horizon/Tick slots
}

// Contestant is something to measure. To measure your own scheduler, add a Contestant to the Plan.
type Contestant struct {
	Name   string                // identifies the contestant in flags, tables and charts
	Family string                // what kind of structure it is, in a few words
	About  string                // one line for the list of contestants
	Fitted func(Geometry) string // what it is made with besides the tick, such as its slots; "" is none. It may be nil
	// New makes a scheduler, to be measured without a clock. It is nil for presets and time.AfterFunc.
	New func(Geometry) (schedulers.Scheduler[uint64], error)
	// Start starts a driver of a scheduler, to be measured against the real clock. The driver's own options
	// come after the given ones. It is nil for a contestant that is only measured without a clock.
	Start func(Geometry, ...driver.Option) (*driver.Driver, error)
	// Open starts timers with their own clock and no driver, such as a library's or a program's, to be
	// measured against the real clock: anything with an AfterFunc and a Stop, as live.Own. Start is nil then.
	Open   func(Geometry) (live.Timers, error)
	Launch func(context.Context) (Process, error) // starts a process that has timers; Start and Open are nil then
	// AddOnly says that the timers of Open cannot be stopped: cells that stop timers leave the contestant out.
	AddOnly bool
	// EarlyByDesign says that its timers may fire before they are due. Early timers are then counted and no error.
	EarlyByDesign bool
	// Notes returns facts for the description of a run with it, such as the version of an original. It may be nil.
	Notes func() []rundata.Param
	// Shard makes one more scheduler like that of Start, for a Sharded driver. It may be nil.
	Shard    func(Geometry) (schedulers.Scheduler[driver.Task], error)
	Runtime  bool // it is time.AfterFunc: no scheduler, but a live contestant
	Baseline bool // it is measured beside the contestants for comparison
	Preset   bool // it behaves as a known system, with its own tick and waking
	// Beside names the contestant that shares its colour: the original of a preset, or the reverse. "" is none.
	Beside         string
	Representative bool // it is the one contestant of cells about the driver. A/A measures it twice
	HasTick        bool // the tick of the Geometry matters
	// LinearInsert says that an insertion takes time in proportion to the pending timers: cells with many leave it out.
	LinearInsert bool
}

// Live reports whether the contestant can run against the real clock.
func (c Contestant) Live() bool { return c.ways() > 0 }

// ways counts how many of Start, Open, Launch and Runtime are set. CheckContestants refuses a contestant with more than
// one.
func (c Contestant) ways() (n int) {
	for _, has := range []bool{c.Start != nil, c.Open != nil, c.Launch != nil, c.Runtime} {
		if has {
			n++
		}
	}
	return n
}

// AsItIs reports whether the contestant keeps its own tick and waking: a preset, or one with Open or Launch.
func (c Contestant) AsItIs() bool { return c.Preset || c.Open != nil || c.Launch != nil }

// Bare reports whether the contestant can be measured without a driver.
func (c Contestant) Bare() bool { return c.New != nil }

// CheckContestants returns an error with a line for each fault: no contestant, one that cannot be made, or a bad name.
func CheckContestants(list []Contestant) error {
	err := check.That(len(list) > 0, "no contestants, want at least one")
	for _, c := range list {
		err = errors.Join(err,
			check.That(check.Named(c.Name, "/"), "contestant name %q, want some letters without a slash or a space", c.Name),
			check.That(!slices.Contains(rundata.Controls(), c.Name), "contestant name %q, want another: a control is called that", c.Name),
			check.That(!strings.HasSuffix(c.Name, rundata.AASuffix), "contestant name %q, want another ending: %s is for A/A", c.Name, rundata.AASuffix),
			check.That(c.New != nil || c.Live(), "contestant %s has none of New, Start, Open and Launch, want a function that makes a scheduler or starts timers", c.Name),
			check.That(c.ways() <= 1, "contestant %s has more than one of Start, Open, Launch and Runtime, want a contestant for each", c.Name))
	}
	return errors.Join(err, check.Repeated("contestant", lists.Each(list, contestantName)))
}

func contestantName(c Contestant) string { return c.Name }

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

// Process is a process that has timers, in another language, say. Each turn launches one. Its own clock says when its
// timers fired; its usage is read from outside.
type Process interface {
	// Warm does ops operations on timers, and fires some: later measurements run compiled code. It leaves nothing behind.
	Warm(ctx context.Context, ops int) error
	// Play plays a slice and judges the answers. It heeds the options Patience and ToTheLast. If Armed is not
	// nil, it collects garbage once the timers pending at the beginning are armed.
	Play(context.Context, *live.Slice, live.Options) (*live.Outcome, error)
	// Fill arms n timers, with deadlines from further on and for an hour.
	Fill(ctx context.Context, n int, further time.Duration, seed uint64) error
	// Replace stops ops timers, drawn at random, and arms others in their place. It returns how long that
	// took by the process's clock, and the number of wrong answers.
	Replace(ctx context.Context, ops int, seed uint64) (took time.Duration, wrong int, err error)
	// Flood arms and stops ops timers, each due ahead, and returns the time that this took. Then it arms a timer with
	// delay, and returns how late that timer fired.
	Flood(ctx context.Context, ops int, ahead, delay time.Duration) (late, took time.Duration, err error)
	// Bytes collects garbage. It returns the bytes left on the heap, without names of timers, and the time it took.
	Bytes(context.Context) (heap float64, collection time.Duration, err error)
	// Usage returns what the process has used so far. ok is false where the system does not say.
	Usage() (u live.Usage, ok bool)
	// Close ends the process.
	Close() error
}
