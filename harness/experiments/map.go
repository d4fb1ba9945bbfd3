package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/schedulers"
)

const (
	// perLife is the assumed cost of a life: a Schedule, and a Cancel or the timer's part of Expire and Next.
	perLife       = 300 * time.Nanosecond
	epochsOfLives = 3       // epochs of other cells in one of the map
	mostLives     = 1 << 14 // arrive in an epoch, unless a turn of the wheel has more: see mapScript.epoch
	warmOfMap     = 1 << 12 // arrive before each epoch, to warm the caches
	roundsOfShare = 4       // at most: epochs, and the ageing of the next share
	// mostPerLife is the longest life that is not slow: see mapTurn.add. The best contestants take less than a twentieth.
	mostPerLife = 20 * time.Microsecond
)

// mapCancelled are the shares of cancelled timers, in percent and ascending.
func mapCancelled() []int { return []int{0, 25, 50, 75, 90, 99, 100} }

func mapHorizons() []time.Duration { return []time.Duration{10 * time.Second, time.Hour} }

func mapPending(p *harness.Plan) []int { return p.Counts(100, 1_000, 10_000, 100_000, 1_000_000) }

func init() { register(harness.Experiment{Name: rundata.Map, Cells: mapCells, Reads: "pending"}) }

// mapCells returns a cell for each pending count and horizon. One population has all cancelled shares in turn. All populations
// are alive at once: a slow machine slows all.
func mapCells(p *harness.Plan) (cells []harness.Cell) {
	for _, horizon := range mapHorizons() {
		for _, n := range mapPending(p) {
			cell := harness.Cell{
				Experiment: rundata.Map, Name: fmt.Sprintf("map-%d-%v", n, horizon), Pending: n, Weight: weightToExplain, NoGC: true,
				Rounds: len(mapCancelled()) * (mapEpochs(p, n) + 1),
			}
			lives := mapLives(p, n, horizon)
			variants := bare(p, n, float64(n)/4*float64(lives)) // each insertion passes a quarter of the timers
			cells = append(cells, shared{cell, variants, time.Duration(lives) * perLife, func(s *harness.Session) (func(variant) *harness.Turns, error) {
				rounds := newMapRounds(s, cell.Name, n, horizon)
				return func(c variant) *harness.Turns {
					return (&mapTurn{s: s, c: c.Contestant, n: n, horizon: horizon, rounds: rounds}).participant()
				}, nil
			}}.cells(p)...)
		}
	}
	return cells
}

// lives returns the fewest timers that arrive in an epoch.
func lives(p *harness.Plan) int {
	return min(max(int(epochsOfLives*p.Epoch/perLife), fewestOps), mostLives)
}

// mapEpochs returns how many epochs each share of a block has. With many timers, making a population takes longer.
func mapEpochs(p *harness.Plan, n int) int {
	if n > middling {
		return 1
	}
	return min(p.Rounds, roundsOfShare-1)
}

// mapLives returns how many timers a contestant schedules in a block: n, n/4 by ageing, each again, and the epochs.
func mapLives(p *harness.Plan, n int, horizon time.Duration) int {
	sum, script := 2*n+n/4, newMapScript(n, horizon, nil)
	for _, percent := range mapCancelled() {
		sum += lives(p) + mapEpochs(p, n)*(warmOfMap+script.epoch(float64(percent)/100, lives(p)))
	}
	return sum
}

func (t *mapTurn) participant() *harness.Turns {
	t.series = lists.Each(mapCancelled(), func(percent int) *rundata.Series {
		return rundata.NewSeries(rundata.Map, "impl", t.c.Name, "pending", t.n, "cancel", percent, "horizon", t.horizon)
	})
	return &harness.Turns{
		Series: t.series[0], Also: t.series[1:], Holds: t.n, Build: t.build, Turn: adding(t.turn), Done: func() { t.k = nil },
	}
}

func mapGeometry(horizon time.Duration) harness.Geometry {
	return harness.Geometry{Tick: costTick, Horizon: horizon + 2*costTick}
}

// newMapRounds returns what all contestants play in a block. For each share of cancelled timers the first round fills or
// ages the population. The others have an epoch each: a part that warms the caches, and the timed one.
func newMapRounds(s *harness.Session, name string, n int, horizon time.Duration) (rounds [][]mapPart) {
	script := newMapScript(n, horizon, s.Random(fmt.Sprint(name, s.First)))
	ageing := []mapPart{script.fill(), script.age()}
	lives, before := lives(s.Plan), 0.0
	for _, percent := range mapCancelled() {
		share := float64(percent) / 100
		rounds = append(rounds, append(ageing, script.raise(before, share), script.run(share, lives)))
		for range mapEpochs(s.Plan, n) {
			rounds = append(rounds, []mapPart{script.run(share, min(warmOfMap, lives)), script.run(share, script.epoch(share, lives))})
		}
		ageing, before = nil, share
	}
	return rounds
}

// mapTurn is a contestant in a cell of the map.
type mapTurn struct {
	s       *harness.Session
	c       harness.Contestant
	n       int
	horizon time.Duration
	rounds  [][]mapPart
	series  []*rundata.Series // of shares
	slow    int               // epochs with lives of more than mostPerLife
	k       *mapped
}

