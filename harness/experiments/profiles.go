package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/internal/replay"
	"schedbench/schedulers"
	"schedbench/workload"
)

const (
	mostSlice   = 1 << 20               // operations of a workload that are held in memory
	unknownOps  = 1_000_000             // assumed operations of a stream of unknown length
	perReplayed = 120 * time.Nanosecond // assumed cost of replaying an operation
)

func init() {
	register(harness.Experiment{Name: rundata.Profiles, Cells: profileCells, Reads: "profiles", Check: checkProfiles})
}

func profileCells(p *harness.Plan) (cells []harness.Cell) {
	contestants := bare(p, 0, 0)
	if len(contestants) == 0 {
		return nil
	}
	for _, w := range p.Profiles {
		cells = append(cells, harness.Cell{
			Experiment: rundata.Profiles,
			Name:       profileCell(w),
			Time:       profileTime(p, w, contestants),
			Make:       func(s *harness.Session) ([]*harness.Turns, error) { return profile(s, w, contestants) },
			NoGC:       true,
		})
	}
	return cells
}

func profileCell(w workload.Source) string { return "profile-" + w.Name }

func profileTime(p *harness.Plan, w workload.Source, contestants []variant) (total time.Duration) {
	ops := cmp.Or(w.Ops, unknownOps)
	if most := ReplayOps(p); most > 0 {
		ops = min(ops, most)
	}
	each := time.Duration(w.Pending+ops) * perReplayed
	for _, c := range contestants {
		mine := each
		if limit := replayLimit(p, c.Contestant); limit > 0 && (mine > limit || c.LinearInsert && w.Pending > 10_000) {
			mine = limit
		}
		total += mine
	}
	return total + 2*each // the survey, and the model
}

// ReplayOps returns how many operations of a workload are replayed after its beginning; 0 is all.
func ReplayOps(p *harness.Plan) int {
	if p.ReplayAll {
		return 0
	}
	return p.Rounds * max(int(p.Epoch/perOp), fewestOps)
}

func replayLimit(p *harness.Plan, c harness.Contestant) time.Duration {
	if c.LinearInsert && p.ListCell > 0 && (p.ReplayLimit == 0 || p.ListCell < p.ReplayLimit) {
		return p.ListCell
	}
	return p.ReplayLimit
}

