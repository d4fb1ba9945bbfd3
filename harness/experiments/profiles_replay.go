package experiments

import (
	"errors"
	"fmt"
	"strings"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/replay"
	"schedbench/workload"
)

type replayer struct {
	harness.Turns
	s       *harness.Session
	f       *sharedStream
	c       harness.Contestant
	player  *replay.Player // nil if there is no scheduler
	control bool           // its answers mean nothing
	wakeups uint64         // before the first slice
	right   uint64         // operations with answers known to be right
}

// newReplayer makes a contestant's scheduler. One that cannot be made has a note.
func newReplayer(s *harness.Session, f *sharedStream, c harness.Contestant) (*replayer, error) {
	r := &replayer{s: s, f: f, c: c, control: c.Name == rundata.EmptyControl}
	r.Series, r.Turn = rundata.NewSeries(rundata.Profiles, "profile", f.w.Name, "impl", c.Name, "tick", f.w.Tick), r.replay
	scheduler, err := f.scheduler(c)
	if err != nil {
		r.note(err.Error())
		return r, nil
	}
	r.player, err = replay.NewPlayer(scheduler, f.w.Tick)
	if err == nil {
		r.player.Limit(replayLimit(s.Plan, c))
	}
	return r, err
}

func (r *replayer) out() bool { return r.Series.Note != "" }

func (r *replayer) note(why string) { r.Series.Note = oneLine(why) }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// play replays the current slice, unless the contestant is out. Its errors are not the contestant's fault.
func (r *replayer) play() error {
	if r.out() {
		return nil
	}
	return r.judge(r.player.Play(r.s.Ctx, r.f.ops))
}

// judge notes what has become of a contestant. It returns the errors that are not of the contestant's making.
func (r *replayer) judge(err error) error {
	var late *replay.GaveUp
	switch {
	case err == nil:
		if r.control || r.player.Answer() == r.f.want {
			r.right = r.player.Ops()
			return nil
		}
		r.wrong(differs(replay.Mark{Ops: r.player.Ops(), Answer: r.player.Answer()}, r.f.want))
	case errors.As(err, new(*replay.CannotHold)):
		r.note(err.Error())
	case errors.As(err, &late):
		r.gaveUp(late)
	case errors.Is(err, replay.ErrContract):
		r.wrong(err.Error())
	default:
		return err
	}
	return nil
}

func (r *replayer) gaveUp(late *replay.GaveUp) {
	want, known := r.f.marks[late.Mark.Ops]
	if known && want != late.Mark.Answer {
		r.wrong(differs(late.Mark, want))
		return
	}
	if known {
		r.right = max(r.right, late.Mark.Ops)
	}
	r.note(fmt.Sprintf("%s after %v with %d of %d operations done, at %v; its answers to the first %d are right",
		rundata.GaveUp, late.Limit, late.Ops, r.f.total, late.Now, r.right))
}

// differs says that the answer at a point of the stream is not the right one.
func differs(got replay.Mark, want replay.Answer) string {
	return fmt.Sprintf("after %d operations: %v; want %v", got.Ops, got.Answer, want)
}

// wrong notes that an answer is wrong.
func (r *replayer) wrong(what string) {
	r.note(fmt.Sprintf("%s: %s; run \"bench verify\", which names the broken rule", rundata.Wrong, what))
}

func (r *replayer) replay(round int) (int, rundata.Values, error) {
	round %= harness.RoundsApart // of this block
	ops, err := r.f.at(round)
	if err != nil {
		return 0, nil, err
	}
	before := r.player.Result()
	if round == 0 {
		r.wakeups = before.Wakeups
	}
	if err := r.play(); err != nil || r.out() {
		return 0, nil, err
	}
	n, after := float64(len(ops)), r.player.Result()
	values := rundata.Values{rundata.NsPerOp: float64((after.Took - before.Took).Nanoseconds()) / n}
	if after.Metered {
		addWork(values, after.Work.Sub(before.Work), n)
	}
	return len(ops), values, nil
}

// total adds the figures of the whole replay to each round. A contestant that is out shows nothing.
func (r *replayer) total() {
	values := rundata.Values{rundata.TotalOps: 0}
	if r.player != nil {
		all := r.player.Result()
		values = rundata.Values{
			rundata.TotalOps: float64(all.Ops), rundata.TotalFired: float64(all.Fired),
			rundata.TotalGranted: float64(all.Granted), rundata.TotalRefused: float64(all.Refused),
			rundata.AnswerBits: float64(all.Hash & (1<<48 - 1)),
		}
		if span := (all.Now - r.f.from).Seconds(); span > 0 {
			values[rundata.WakeupsPerVirtual] = float64(all.Wakeups-r.wakeups) / span
		}
	}
	if r.Without = values; r.out() {
		return
	}
	for unit, v := range values {
		for range r.Series.Iterations {
			r.Series.Values[unit] = append(r.Series.Values[unit], v)
		}
	}
}

// profile returns the turns of a workload. All contestants replay the stream until its steady state, and then a slice a
// round. After each slice the answers are compared with the model's. The first participant closes the stream.
func profile(s *harness.Session, w workload.Source, contestants []variant) ([]*harness.Turns, error) {
	f, err := shareStream(s, w)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Name, err)
	}
	contestants = remaining(s, profileCell(w), contestants)
	replayers := make([]*replayer, len(contestants))
	var inOrder []*replayer // another in each block: who comes last has better places in memory
	for _, i := range s.Random(fmt.Sprint(profileCell(w), " begin ", s.First)).Perm(len(contestants)) {
		if replayers[i], err = newReplayer(s, f, contestants[i].Contestant); err != nil {
			return nil, err
		}
		replayers[i].Finish = replayers[i].finish
		inOrder = append(inOrder, replayers[i])
	}
	replayers[0].Done = func() { _ = workload.Close(f.stream) } // the operations that were read are right
	if err := begin(f, inOrder); err != nil {
		replayers[0].Done()
		return nil, err
	}
	s.Rounds = f.rounds
	return lists.Each(replayers, func(r *replayer) *harness.Turns { return &r.Turns }), nil
}

func begin(f *sharedStream, replayers []*replayer) error {
	for left := f.before; left > 0; left -= len(f.ops) {
		if err := f.read(min(left, mostSlice)); err != nil {
			return err
		}
		f.from = f.ops[len(f.ops)-1].At
		for _, r := range replayers {
			if err := r.play(); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish runs out the pending timers, if the stream was replayed to its end, and adds the totals.
func (r *replayer) finish() error {
	if r.f.whole && !r.f.ended {
		r.f.model.RunOut()
		r.f.want, r.f.ended = r.f.model.Answer(), true
	}
	if r.f.whole && !r.out() {
		if limit := replayLimit(r.s.Plan, r.c); limit > 0 { // a new limit: all samples are taken
			r.player.Limit(r.player.Result().Took + limit)
		}
		if err := r.judge(r.player.RunOut(r.s.Ctx)); err != nil {
			return err
		}
	}
	r.total()
	return nil
}
