package rundata

import (
	"fmt"
	"math"
	"strings"
)

// Figures beyond these cannot have been measured on any machine.
const (
	mostTime  = 3600e9    // ns: an hour
	mostCPU   = 1024e9    // ns of CPU time a second: 1024 cores
	mostBytes = 1e12      // of a timer, a wheel or a process
	mostRate  = 1e12      // of anything, a second
	mostCount = 1e15      // of timers, operations, work of an operation
	mostSpan  = 1e9 * 1e9 // ns of virtual time: 32 years
)

type bounds struct{ low, high float64 }

// aboveZero is the lower end of what is more than 0.
const aboveZero = math.SmallestNonzeroFloat64

// unitBounds are those of the units of this package: differences may be negative, and lateness 0.
var unitBounds = func() map[string]bounds {
	of := map[string]bounds{}
	add := func(low, high float64, units ...string) {
		for _, unit := range units {
			of[unit] = bounds{low, high}
		}
	}
	add(aboveZero, mostTime, NsPerOp, P50Took, P99Took, P999Took, GCNs)
	add(0, mostTime, KnownNs, CPUPerOp, NotingCPU, GapNs, PausedNs, CatchUpNs, HookLate)
	add(0, mostTime, P50Late, P90Late, P99Late, MaxLate, ArmedP50Late, ArmedP99Late)
	add(-mostTime, mostTime, CPUPerTimer, DoneNs, LateAfter, ReadNs)
	add(0, mostCPU, CPUPerSecond, EmptyCPUPerSecond, ArmingCPU)
	add(aboveZero, mostBytes, BytesPerTimer, ChurnedPerTimer)
	add(0, mostBytes, NamePerTimer, BytesPerWheel)
	add(0, mostRate, WakeupsPerSecond, KicksPerSecond, SwitchesPerSecond, EmptySwitchesPerSecond, WakeupsPerVirtual)
	add(0, mostSpan, VirtualNs)
	add(0, mostCount, VisitsPerOp, MovesPerOp, LevelsPerOp, SlotsPerOp, CascadesPerOp, SweptPerOp, UpkeepPerOp)
	add(0, mostCount, DueMeanwhile, HookFired, Fired, Early, Lost, Doubled, EarlyByDesign, HeldUp, ToHold)
	add(0, mostCount, TotalOps, TotalFired, TotalGranted, TotalRefused, AnswerBits)
	return of
}()

// boundsOf returns what a figure of a unit may be. Of the units of other modules only the end is known.
func boundsOf(unit string) bounds {
	if b, ok := unitBounds[unit]; ok {
		return b
	}
	switch what, per, _ := strings.Cut(unit, "/"); {
	case strings.HasSuffix(what, "cpu-ns") && per == "s":
		return bounds{0, mostCPU}
	case what == "ns" || strings.HasSuffix(what, "-ns"):
		return bounds{-mostTime, mostTime}
	case what == "B" || strings.HasSuffix(what, "-B"):
		return bounds{-mostBytes, mostBytes}
	}
	return bounds{-mostCount, mostCount}
}

// checkFigure returns an error if a figure cannot have been measured: it is no number, or less
// or more than the unit allows.
func checkFigure(unit string, v float64) error {
	switch b := boundsOf(unit); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return fmt.Errorf("%v %s, want a number", v, unit)
	case v < b.low && b.low == aboveZero:
		return fmt.Errorf("%v %s, want more than 0", v, unit)
	case v < b.low:
		return fmt.Errorf("%v %s, want at least %v", v, unit, b.low)
	case v > b.high:
		return fmt.Errorf("%v %s, want at most %v", v, unit, b.high)
	}
	return nil
}
