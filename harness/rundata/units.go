package rundata

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Totals of the whole replay in Profiles cells, the same in each round.
const (
	WakeupsPerVirtual = "wakeups/virtual-s" // instants expired for each virtual second
	TotalOps          = "total-ops"         // operations replayed
	TotalFired        = "total-fired"       // timers that came out
	TotalGranted      = "total-granted"     // cancellations and resets that found their timer
	TotalRefused      = "total-refused"     // and those that did not
	AnswerBits        = "answer-48bit"      // the lowest 48 bits of the answer's hash
)

// The units of samples. They appear in the data files after each figure.
const (
	NsPerOp = "ns/op" // time of an operation, the loop's own included

	// CPU time of the process, with garbage collection and the driver's worker, where the system says it.
	CPUPerOp    = "cpu-ns/op"           // of an operation
	CPUPerTimer = "cpu-ns/timer"        // of a timer
	NotingCPU   = "noting-cpu-ns/timer" // the part of CPUPerTimer that tasks take to note when they run

	// Work counts for an operation: see schedulers.Work.
	VisitsPerOp   = "visits/op"
	MovesPerOp    = "moves/op"
	LevelsPerOp   = "levels/op"
	SlotsPerOp    = "slots/op"
	CascadesPerOp = "cascades/op"
	SweptPerOp    = "swept/op"
	UpkeepPerOp   = "upkeep/op"

	// Lateness at a percentile, in nanoseconds after the planned deadline.
	P50Late = "p50-ns"
	P90Late = "p90-ns"
	P99Late = "p99-ns"
	MaxLate = "max-ns"

	// How long single calls took, in nanoseconds with one reading of the clock, and garbage collections meanwhile.
	P50Took  = "took-p50-ns"
	P99Took  = "took-p99-ns"
	P999Took = "took-p99.9-ns"

	// How late timers were armed that arrive as planned, and the CPU time of the player, which is not the process's.
	ArmedP50Late = "armed-p50-ns"
	ArmedP99Late = "armed-p99-ns"
	ArmingCPU    = "arming-cpu-ns/s"

	// The course of a burst, in nanoseconds.
	DoneNs = "done-ns" // from the deadline until the last timer has fired
	GapNs  = "gap-ns"  // the longest time in between in which none fired

	LateAfter = "late-after-ns" // the lateness of a timer after a flood

	// Checks of the answers, counts for a round. All but Fired must be 0.
	Fired   = "fired"
	Early   = "early"
	Lost    = "lost"
	Doubled = "doubled"

	HeldUp        = "held-up"       // fired while the machine stalled: their lateness says nothing of a contestant
	EarlyByDesign = "early-by-make" // early timers of a contestant that is early by design. Its Early is 0

	CPUPerSecond      = "cpu-ns/s"  // CPU time of the process for each second
	WakeupsPerSecond  = "wakeups/s" // wake-ups of the driver's worker
	KicksPerSecond    = "kicks/s"   // wake-ups of the worker before the end of its sleep, for an earlier deadline
	SwitchesPerSecond = "ctxsw/s"   // context switches of the process

	// CPU time and context switches of a contestant's own process before it had timers.
	EmptyCPUPerSecond      = "empty-cpu-ns/s"
	EmptySwitchesPerSecond = "empty-ctxsw/s"

	BytesPerTimer   = "B/timer"         // after inserting
	NamePerTimer    = "name-B/timer"    // the handle to stop a timer; the other figures leave it out
	ChurnedPerTimer = "churned-B/timer" // after cancelling and inserting as many again
	BytesPerWheel   = "B/wheel"         // empty
	GCNs            = "gc-ns"           // time of a forced garbage collection

	ToHold = "to-hold" // the pending timers of a cell that a contestant cannot hold

	KnownNs = "known-ns" // what a control was built to cost
	ReadNs  = "read-ns"  // what the harness read
)

// The units of a block's longest Expire of a cascade: its time, the timers due, and those moved to a lower level.
const (
	LongestExpire   = "longest-expire-ns"
	LongestDue      = "longest-expire-due"
	LongestCascaded = "longest-expire-cascaded"
)

// positive are the units whose figures are more than 0.
var positive = []string{NsPerOp, P50Took, P99Took, P999Took, GCNs, BytesPerTimer, ChurnedPerTimer}

// mostOf returns the figure of a unit beyond which nothing can have been measured on any machine, by its suffix.
func mostOf(unit string) float64 {
	switch what, per, _ := strings.Cut(unit, "/"); {
	case unit == "virtual-ns": // a unit of older runs
		return 1e9 * 1e9 // 32 years
	case strings.HasSuffix(what, "cpu-ns") && per == "s":
		return 1024e9 // 1024 cores
	case what == "ns" || strings.HasSuffix(what, "-ns"):
		return 3600e9 // an hour
	case what == "B" || strings.HasSuffix(what, "-B"):
		return 1e12
	}
	return 1e15
}

func checkFigure(unit string, v float64) error {
	switch most := mostOf(unit); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return fmt.Errorf("%v %s, want a number", v, unit)
	case v <= 0 && slices.Contains(positive, unit):
		return fmt.Errorf("%v %s, want more than 0", v, unit)
	case math.Abs(v) > most:
		return fmt.Errorf("%v %s, want at most %v above or below 0", v, unit, most)
	}
	return nil
}