func (t *mapTurn) build() error {
	scheduler, err := t.c.New(mapGeometry(t.horizon))
	if err != nil {
		return err
	}
	t.k = newMapped(scheduler, t.c.Name == rundata.EmptyControl)
	_, err = t.k.playAll(t.s.Ctx, t.rounds[0])
	return err
}

// turn plays an epoch of a share. After the last one it plays the ageing of the next share: garbage is collected then.
func (t *mapTurn) turn(round int) error {
	round = round%harness.RoundsApart + 1 // build has played the first
	if round == len(t.rounds) {
		return nil
	}
	parts := t.rounds[round]
	took, err := t.k.playAll(t.s.Ctx, parts)
	if each := len(t.rounds) / len(t.series); err == nil && round%each > 0 {
		t.add(round/each, parts[1].arrivals, took[1]/float64(parts[1].arrivals))
	}
	return err
}

// add takes a sample of a share. A contestant gives up when more than half of its epochs in a block were slow: a single
// one may be the fault of the machine.
func (t *mapTurn) add(share, arrivals int, perLife float64) {
	t.series[share].Add(t.s.First, arrivals, rundata.Values{rundata.NsPerOp: perLife})
	if perLife > float64(mostPerLife) {
		t.slow++
	}
	if epochs := len(t.rounds) - len(t.series); 2*t.slow > epochs {
		t.series[0].Note = fmt.Sprintf("%s: a timer took more than %v in half of its epochs", rundata.GaveUp, mostPerLife)
	}
}

type mapped struct {
	scheduler schedulers.Scheduler[uint64]
	control   bool // its answers mean nothing

	ids   []schedulers.ID // by place
	wake  time.Duration
	due   []uint64
	got   mapDue
	wrong int
}

func newMapped(s schedulers.Scheduler[uint64], control bool) *mapped {
	return &mapped{scheduler: s, control: control, wake: math.MaxInt64, due: make([]uint64, 256)}
}

// playAll plays parts, and returns the nanoseconds of each. The error counts wrong answers.
func (k *mapped) playAll(ctx context.Context, parts []mapPart) (took []float64, err error) {
	for i := range parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := &parts[i]
		k.ids = append(k.ids, make([]schedulers.ID, max(int(p.places)-len(k.ids), 0))...)
		k.got, k.wrong = mapDue{}, 0
		start := time.Now()
		refusal := k.play(p)
		took = append(took, float64(time.Since(start)))
		if err := cmp.Or(harness.OnlyFull(refusal), k.check(p)); err != nil {
			return nil, err
		}
	}
	return took, nil
}

// play schedules and cancels timers. In between it does what a driver does: it wakes at the instant of Next, calls Expire
// with it, and asks Next, also when an earlier timer is scheduled. It returns the last error of Schedule.
func (k *mapped) play(p *mapPart) (refusal error) {
	for i := range p.steps {
		step := &p.steps[i]
		k.wakeUntil(step.at)
		if step.value == 0 {
			if !k.scheduler.Cancel(k.ids[step.place]) {
				k.wrong++
			}
			continue
		}
		deadline := step.deadline()
		id, err := k.scheduler.Schedule(deadline, step.value)
		if err != nil {
			if id, err = k.retry(step, err); err != nil {
				refusal = err
				k.wrong++
			}
		}
		k.ids[step.place] = id
		if deadline < k.wake {
			k.look()
		}
	}
	k.wakeUntil(p.until)
	return refusal
}

// retry schedules a timer that was refused for its horizon, after moving the scheduler's clock to the present.
func (k *mapped) retry(step *mapStep, refusal error) (schedulers.ID, error) {
	if !errors.Is(refusal, schedulers.ErrBeyondHorizon) {
		return 0, refusal
	}
	k.scheduler.Expire(step.at, nil)
	return k.scheduler.Schedule(step.deadline(), step.value)
}

func (k *mapped) look() {
	next, ok := k.scheduler.Next()
	if k.wake = next; !ok {
		k.wake = math.MaxInt64
	}
}

func (k *mapped) wakeUntil(at time.Duration) {
	for k.wake <= at {
		now := k.wake
		k.expire(now)
		if k.look(); k.wake <= now { // it would never end
			k.wrong++
			k.wake = at + 1
		}
	}
}

// expire takes out what is due. It counts timers that are early, late by a tick, or cancelled.
func (k *mapped) expire(now time.Duration) {
	for {
		n := k.scheduler.Expire(now, k.due)
		for _, value := range k.due[:n] {
			k.got.add(value)
			if uint64(now)-value >= uint64(costTick) { // the difference is huge if it is early, or doomed
				k.wrong++
			}
		}
		if n < len(k.due) {
			return
		}
	}
}

func (k *mapped) check(p *mapPart) error {
	n := k.scheduler.Len()
	return check.That(k.control || k.wrong == 0 && k.got == p.due && n == p.pending,
		"%d of %d operations gave a wrong answer; %d timers came due with the sum %x, want %d with %x; %d are pending, want %d",
		k.wrong, len(p.steps), k.got.count, k.got.sum, p.due.count, p.due.sum, n, p.pending)
}
