package experiments

import (
	"math"
	"runtime"
	"time"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/live"
	"schedbench/schedulers"
)

func init() { register(harness.Experiment{Name: rundata.Control, Cells: controlCells}) }

// controlCells returns the cells of the instrument itself: what its calls cost, and whether it reads back known costs.
func controlCells(p *harness.Plan) []harness.Cell {
	known := []time.Duration{50 * time.Nanosecond, 500 * time.Nanosecond, 5 * time.Microsecond}
	return []harness.Cell{{
		Experiment: rundata.Control, Name: "control-cost", Weight: weightOfControls, Rounds: p.Rounds, NoGC: true,
		Time: time.Duration((len(known)*3+6)*p.Rounds) * p.Epoch / 2,
		Make: func(s *harness.Session) ([]*harness.Turns, error) { return controlCost(s, known), nil },
	}, {
		Experiment: rundata.Control, Name: "control-live", Weight: weightOfControls, Most: 6, NoGC: true,
		Time: 3*controlSlice(p) + maxDelay + 2*aroundPlay, Make: controlLive,
	}}
}

func controlSlice(p *harness.Plan) time.Duration { return max(p.Slice/10, 40*time.Millisecond) }

// weightOfControls is small: controls decide nothing.
const weightOfControls = 0.1

func controlCost(s *harness.Session, known []time.Duration) []*harness.Turns {
	calls := int(s.Plan.Epoch / perOp)
	h := rundata.NewHistogram()
	var at time.Time
	participants := []*harness.Turns{
		control(perCall(calls, func() { at = time.Now() }), "what", "clock-read"),
		control(perCall(calls, func() { rundata.Record(h, time.Millisecond) }), "what", "histogram-record"),
	}
	for _, k := range known {
		participants = append(participants, control(func(int) (int, rundata.Values, error) { return spinTurn(s, k) }, "what", "spin", "known", k))
	}
	participants = append(participants, control(func(int) (int, rundata.Values, error) { return slowCallTurn(newStopwatch()) }, "what", "slow-call", "known", knownSlow))
	if _, metered := live.ReadUsage(); metered && runtime.GOMAXPROCS(0) > 1 {
		participants = append(participants, control(func(int) (int, rundata.Values, error) { return atOnceTurn(s) }, "what", "spin-at-once", "known", knownAtOnce))
	}
	if s.FirstTouch > 0 {
		participants = append(participants, control(func(int) (int, rundata.Values, error) {
			return 1, rundata.Values{rundata.NsPerOp: s.FirstTouch}, nil
		}, "what", "first-touch"))
	}
	runtime.KeepAlive(at)
	return participants
}

func control(turn func(int) (int, rundata.Values, error), params ...any) *harness.Turns {
	return &harness.Turns{Series: rundata.NewSeries(rundata.Control, params...), Turn: turn}
}

func perCall(calls int, f func()) func(int) (int, rundata.Values, error) {
	return func(int) (int, rundata.Values, error) {
		took, _ := timed(func() int {
			for range calls {
				f()
			}
			return 0
		})
		return calls, rundata.Values{rundata.NsPerOp: float64(took.Nanoseconds()) / float64(calls)}, nil
	}
}

