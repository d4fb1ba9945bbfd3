package harness

import (
	"errors"
	"fmt"
	"strings"

	"schedbench/replay"
	"schedbench/schedulers"
	"schedbench/workload"
)

// actor is a contestant that replays a film.
type actor struct {
	s       *session
	f       *film
	c       Contestant
	series  *Series
	player  *replay.Player // nil if there is no scheduler
	control bool           // its answers mean nothing
	wakeups uint64         // before the first slice
	right   uint64         // operations to which the answers are known to be right
}

// newActor makes a contestant's scheduler. One that cannot be made has a note.
func (s *session) newActor(f *film, c Contestant) (*actor, error) {
	a := &actor{s: s, f: f, c: c, control: c.Name == EmptyControl, series: &Series{
		Experiment: Profiles,
		Params:     []Param{{"profile", f.w.Name}, {"impl", c.Name}, {"tick", f.w.Tick.String()}},
	}}
	scheduler, err := f.scheduler(c)
	if err != nil {
		a.note(err.Error())
		return a, nil
	}
	a.player, err = replay.NewPlayer(scheduler, f.w.Tick)
	if err == nil {
		a.player.Limit(s.plan.replayLimit(c))
	}
	return a, err
}

// out reports whether the contestant is out of the contest.
func (a *actor) out() bool { return a.series.Note != "" }

// note says why the contestant is out. It is one line.
func (a *actor) note(why string) { a.series.Note = strings.Join(strings.Fields(why), " ") }

// play replays what the film shows, unless the contestant is out. An error is
// not of the contestant's making.
func (a *actor) play() error {
	if a.out() {
		return nil
	}
	return a.judge(a.player.Play(a.s.ctx, a.f.ops))
}

// runOut runs out what is pending after the end.
func (a *actor) runOut() error {
	if a.out() {
		return nil
	}
	if limit := a.s.plan.replayLimit(a.c); limit > 0 { // as long once more: the samples are taken
		a.player.Limit(a.player.Took() + limit)
	}
	return a.judge(a.player.RunOut(a.s.ctx))
}

// judge makes a note of what has become of a contestant, from the error of its
// replay and its answer. What is left are errors that are not of its making.
func (a *actor) judge(err error) error {
	var late *replay.GaveUp
	switch {
	case err == nil:
		if a.control || a.player.Answer() == a.f.want {
			a.right = a.player.Ops()
			return nil
		}
		return a.explain(fmt.Sprintf("after %d operations: %v; want %v", a.player.Ops(), a.player.Answer(), a.f.want))
	case errors.As(err, new(*replay.CannotHold)):
		a.note(err.Error())
	case errors.As(err, &late):
		return a.gaveUp(late)
	case errors.Is(err, replay.ErrContract):
		return a.explain(err.Error())
	default:
		return err
	}
	return nil
}

// gaveUp notes how far the contestant got, if its answers were right so far.
func (a *actor) gaveUp(late *replay.GaveUp) error {
	right, known := a.f.known(late.Mark)
	if known && !right {
		return a.explain(fmt.Sprintf("after %d operations: %v", late.Mark.Ops, late.Mark.Answer))
	}
	if known {
		a.right = max(a.right, late.Mark.Ops)
	}
	a.note(fmt.Sprintf("%s after %v with %d of %d operations done, at %v; its answers to the first %d are right",
		GaveUp, late.Limit, late.Ops, a.f.total, late.Now, a.right))
	return nil
}

// explain notes that the answers are wrong, and where they begin to be: it
// replays the stream again beside the model.
func (a *actor) explain(what string) error {
	a.note(fmt.Sprintf("%s: %s", Wrong, what))
	s, err := a.f.scheduler(a.c)
	if err != nil {
		return nil // it could be made before, and what is known is noted
	}
	stream, err := a.f.w.Open(workload.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = workload.Close(stream) }() // what was read from it is right
	d, err := replay.Explain(a.s.ctx, s, stream, a.f.w.Tick)
	switch {
	case d != nil:
		a.note(fmt.Sprintf("%s: %v", Wrong, d))
	case err == nil:
		a.note(fmt.Sprintf("%s: %s; a second replay was right", Wrong, what))
	case a.s.ctx.Err() != nil:
		return err
	}
	return nil
}

