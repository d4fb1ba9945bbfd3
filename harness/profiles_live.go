package harness

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"schedbench/schedulers"
	"schedbench/workload"
)

const (
	// Operations are done in batches, each a lead ahead of its time, for the reason
	// that jitter cells have: but in shorter ones, since a timer is cancelled after
	// milliseconds.
	liveBatch = 2 * time.Millisecond
	liveLead  = 3 * liveBatch
	// perArming is what arming a timer before the clock starts is taken to cost at
	// most.
	perArming = 2 * time.Microsecond
)

// realTimeCells returns a cell for each workload that is run on the real clock.
func (p *Plan) realTimeCells() (cells []Cell) {
	var runners []runner
	for _, r := range p.tickless() {
		if !r.Preset {
			runners = append(runners, r)
		}
	}
	if len(runners) == 0 {
		return nil
	}
	for _, w := range p.LiveProfiles {
		turn := p.liveSlice() + time.Duration(min(w.Pending, mostLivePending))*perArming + 4*batchEvery
		cells = append(cells, Cell{
			Experiment: Live,
			Name:       "live-" + w.Name,
			Time:       time.Duration(len(runners)*p.LiveRounds) * turn,
			run: func(s *session) (series []*Series, err error) {
				withoutGC(func() { series, err = s.realTime(w, runners) })
				return series, err
			},
		})
	}
	return cells
}

// realTime runs a workload on the real clock with each contestant.
func (s *session) realTime(w workload.Source, runners []runner) ([]*Series, error) {
	sc, err := s.newScene(w)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Name, err)
	}
	var entrants []*entrant
	for _, r := range runners {
		series := newLateSeries(Live, Param{"profile", w.Name}, Param{"impl", r.Name}, Param{"waking", r.waking},
			Param{"tick", w.Tick.String()}, Param{"rate", strconv.FormatFloat(sc.rate(), 'f', 0, 64)},
			Param{"scale", strconv.FormatFloat(sc.scale, 'g', 3, 64)})
		if r.LinearInsert && sc.tooFast() {
			series.Note = fmt.Sprintf("%s: a sorted list cannot do %d insertions into %d pending within %v", GaveUp, sc.inserts, sc.pending, sc.slice)
		}
		entrants = append(entrants, &entrant{series: series, turn: func() (int, map[string]float64, error) {
			return s.realTimeTurn(w, sc, r, series)
		}})
	}
	series, err := interleave(s, s.plan.LiveRounds, entrants)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Name, err)
	}
	for _, one := range series {
		one.settle()
	}
	return series, nil
}

// tooFast reports whether a sorted list would be busy with insertions for more
// than half of the slice.
func (sc *scene) tooFast() bool {
	return time.Duration(sc.inserts)*time.Duration(sc.pending/2)*perVisit > sc.slice/2
}

// settle leaves a series that has a note without figures but for what was
// counted, and notes when nothing was due.
func (s *Series) settle() {
	if s.Note != "" {
		s.Values = map[string][]float64{Fired: make([]float64, len(s.Iterations))}
		return
	}
	if s.Late.TotalCount()+s.Early.TotalCount() == 0 {
		s.Note = NothingDue + " while the clock ran"
		for _, unit := range []string{P50Late, P90Late, P99Late, MaxLate} {
			delete(s.Values, unit)
		}
	}
}

// realTimeTurn runs the scene with one contestant. What the contestant cannot do
// is noted, and the series is out from then on.
func (s *session) realTimeTurn(w workload.Source, sc *scene, r runner, series *Series) (int, map[string]float64, error) {
	if series.Note != "" {
		return 1, nil, nil
	}
	horizon := w.Horizon
	for _, op := range sc.ops {
		horizon = max(horizon, op.Delay)
	}
	d, err := r.start(w.Tick, (&film{w: w, horizon: horizon}).geometry().Horizon)
	if err != nil {
		return s.unable(series, err)
	}
	t := newLiveTurn(sc, armerOf(d, sc.count))
	woken := wakeupsOf(d)
	values, err := t.run(s.ctx, r, series)
	if d != nil {
		if values != nil {
			values[WakeupsPerSecond] = (wakeupsOf(d) - woken) / sc.slice.Seconds()
		}
		err = errors.Join(err, closeDriver(d))
	} else {
		t.stopAll()
	}
	if err != nil {
		return s.unable(series, err)
	}
	return max(len(sc.ops)-sc.begun, 1), values, nil
}

// errBehind means that operations could not be done in time.
var errBehind = errors.New("operations fell behind the clock by more than a second")

// unable notes that a contestant cannot take part, if that is what the error
// says.
func (s *session) unable(series *Series, err error) (int, map[string]float64, error) {
	for _, refusal := range []error{schedulers.ErrBeyondHorizon, schedulers.ErrTick, schedulers.ErrSlots, schedulers.ErrFull} {
		if errors.Is(err, refusal) {
			why := strings.TrimPrefix(err.Error(), series.Get("impl")+": ")
			series.Note = CannotHold + ": " + strings.Join(strings.Fields(why), " ")
			return 1, nil, nil
		}
	}
	if errors.Is(err, errBehind) {
		series.Note = GaveUp + ": " + err.Error()
		return 1, nil, nil
	}
	return 0, nil, fmt.Errorf("%s: %w", series.Name(), err)
}
