package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
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
	// and the runner-up are refuted; 0 is 2, and less is none.
	Tries    int
	Progress costs.Progress
}

// Proof is what has become of a choice on the real clock.
type Proof struct {
	// Runs are in the order in which they were made: the pick, the runner-up, and
	// others as far as those were refuted.
	Runs []Proved
	// Final is the run of what is to be taken, nil if there is none: the first that is not
	// told to break a limit, unless another of those is told to take less CPU.
	Final *Proved
	// MoreThanRunnerUp is how much more CPU the pick takes than the runner-up, by rounds,
	// if both were run. Up to Same counts as none, since nobody would notice it.
	MoreThanRunnerUp judge.Difference
	Same             float64
	// Load is what was played, and Scale its part of the workload.
	Load  *Load
	Scale float64
	// Drift is what a wake-up costs now, as a multiple of what it did when the machine
	// was calibrated, by way of waiting.
	Drift map[string]judge.Estimate
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
	drift   func(context.Context, *costs.Calibration) (map[string]judge.Estimate, error)
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
	model, left := NewModel(load, cal), max(cmp.Or(o.Tries, usualTries), 0)
	for next := choice.first(); len(next) > 0; next = choice.next(proof.Runs) {
		runs, err := p.measured(ctx, trial, model, next, choice.Requirements, o.Progress)
		if err != nil {
			return nil, err
		}
		proof.Runs = append(proof.Runs, runs...)
		if slices.ContainsFunc(proof.Runs, notRefuted) || left == 0 {
			break
		}
		left--
	}
	proof.decide(len(choice.first()), choice.Requirements.Worthwhile())
	proof.Notes = append(proof.Notes, sayDrift(proof.Drift, proof.Runs)...)
	proof.Busy = busy.Share()
	if said := costs.SayBusy(proof.Busy, "meanwhile"); said != "" {
		proof.Notes = append(proof.Notes, said)
	}
	if proof.Final == nil {
		proof.Notes = append(proof.Notes, fmt.Sprintf("all of %d configurations broke a limit: "+
			"calibrate anew, on a machine that does nothing else", len(proof.Runs)))
	}
	return proof, nil
}

// measured returns what is predicted and what was measured of configurations in the same
// rounds.
func (p prover) measured(ctx context.Context, trial *Trial, model *Model, configs []catalog.Config, r Requirements, progress costs.Progress) (runs []Proved, err error) {
	all, err := p.measure(ctx, trial, configs, r, progress)
	if err != nil {
		return nil, err
	}
	for i, cfg := range configs {
		one := Proved{Prediction: model.Predict(cfg, r), Measured: all[i]}
		one.Verdict = verdictOf(one.Prediction, one.Measured, r)
		runs = append(runs, one)
	}
	return runs, nil
}

// usualTries is how many more are tried after the pick and the runner-up.
const usualTries = 2

func notRefuted(r Proved) bool { return r.Verdict.Finding() != judge.Fails }

// decide says which of the runs is to be taken, of which so many were made together.
func (p *Proof) decide(together int, worth float64) {
	p.Same = worth
	if together >= 2 {
		p.MoreThanRunnerUp = MoreCPU(p.Runs[0].Measured, p.Runs[1].Measured, worth, 1)
	}
	taken := -1
	for i := range p.Runs {
		if p.Runs[i].Verdict.Kept == judge.Fails {
			continue
		}
		if taken < 0 || p.more(taken, i, together).Answer == judge.Slower {
			taken = i
		}
	}
	if taken >= 0 {
		p.Final = &p.Runs[taken]
	}
}

// more returns how much more CPU one run takes than a later one, of which so many were
// made together.
func (p *Proof) more(i, later, together int) judge.Difference {
	a, b := p.Runs[i].Measured, p.Runs[later].Measured
	if later < together {
		return MoreCPU(a, b, p.Same, 1)
	}
	return judge.DifferApart(a.CPU.Blocks, b.CPU.Blocks, p.Same, judge.Terms{Comparisons: 1})
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

// mostDrift is by how much wake-ups may have become dearer or cheaper, as a factor,
// before it is worth a word.
const mostDrift = 1.25

// sayDrift returns what is to be said of a drift in the ways of waiting that
// configurations use; nothing if it is small, or seems to be.
func sayDrift(drift map[string]judge.Estimate, runs []Proved) (notes []string) {
	for _, waiting := range catalog.Waitings() {
		used := slices.ContainsFunc(runs, func(r Proved) bool { return r.Prediction.Config.Waiting == waiting })
		d, ok := drift[waiting.String()]
		small := judge.Band{Low: 1 / mostDrift, High: mostDrift}
		seems := judge.Estimate{Value: d.Value, Low: d.Value, High: d.Value}
		if !ok || !used || seems.Is(small) == judge.Holds {
			continue
		}
		said := "the machine is not what it was when it was calibrated"
		if d.Is(small) != judge.Fails {
			said = "whether the machine is what it was when it was calibrated cannot be told"
		}
		notes = append(notes, fmt.Sprintf("%s: a wake-up, with %s waiting, costs %.2g times what it did (%.2g to %.2g)",
			said, waiting, d.Value, d.Low, d.High))
	}
	return notes
}
