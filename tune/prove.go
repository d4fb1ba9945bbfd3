package tune

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"schedbench/catalog"
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
	// and the runner-up are refuted; 0 is 2, and less is none.
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
	proof := &Proof{Load: load, Scale: trial.Scale(), Notes: slices.Clone(trial.Notes())}
	if proof.Drift, err = p.drift(ctx, cal); err != nil {
		return nil, err
	}
	model, left := NewModel(load, cal), o.tries()
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
		if proof.confirm() || left == 0 {
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

// tries returns how many more configurations may be run.
func (o ProveOptions) tries() int {
	if o.Tries == 0 {
		return 1
	}
	return max(o.Tries, 0)
}

// confirm looks for a run that was confirmed.
func (p *Proof) confirm() bool {
	for i := range p.Runs {
		if p.Final == nil && p.Runs[i].Verdict.Confirmed {
			p.Final = &p.Runs[i]
		}
	}
	return p.Final != nil
}

// first returns what is proved firtrial.
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
	a.Slots, b.Slots = 0, 0
	return a == b
}