// spin takes a time in proportion to steps: each step waits for the last.
//
//go:noinline
func spin(steps int) (x uint64) {
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

type spinner struct {
	harness.EmptyScheduler
	steps int
	sink  uint64
}

func (f *spinner) Schedule(time.Duration, uint64) (schedulers.ID, error) {
	f.sink += spin(f.steps)
	return 1, nil
}

// stepTime returns how many nanoseconds a step of spin takes undisturbed.
func stepTime() float64 {
	const trial = 100_000
	best := time.Duration(math.MaxInt64)
	for range 5 {
		took, _ := timed(func() int { return int(spin(trial) & 1) })
		best = min(best, took)
	}
	return float64(best.Nanoseconds()) / trial
}

// spinTurn times spins by themselves, and then as a cost cell times a scheduler that spins.
func spinTurn(s *harness.Session, known time.Duration) (int, rundata.Values, error) {
	steps := max(int(float64(known)/stepTime()), 1)
	ops := max(int(s.Plan.Epoch/2/known), fewestOps)

	f := &spinner{steps: steps}
	control := &virtual{s: &harness.EmptyScheduler{}, ids: make([]schedulers.ID, ops)}
	spun := &virtual{s: f, ids: make([]schedulers.ID, ops)}
	rs := newReplacements(ops)
	rs.draw(s.Random("spin"), ops, uniform(shortest, longest))

	alone, _ := timed(func() int {
		for range ops {
			f.sink += spin(steps)
		}
		return 0
	})
	loop, _ := timed(func() int { return control.pairs(rs) })
	whole, wrong := timed(func() int { return spun.pairs(rs) })
	return ops, rundata.Values{
		rundata.KnownNs: float64(alone.Nanoseconds()) / float64(ops),
		rundata.ReadNs:  float64((whole - loop).Nanoseconds()) / float64(ops),
	}, check.That(wrong == 0, "%d of %d spins gave a wrong answer", wrong, ops)
}

const knownAtOnce = 500 * time.Nanosecond

// atOnceTurn times spins, and then reads the CPU time of one as a live cell does, by a goroutine for each processor at once.
func atOnceTurn(s *harness.Session) (int, rundata.Values, error) {
	steps, ops := max(int(float64(knownAtOnce)/stepTime()), 1), max(int(s.Plan.Epoch/2/knownAtOnce), fewestOps)
	spins := func(livePopulation, *splitMix, int) int {
		x := uint64(0)
		for range ops {
			x += spin(steps)
		}
		runtime.KeepAlive(x)
		return 0
	}
	alone, _ := timed(func() int { return spins(nil, nil, ops) })
	crew := newCrew(s.Plan, runtime.GOMAXPROCS(0))
	crew.begin(s)
	defer crew.end()
	all := ops * int(crew.n)
	p := crew.work(&pairsTurn{s: s, pops: make([]livePopulation, crew.n), crew: crew}, spins, ops)
	return all, rundata.Values{
		rundata.KnownNs: float64(alone.Nanoseconds()) / float64(ops),
		rundata.ReadNs:  float64(p.cpu.Nanoseconds()) / float64(all),
	}, nil
}

const (
	controlCalls = 20_000
	controlSlow  = 500 // calls have one that takes knownSlow, which is the p99.9
	knownSlow    = 50 * time.Microsecond
)

// slowCallTurn times calls one by one, and reads their p99.9. A few calls spin.
func slowCallTurn(w *stopwatch) (calls int, values rundata.Values, err error) {
	steps, x := max(int(float64(knownSlow)/stepTime()), 1), uint64(0)
	alone, _ := timed(func() int { x += spin(steps); return 0 })
	w.start()
	w.enter(rundata.DuringHold)
	for i := range controlCalls {
		before := w.now()
		if i%controlSlow == controlSlow/2 {
			x += spin(steps)
		}
		after := w.now()
		w.note(callCancel, before, after)
	}
	w.file()
	runtime.KeepAlive(x)
	calls, values = w.tail(tailPart{callCancel, rundata.DuringHold})
	return calls, rundata.Values{rundata.KnownNs: float64(alone.Nanoseconds()), rundata.ReadNs: values[rundata.P999Took]}, nil
}

const (
	knownLate = 3 * time.Millisecond  // how late the control of jitter fires
	fakeRate  = 50                    // timers a second that it can fire exactly
	burnRest  = 30 * time.Millisecond // the control of idle burns for slowFor and then rests this long
)

func controlLive(s *harness.Session) ([]*harness.Turns, error) {
	list := []*harness.Turns{control(func(round int) (int, rundata.Values, error) { return lateTurn(s, round) }, "what", "lateness", "known", knownLate)}
	if _, ok := live.ReadUsage(); ok {
		list = append(list, control(func(int) (int, rundata.Values, error) { return burnTurn(s) }, "what", "burn"))
	}
	return list, nil
}

// lateTimers fire late by knownLate. The runtime's timer wakes up to a millisecond late; spinning adds the rest.
type lateTimers struct{ live.Target }

func (lateTimers) Arm(_ int32, delay time.Duration, task func()) error {
	start := time.Now()
	time.AfterFunc(delay, func() {
		for time.Since(start) < delay+knownLate {
		}
		task()
	})
	return nil
}

// lateTurn plays arrivals on timers that are late by a known time, as exactly as spinning on the clock can.
func lateTurn(s *harness.Session, round int) (int, rundata.Values, error) {
	arrivals := arriving{name: "jitter", length: controlSlice(s.Plan), rate: fakeRate, least: minDelay, most: maxDelay}.draw(s, round)
	start := func(time.Duration) (live.Target, error) { return lateTimers{live.On(nil, 0)}, nil }
	_, values, err := play(s, variant{}, rundata.NewSeries(rundata.Live), arrivals, start, live.Options{}, nil)
	return arrivals.Timers, rundata.Values{rundata.KnownNs: float64(knownLate), rundata.ReadNs: values[rundata.P50Late]}, err
}

// burnTurn compares the CPU time of a thread that burns with what the process used besides what it uses while it idles.
func burnTurn(s *harness.Session) (int, rundata.Values, error) {
	length := controlSlice(s.Plan)
	idle := watchUsage(live.ReadUsage, func() { time.Sleep(length) })
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := time.Now()
	before, _ := live.ThreadCPU()
	busy := watchUsage(live.ReadUsage, func() {
		for time.Since(start) < length {
			holdOf(rundata.SlowBurns)()
			time.Sleep(burnRest)
		}
	})
	after, _ := live.ThreadCPU()
	return 1, rundata.Values{
		rundata.KnownNs: float64(after-before) / time.Since(start).Seconds(),
		rundata.ReadNs:  busy[rundata.CPUPerSecond] - idle[rundata.CPUPerSecond],
	}, nil
}
