package tune

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/judge"
)

// The tolerances of a prediction, as shares of what was measured, and how many
// seconds of lateness are let pass in any case.
const (
	cpuTolerance      = 0.25
	latenessTolerance = 0.20
	latenessLeast     = 150e-6
)

// verdictOf compares a prediction with what was measured. The CPU share may be off by
// cpuTolerance, or by what the measurement cannot tell from noise; lateness by
// latenessTolerance or latenessLeast. What was measured breaks a limit if it does so
// with the whole of its interval.
func verdictOf(p Prediction, m Measured, r Requirements) Verdict {
	if p.Impossible != "" {
		return Verdict{CPUError: math.NaN(), LatenessError: math.NaN(), Why: "refuted: " + p.Impossible}
	}
	v := Verdict{CPUError: p.CPU.Value/m.CPU.Value - 1, LatenessError: p.Lateness.Value/m.Lateness.Value - 1}
	var faults, says []string
	if !judge.Agree(p.CPU.Value, m.CPU.Value, cpuTolerance, m.Resolution) {
		faults = append(faults, fmt.Sprintf("CPU %s where %s was expected", ofACore(m.CPU.Value), ofACore(p.CPU.Value)))
	} else if !judge.Agree(p.CPU.Value, m.CPU.Value, cpuTolerance, 0) {
		says = append(says, fmt.Sprintf("the CPU share cannot be told from noise more exactly than to %s", ofACore(m.Resolution)))
	}
	switch {
	case m.Fired == 0:
		v.LatenessError = math.NaN()
		says = append(says, "no timer fired, so nothing is known of lateness")
	case math.IsInf(m.Lateness.High, 1) && p.Lateness.Value >= m.Lateness.Low:
		says = append(says, fmt.Sprintf("%d timers fired, too few to tell how late they are at that percentile", m.Fired))
	case !judge.Agree(p.Lateness.Value, m.Lateness.Value, latenessTolerance, latenessLeast):
		faults = append(faults, fmt.Sprintf("lateness %s where %s was expected", inUnits(m.Lateness.Value), inUnits(p.Lateness.Value)))
	}
	faults = append(faults, broken(m, r)...)
	v.Confirmed = len(faults) == 0
	verdict := "confirmed"
	if !v.Confirmed {
		verdict, says = "refuted", append(faults, says...)
	}
	v.Why = verdict
	if len(says) > 0 {
		v.Why += ": " + strings.Join(says, "; ")
	}
	return v
}

// broken returns the limits that what was measured does not keep.
func broken(m Measured, r Requirements) (faults []string) {
	if r.Lateness > 0 && m.Lateness.Low > r.Lateness.Seconds() {
		faults = append(faults, fmt.Sprintf("lateness of at least %s, at most %v allowed", inUnits(m.Lateness.Low), r.Lateness))
	}
	if r.CPU > 0 && m.CPU.Low > r.CPU {
		faults = append(faults, fmt.Sprintf("CPU of at least %s, at most %s allowed", ofACore(m.CPU.Low), ofACore(r.CPU)))
	}
	return faults
}

// mostDrift is by how much wake-ups may have become dearer or cheaper, as a factor,
// before it is worth a word.
const mostDrift = 1.25

// sayDrift returns what is to be said of a drift in the ways of waiting that
// configurations use; nothing if it is small.
func sayDrift(drift map[string]float64, runs []Proved) (notes []string) {
	for _, waiting := range catalog.Waitings() {
		used := slices.ContainsFunc(runs, func(r Proved) bool { return r.Prediction.Config.Waiting == waiting })
		if d, ok := drift[waiting.String()]; ok && used && (d > mostDrift || d < 1/mostDrift) {
			notes = append(notes, fmt.Sprintf("the machine is not what it was when it was calibrated: "+
				"a wake-up, with %s waiting, costs %.2g times what it did", waiting, d))
		}
	}
	return notes
}