// turn replays the slice of a round.
func (a *actor) turn() (int, map[string]float64, error) {
	round := len(a.series.Iterations)
	ops, err := a.f.at(round)
	if err != nil {
		return 0, nil, err
	}
	none := map[string]float64{NsPerOp: 0} // replaced in the end
	if a.out() {
		return 1, none, nil
	}
	if round == 0 {
		a.wakeups = a.player.Wakeups()
	}
	took, work := a.player.Took(), a.work()
	if err := a.play(); err != nil || a.out() {
		return 1, none, err
	}
	n := float64(len(ops))
	values := map[string]float64{NsPerOp: float64((a.player.Took() - took).Nanoseconds()) / n}
	if _, metered := a.player.Work(); metered {
		addWork(values, a.work().Sub(work), n)
	}
	return len(ops), values, nil
}

// work returns what the scheduler has counted so far.
func (a *actor) work() schedulers.Work {
	w, _ := a.player.Work()
	return w
}

// total adds to each round what is to be said of the whole. Of a contestant that
// is out this is all that is said.
func (a *actor) total() {
	values := map[string]float64{}
	if p := a.player; p != nil {
		answer := p.Answer()
		values[TotalOps] = float64(p.Ops())
		values[TotalFired] = float64(answer.Fired)
		values[TotalGranted], values[TotalRefused] = float64(answer.Granted), float64(answer.Refused)
		values[AnswerBits] = float64(answer.Hash & (1<<48 - 1))
		values[VirtualNs] = float64(p.Now())
		if span := (p.Now() - a.f.from).Seconds(); span > 0 {
			values[WakeupsPerVirtual] = float64(p.Wakeups()-a.wakeups) / span
		}
	} else {
		values[TotalOps] = 0
	}
	if a.out() {
		a.series.Values = map[string][]float64{}
	}
	for unit, v := range values {
		for range a.series.Iterations {
			a.series.Values[unit] = append(a.series.Values[unit], v)
		}
	}
}

// profile runs the cell of a workload. All contestants replay the same slices of
// the stream, one a round, after what the stream begins with until its steady
// state. After each slice the answers are those of the model, or it is noted whose
// are not.
func (s *session) profile(w workload.Source, contestants []Contestant) (series []*Series, err error) {
	defer func() {
		if err != nil && s.ctx.Err() == nil {
			err = fmt.Errorf("%s: %w", w.Name, err)
		}
	}()
	f, err := s.newFilm(w)
	if err != nil {
		return nil, err
	}
	defer f.close()
	var actors []*actor
	var entrants []*entrant
	for _, c := range contestants {
		a, err := s.newActor(f, c)
		if err != nil {
			return nil, err
		}
		actors = append(actors, a)
		entrants = append(entrants, &entrant{series: a.series, turn: a.turn})
	}
	if err := begin(f, actors); err != nil {
		return nil, err
	}
	if series, err = interleave(s, f.rounds, entrants); err != nil {
		return nil, err
	}
	return series, finish(f, actors)
}

// begin replays what the stream begins with.
func begin(f *film, actors []*actor) error {
	for {
		more, err := f.beginning()
		if err != nil || !more {
			return err
		}
		for _, a := range actors {
			if err := a.play(); err != nil {
				return err
			}
		}
	}
}

// finish runs out what is pending, if the stream was replayed to its end, and
// adds what is to be said of the whole.
func finish(f *film, actors []*actor) error {
	if f.whole {
		f.model.RunOut()
		f.want = f.model.Answer()
	}
	for _, a := range actors {
		if f.whole {
			if err := a.runOut(); err != nil {
				return err
			}
		}
		a.total()
	}
	return nil
}