// checkProfiles returns an error that names workloads that cannot be measured, and why.
func checkProfiles(p *harness.Plan) (err error) {
	err = check.That(p.ReplayLimit >= 0 && p.LiveSlice >= 0,
		"%v for a replay and %v on the clock, want 0, for the default, or more", p.ReplayLimit, p.LiveSlice)
	for _, list := range [][]workload.Source{p.Profiles, p.LiveProfiles} {
		err = errors.Join(err, check.Repeated("workload", lists.Each(list, func(w workload.Source) string { return w.Name })))
		for _, w := range list {
			err = errors.Join(err,
				check.That(check.Named(w.Name, `/\`), "workload name %q, want some letters without a slash or a space", w.Name),
				check.That(w.Tick > 0 && w.Horizon >= 0 && w.Steady >= 0 && w.Open != nil,
					"workload %s: tick %v, horizon %v, steady from %v on, want a positive tick, no negative durations, and a function that opens the stream",
					w.Name, w.Tick, w.Horizon, w.Steady))
		}
	}
	return err
}

// sharedStream is a stream that contestants replay slice by slice, each in memory with its right answer.
type sharedStream struct {
	w      workload.Source
	stream workload.Stream
	model  *replay.Model

	horizon time.Duration // no delay is longer
	whole   bool          // it is replayed to its end
	ended   bool          // and the model has run out
	rounds  int           // slices after the beginning
	size    int           // operations of a slice; the last may have fewer
	before  int           // operations of the beginning, until the steady state
	total   int           // operations in all

	round int // of ops; -1 is the beginning
	ops   []workload.Op
	marks map[uint64]replay.Answer // the right answers within ops, by the number of operations before
	want  replay.Answer            // and after ops
	from  time.Duration            // the time of the last operation of the beginning
}

// shareStream cuts a stream into a slice a round, or more if one takes too much memory.
func shareStream(s *harness.Session, w workload.Source) (*sharedStream, error) {
	f := &sharedStream{w: w, horizon: w.Horizon, round: -1, marks: map[uint64]replay.Answer{}}
	if err := f.survey(s.Ctx, ReplayOps(s.Plan)); err != nil {
		return nil, err
	}
	rest := f.total - f.before
	if rest == 0 { // the stream is its beginning
		f.before, rest = 0, f.total
	}
	if rest == 0 {
		return nil, errors.New("the stream has no operation: nothing to replay")
	}
	f.rounds = min(max(s.Plan.Rounds, (rest+mostSlice-1)/mostSlice), rest)
	f.size = (rest + f.rounds - 1) / f.rounds
	f.rounds = (rest + f.size - 1) / f.size
	var err error
	if f.model, err = replay.NewModel(w.Tick); err != nil {
		return nil, err
	}
	f.stream, err = w.Open(workload.Options{})
	return f, err
}

// survey reads the stream once, up to most operations after its beginning, or to its end if most is 0.
func (f *sharedStream) survey(ctx context.Context, most int) error {
	stream, err := f.w.Open(workload.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = workload.Close(stream) }() // the operations that were read are right
	for ops, err := range workload.Blocks(ctx, stream, 1024) {
		if err != nil {
			return err
		}
		for _, op := range ops {
			if op.At <= f.w.Steady && f.before == f.total {
				f.before++
			}
			if most > 0 && f.total-f.before == most {
				return nil
			}
			f.total++
			f.horizon = max(f.horizon, op.Delay)
		}
	}
	f.whole = true
	return nil
}

// at returns the slice of a round: the current one or the next.
func (f *sharedStream) at(round int) ([]workload.Op, error) {
	if round == f.round {
		return f.ops, nil
	}
	f.round = round
	return f.ops, f.read(min(f.size, f.total-int(f.model.Ops())))
}

func (f *sharedStream) read(n int) error {
	f.ops = slices.Grow(f.ops[:0], n)
	got, err := workload.ReadFull(f.stream, f.ops[:n])
	f.ops = f.ops[:got]
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the stream ends after %d operations, and had %d the first time", int(f.model.Ops())+got, f.total)
	}
	if err != nil {
		return err
	}
	return f.solve()
}

// solve computes the right answers of the slice, and between its operations at each mark.
func (f *sharedStream) solve() error {
	mark := func() {
		f.want = f.model.Answer()
		f.marks[f.model.Ops()] = f.want
	}
	clear(f.marks)
	mark()
	for ops := f.ops; len(ops) > 0; mark() {
		n := min(len(ops), replay.MarkEvery-int(f.model.Ops()%replay.MarkEvery))
		if err := f.model.Play(ops[:n]); err != nil {
			return err
		}
		ops = ops[n:]
	}
	return nil
}

// replayGeometry fits delays up to a horizon, with room for rounding up and for a clock that is behind.
func replayGeometry(tick, horizon time.Duration) harness.Geometry {
	if more := tick + time.Minute; horizon <= math.MaxInt64-more {
		horizon += more
	}
	return harness.Geometry{Tick: tick, Horizon: horizon}
}

func (f *sharedStream) scheduler(c harness.Contestant) (schedulers.Scheduler[uint64], error) {
	s, err := c.New(replayGeometry(f.w.Tick, f.horizon))
	if err != nil {
		return nil, fmt.Errorf("%s delays of %v with a tick of %v: %w", rundata.CannotHold, f.horizon, f.w.Tick, err)
	}
	if h, ok := s.(interface{ Horizon() time.Duration }); ok && h.Horizon() < f.horizon {
		return nil, fmt.Errorf("%s delays of %v: with a tick of %v it reaches %v ahead", rundata.CannotHold, f.horizon, f.w.Tick, h.Horizon())
	}
	return s, nil
}
