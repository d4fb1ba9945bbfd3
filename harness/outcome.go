package harness

import (
	"errors"
	"io/fs"
	"os"

	"schedbench/harness/rundata"
	"schedbench/internal/quantile"
	"schedbench/live"
)

// AddOutcome returns the figures of a round's timers and adds their lateness to the series: of the timers
// that count, or of all if counts is nil. Timers that fired during a stall are counted and set aside.
func (s *Session) AddOutcome(series *rundata.Series, out *live.Outcome, counts func(timer int32) bool) (rundata.Values, error) {
	stalls, err := s.stallsUpToNow()
	if err != nil {
		return nil, err
	}
	calm, heldUp := out.Calm(stalls)
	values := rundata.Values{
		rundata.Fired: float64(out.Fired), rundata.Early: float64(out.Early), rundata.Lost: float64(out.Lost), rundata.Doubled: float64(out.Doubled),
		rundata.HeldUp: float64(heldUp),
	}
	round := rundata.NewHistogram()
	for _, f := range out.Firings {
		switch late := f.Late(); {
		case late < 0:
			rundata.Record(series.Early, -late)
		case (counts == nil || counts(f.Timer)) && calm(f):
			rundata.Record(round, late)
		}
	}
	series.Late.Merge(round)
	for unit, share := range map[string]float64{rundata.P50Late: 0.5, rundata.P90Late: 0.9, rundata.P99Late: 0.99, rundata.MaxLate: 1} {
		values[unit] = float64(quantile.Of(round, share))
	}
	return values, nil
}

// stallsUpToNow returns when the machine stalled so far: never, if no process watches for them.
func (s *Session) stallsUpToNow() ([]live.Stall, error) {
	f, err := os.Open(s.stalls)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return live.ReadStalls(f)
}
