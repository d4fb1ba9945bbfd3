package harness

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"schedbench/driver"
	"schedbench/live"
)

// The values of the parameter waking. A fixed tick goes by its duration.
const (
	Tickless      = "tickless" // the driver sleeps until something is due
	RuntimeWaking = "runtime"  // as the Go runtime does
	OwnWaking     = "own"      // as a preset does
	NoWaking      = "none"     // a control without a driver
)

// The values of the parameter waiting.
const (
	WaitRuntime = "runtime" // on a timer of the Go runtime, time.AfterFunc's own too
	WaitPrecise = "precise" // on a clock of the system
)

const (
	// slackOfClock leaves room for a clock that lags by a tick or a stall.
	slackOfClock = 2 * time.Second
	// presetTick is the longest tick that a preset is taken to have.
	presetTick = time.Second
)

// policy is a policy of the driver by name: one of those that a cell compares.
type policy struct {
	name string
	opts []driver.Option
}

// runner is a contestant with a way of waking, and other policies.
type runner struct {
	Contestant
	policy // which series tell apart, if it has a name
	waking string
	tick   time.Duration // of the driver and the scheduler; 0: tickless
	slack  time.Duration // that opts ask for
	others int           // timers pending besides those that are measured
}

// start starts what keeps timers with delays up to a horizon. A wheel that runs tickless
// gets a tick of finest: there, a short one costs nothing but slots. A preset has a tick of
// its own.
func (r runner) start(finest, horizon time.Duration) (s started, err error) {
	g, opts := Geometry{Tick: finest, Horizon: horizon}, r.opts
	switch {
	case r.Runtime:
		return s, nil
	case r.Open != nil:
		if s.own, err = r.Open(g); err == nil && s.own == nil {
			err = errors.New("Open returned no timers")
		}
		if err == nil {
			s.end = sync.OnceValue(s.own.Close)
		}
	default:
		if r.tick > 0 {
			g.Tick = r.tick
			opts = append([]driver.Option{driver.WithWaking(driver.FixedTick(r.tick))}, opts...)
		}
		s.driver, err = r.Start(g, opts...)
	}
	if err != nil {
		return started{}, fmt.Errorf("%s: %w", r.Name, err)
	}
	return s, nil
}

// play plays a slice on the real clock, on the timers that start makes, or those of the
// runner's process. It returns what
// there is to say of the timers, and adds to the series how late those were that count:
// all if counts is nil.
func (s *session) play(r runner, series *Series, sl *live.Slice, start starter, o live.Options, counts func(timer int32) bool) (out *live.Outcome, values sample, err error) {
	if r.Launch != nil {
		out, err = s.playElsewhere(r, sl, o)
	} else {
		err = live.OnThread(func(c *live.Clock) error {
			out, err = live.Play(s.ctx, c, sl, start, o)
			return err
		})
	}
	if err != nil {
		return nil, nil, err
	}
	values = series.addOutcome(out, counts)
	if r.EarlyByMake {
		values[EarlyByMake], values[Early] = values[Early], 0
	}
	return out, values, nil
}

// starter makes timers with delays up to a horizon.
type starter func(horizon time.Duration) (live.Target, error)

// timers returns what makes n timers of the runner's, on a wheel that runs tickless with
// a tick of finest.
func (r runner) timers(finest time.Duration, n int) starter {
	return func(horizon time.Duration) (live.Target, error) {
		s, err := r.start(finest, horizon+slackOfClock)
		if err != nil {
			return nil, err
		}
		return s.target(n), nil
	}
}

// addRates adds what was used for each second that was played. Without a driver there are
// no wake-ups and no kicks.
func (r runner) addRates(values sample, out *live.Outcome) {
	if out.Metered {
		values[CPUPerSecond] = float64(out.CPU) / out.Took.Seconds()
	}
	if r.Start != nil {
		values[WakeupsPerSecond] = float64(out.Wakeups) / out.Took.Seconds()
		values[KicksPerSecond] = float64(out.Kicks) / out.Took.Seconds()
	}
}

// patience is how much longer than others its timers are waited for.
func (r runner) patience() time.Duration {
	if r.asItIs() {
		return presetTick
	}
	return r.tick
}

// runners returns the contestants of a live cell: each tickless, a preset as it
// is, one of them a second time, and with each tick the wheel that stands for all of
// them, or every one if the plan says so.
func (p *Plan) runners() []runner {
	list := withRunnerAgain(p.tickless())
	for _, t := range p.Ticks {
		for _, c := range p.ticked() {
			list = append(list, runner{Contestant: c, waking: t.String(), tick: t})
		}
	}
	return list
}

// tickless returns the contestants of a live cell that tries no ticks.
func (p *Plan) tickless() []runner {
	return runnersOf(p.which(Contestant.Live), func(Contestant) []policy { return make([]policy, 1) })
}

