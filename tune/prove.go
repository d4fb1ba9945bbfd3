package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/live"
	"schedbench/tune/costs"
	"schedbench/workload"
)

// ErrNoPick means that there is nothing to prove, since no configuration is
// expected to meet the requirements.
var ErrNoPick = errors.New("no configuration to prove")

// ProveOptions say how a choice is proved.
type ProveOptions struct {
	// For is how long each configuration is run; 0 is 5 s.
	For time.Duration
	// Tries is how many more configurations are run, one after another, if the pick
	// and the runner-up are refuted; 0 is 1, and less is none.
	Tries    int
	Progress costs.Progress
}

// Proof is what has become of a choice on the real clock.
type Proof struct {
	// Runs are in the order in which they were made: the pick, the runner-up, and
	// others as far as those were refuted.
	Runs []Proved
	// Final is the first run that was confirmed and meets the requirements; nil if
	// none was.
	Final *Proved
	// Load is what was played, and Scale its part of the workload.
	Load  *Load
	Scale float64
	// Drift is what a wake-up costs now, as a multiple of what it did when the machine
	// was calibrated, by way of waiting.
	Drift map[string]float64
	// Busy is the share of the machine that other processes took meanwhile.
	Busy float64
	// Notes are to be said beside the figures.
	Notes []string
}

// Proved is a configuration, predicted and measured under the same load: that
// which was played.
type Proved struct {
	Prediction Prediction
	Measured   Measured
	Verdict    Verdict
}

// Verdict says whether a prediction was right.
type Verdict struct {
	// Confirmed says that it was, within the tolerances, and that what was measured
	// meets the requirements.
	Confirmed bool
	// CPUError and LatenessError are by how much the prediction was off, as shares of
	// what was measured: 0.1 is a tenth too high. LatenessError is NaN if no timer
	// fired.
	CPUError, LatenessError float64
	// Why says it in words.
	Why string
}

// ProveChoice plays the workload with the pick and the runner-up of a choice, and
// tells whether what they do is what the model expects of them. If that is
// refuted of both, it tries the next best, as long as Tries are left.
//
// The errors are ErrNoPick, those of NewTrial and of MeasureAll.
func ProveChoice(ctx context.Context, choice *Choice, cal *costs.Calibration, src workload.Source, o ProveOptions) (*Proof, error) {
	return prover{MeasureAll, costs.Drift}.prove(ctx, choice, cal, src, o)
}

// prover proves choices by way of a measurement.
type prover struct {
	measure func(context.Context, *Trial, []catalog.Config, Requirements, costs.Progress) ([]Measured, error)
	drift   func(context.Context, *costs.Calibration) (map[string]float64, error)
}

func (p prover) prove(ctx context.Context, choice *Choice, cal *costs.Calibration, src workload.Source, o ProveOptions) (*Proof, error) {
	if choice.Pick == nil {
		return nil, ErrNoPick
	}
	trial, err := NewTrial(src, choice.Load, TrialOptions{For: o.For})
	if err != nil {
		return nil, err
	}
	load, err := trial.Load(ctx)
	if err != nil {
		return nil, err
	}
	busy := live.WatchOthers()
	proof := &Proof{Load: load, Scale: trial.scale, Notes: slices.Clone(trial.notes)}
	if proof.Drift, err = p.drift(ctx, cal); err != nil {
		return nil, err
	}
	model, left := NewModel(load, cal), max(cmp.Or(o.Tries, 1), 0)
	for next := choice.first(); len(next) > 0; next = choice.next(proof.Runs) {
		measured, err := p.measure(ctx, trial, next, choice.Requirements, o.Progress)
		if err != nil {
			return nil, err
		}
		for i, cfg := range next {
			one := Proved{Prediction: model.Predict(cfg, choice.Requirements), Measured: measured[i]}
			one.Verdict = verdictOf(one.Prediction, one.Measured, choice.Requirements)
			proof.Runs = append(proof.Runs, one)
		}
		if i := slices.IndexFunc(proof.Runs, func(r Proved) bool { return r.Verdict.Confirmed }); i >= 0 {
			proof.Final = &proof.Runs[i]
			break
		}
		if left == 0 {
			break
		}
		left--
	}
	proof.Notes = append(proof.Notes, sayDrift(proof.Drift, proof.Runs)...)
	proof.Busy = busy.Share()
	if said := costs.SayBusy(proof.Busy, "meanwhile"); said != "" {
		proof.Notes = append(proof.Notes, said)
	}
	if proof.Final == nil {
		proof.Notes = append(proof.Notes, fmt.Sprintf("none of %d configurations was confirmed: "+
			"calibrate anew, on a machine that does nothing else", len(proof.Runs)))
	}
	return proof, nil
}

// first returns what is proved first.
func (ch *Choice) first() []catalog.Config {
	list := []catalog.Config{ch.Pick.Config}
	if ch.RunnerUp != nil && ch.RunnerUp.Config != ch.Pick.Config {
		list = append(list, ch.RunnerUp.Config)
	}
	return list
}

// next returns the best that is unlike all that were run: one that differs in its
// size alone will fare no better.
func (ch *Choice) next(runs []Proved) []catalog.Config {
	for _, p := range ch.Ranked {
		if !slices.ContainsFunc(runs, func(r Proved) bool { return alike(r.Prediction.Config, p.Config) }) {
			return []catalog.Config{p.Config}
		}
	}
	return nil
}

func alike(a, b catalog.Config) bool {
	a.Slots = b.Slots
	return a == b
}

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
