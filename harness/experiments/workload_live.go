package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/live"
	"schedbench/schedulers"
	"schedbench/workload"
)

func liveSlice(p *harness.Plan) time.Duration { return cmp.Or(p.LiveSlice, p.Slice/2) }

func init() {
	register(harness.Experiment{Name: rundata.Live, Cells: workloadLiveCells, Reads: "profiles"})
}

func workloadLiveCells(p *harness.Plan) (cells []harness.Cell) {
	variants := withAA(stoppable(p))
	for _, w := range p.LiveProfiles {
		cell := harness.Cell{Experiment: rundata.Live, Name: "live-" + w.Name, NoGC: true, Abreast: latenessAbreast}
		turn := liveSlice(p) + 2*time.Duration(min(w.Pending, live.MostPending))*burstPerTimer + 2*aroundPlay
		cells = append(cells, shared{cell, variants, turn, func(s *harness.Session) (func(variant) *harness.Turns, error) { return workloadLive(s, w) }}.cells(p)...)
	}
	return cells
}

func workloadLive(s *harness.Session, w workload.Source) (func(variant) *harness.Turns, error) {
	sl, scale, err := liveSliceOf(s, w)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Name, err)
	}
	return func(r variant) *harness.Turns {
		series := rundata.NewSeries(rundata.Live, "profile", w.Name, "impl", r.Name, "waking", r.waking, "tick", w.Tick,
			"rate", strconv.FormatFloat(sl.Rate(), 'f', 0, 64), "scale", strconv.FormatFloat(scale, 'g', 3, 64))
		if r.LinearInsert {
			series.Note = tooManyInserts(sl)
		}
		return &harness.Turns{
			Series:  series,
			Turn:    func(int) (int, rundata.Values, error) { return workloadTurn(s, w, sl, r, series) },
			Finish:  func() error { noteNothingDue(series); return nil },
			Without: rundata.Values{rundata.Fired: 0},
		}
	}, nil
}

// liveSliceOf returns the slice of a workload that is played, from its steady state on, and its scale, at most 1.
func liveSliceOf(s *harness.Session, w workload.Source) (sl *live.Slice, scale float64, err error) {
	for scale = 1; ; {
		part := live.Part{
			Open: func() (workload.Stream, error) { return w.Open(workload.Options{Scale: scale}) },
			From: w.Steady, Length: liveSlice(s.Plan),
		}
		if sl, err = part.Slice(s.Ctx); err != nil {
			return nil, 0, err
		}
		less := live.Scale(sl.Rate(), float64(len(sl.Pending)))
		if scale < 1 || less == 1 || !w.Scalable {
			return sl, scale, nil
		}
		scale = less
	}
}

func tooManyInserts(sl *live.Slice) string {
	inserts, pending := 0, len(sl.Pending)
	for _, op := range sl.Ops {
		if op.Kind != workload.Cancel {
			inserts++
		}
	}
	if time.Duration(inserts)*time.Duration(pending/2)*perVisit <= sl.Length/2 {
		return ""
	}
	return fmt.Sprintf("%s: a sorted list cannot do %d insertions into %d pending within %v", rundata.GaveUp, inserts, pending, sl.Length)
}

func noteNothingDue(s *rundata.Series) {
	if s.Note == "" && s.Late.TotalCount()+s.Early.TotalCount() == 0 {
		s.Note = rundata.NothingDue + " while the clock ran"
		for _, unit := range []string{rundata.P50Late, rundata.P90Late, rundata.P99Late, rundata.MaxLate} {
			delete(s.Values, unit)
		}
	}
}

// workloadTurn plays the slice with one contestant. A contestant that cannot do that is noted, and out from then on.
func workloadTurn(s *harness.Session, w workload.Source, sl *live.Slice, r variant, series *rundata.Series) (int, rundata.Values, error) {
	start := func(horizon time.Duration) (live.Target, error) {
		return r.target(w.Tick, replayGeometry(w.Tick, max(w.Horizon, horizon)).Horizon, sl.Timers)
	}
	out, values, err := play(s, r, series, sl, start, live.Options{Sorted: r.LinearInsert, Patience: r.patience()}, nil)
	if err != nil {
		return 1, nil, unable(series, err)
	}
	r.addRates(values, out)
	return max(len(sl.Ops), 1), values, nil
}

// unable notes that a contestant cannot run the slice, if the error says so; else it returns the error.
func unable(series *rundata.Series, err error) error {
	for _, refusal := range []error{schedulers.ErrBeyondHorizon, schedulers.ErrTick, schedulers.ErrSlots, schedulers.ErrFull} {
		if errors.Is(err, refusal) {
			series.Note = rundata.CannotHold + ": " + oneLine(err.Error())
			return nil
		}
	}
	if errors.Is(err, live.ErrBehind) {
		series.Note = rundata.GaveUp + ": " + err.Error()
		return nil
	}
	return err
}