// unset returns those of them that are no presets, no processes, and can be stopped.
func (p *Plan) unset() []runner {
	return slices.DeleteFunc(p.tickless(), func(r runner) bool { return r.Preset || r.Launch != nil || r.AddOnly })
}

// runnersOf returns contestants with each of some policies.
func runnersOf(list []Contestant, policies func(Contestant) []policy) (runners []runner) {
	for _, c := range list {
		waking := Tickless
		switch {
		case c.Runtime:
			waking = RuntimeWaking
		case c.asItIs():
			waking = OwnWaking
		}
		for _, way := range policies(c) {
			runners = append(runners, runner{Contestant: c, policy: way, waking: waking})
		}
	}
	return runners
}

// withRunnerAgain is withAgain for runners: the second one has a driver of its own in each
// turn, as all have. Nobody comes twice if there is nobody.
func withRunnerAgain(list []runner) []runner {
	if len(list) == 0 {
		return nil
	}
	again := list[secondTime(list, func(r runner) bool { return r.StandsForAll })]
	again.Name += AgainSuffix
	return append(list, again)
}

// which returns the contestants that suit.
func (p *Plan) which(suits func(Contestant) bool) (list []Contestant) {
	for _, c := range p.Contestants {
		if suits(c) {
			list = append(list, c)
		}
	}
	return list
}

// first returns the first of some contestants, if there is one.
func first(list []Contestant) []Contestant { return list[:min(1, len(list))] }

// ticked returns the contestants that are run with fixed ticks.
func (p *Plan) ticked() []Contestant {
	list := p.which(func(c Contestant) bool { return c.hasDriver() && (p.Every || c.StandsForAll) })
	if len(list) == 0 {
		list = first(p.which(func(c Contestant) bool { return c.hasDriver() && c.HasTick }))
	}
	return list
}

// hasDriver reports whether a contestant runs by a driver of the harness's choice.
func (c Contestant) hasDriver() bool { return c.Start != nil && !c.Preset }

// standIn returns the contestant that stands for all where the driver is asked about and
// not the structure, if there is one: the one that says so, or else the first that has a
// tick, or else the first that runs live.
func (p *Plan) standIn() []Contestant {
	list := p.which(Contestant.hasDriver)
	rank := func(c Contestant) int {
		switch {
		case c.StandsForAll:
			return 0
		case c.HasTick:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b Contestant) int { return rank(a) - rank(b) })
	return first(list)
}

// standIns returns the contestant that stands for all, and time.AfterFunc.
func (p *Plan) standIns() []Contestant {
	return append(p.standIn(), p.which(func(c Contestant) bool { return c.Runtime })...)
}

// sleepers returns the contestants that stand for all when it comes to sleeping: one
// without ticks too.
func (p *Plan) sleepers() []Contestant {
	list := p.standIns()
	return append(list, first(p.which(func(c Contestant) bool {
		return c.hasDriver() && !c.HasTick && !c.LinearInsert && !oneOf(list, c)
	}))...)
}

// oneOf reports whether a contestant is in a list.
func oneOf(list []Contestant, c Contestant) bool {
	return slices.ContainsFunc(list, func(have Contestant) bool { return have.Name == c.Name })
}

// asTheyAre returns the contestants that keep to their own way: presets, and timers that are
// no driver's.
func (p *Plan) asTheyAre() []Contestant {
	return p.which(func(c Contestant) bool { return c.Preset && c.Start != nil || c.Open != nil })
}

// waitings returns the ways of sleeping that this system has: where it is not
// Linux, Precise is Runtime, as time.AfterFunc always is.
func waitings(c Contestant) []policy {
	if c.Runtime {
		return []policy{{WaitRuntime, nil}}
	}
	list := []policy{{WaitRuntime, []driver.Option{driver.WithWaiting(driver.Runtime{})}}}
	if runtime.GOOS == "linux" {
		list = append(list, policy{WaitPrecise, []driver.Option{driver.WithWaiting(driver.Precise{})}})
	}
	return list
}

// waitingRunners returns who is measured with every way of sleeping, and as it
// is: one wheel, twice one way, a contestant without ticks, and time.AfterFunc.
func (p *Plan) waitingRunners() []runner { return withRunnerAgain(runnersOf(p.sleepers(), waitings)) }

// compareWaiting reports whether a plan compares ways of sleeping: one of
// everything does, where there is more than one.
func (p *Plan) compareWaiting() bool { return p.Every && len(waitings(Contestant{})) > 1 }

// others returns how many other timers are pending while ways of sleeping are compared:
// none, and many.
func (p *Plan) others() []int { return slices.Compact([]int{0, min(middling, p.largest())}) }
