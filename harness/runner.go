package harness

import (
	"runtime"
	"slices"
	"time"

	"schedbench/driver"
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

// runner is a contestant with a way of waking, and other policies.
type runner struct {
	Contestant
	waking string
	tick   time.Duration // of the driver and the scheduler; 0: tickless
	opts   []driver.Option

	// waiting, running and slack are the names of what opts ask for, where that is what
	// series tell apart.
	waiting string
	running string
	slack   time.Duration
	// others is how many timers are pending besides those that are measured.
	others int
}

// start starts a driver for delays up to a horizon, or returns nil for the
// runtime's own timers. A wheel that runs tickless gets a tick of finest: there,
// a short one costs nothing but slots. A preset has a tick of its own.
func (r runner) start(finest, horizon time.Duration) (*driver.Driver, error) {
	switch {
	case r.Runtime:
		return nil, nil
	case r.tick == 0:
		return startDriver(r.Contestant, Geometry{Tick: finest, Horizon: horizon}, r.opts...)
	}
	return startDriver(r.Contestant, Geometry{Tick: r.tick, Horizon: horizon},
		append([]driver.Option{driver.WithWaking(driver.FixedTick(r.tick))}, r.opts...)...)
}

// patience is how much longer than others its timers are waited for.
func (r runner) patience() time.Duration {
	if r.Preset {
		return presetTick
	}
	return r.tick
}

// runners returns the contestants of a live cell: each tickless, a preset as it
// is, and with each tick the wheel that stands for all of them, or every one if
// the plan says so.
func (p *Plan) runners() []runner {
	list := p.tickless()
	ticked := p.ticked()
	for _, t := range p.Ticks {
		for _, c := range ticked {
			list = append(list, runner{Contestant: c, waking: t.String(), tick: t})
		}
	}
	return list
}

// tickless returns the contestants of a live cell that tries no ticks.
func (p *Plan) tickless() (list []runner) {
	for _, c := range p.Contestants {
		switch {
		case c.Runtime:
			list = append(list, runner{Contestant: c, waking: RuntimeWaking})
		case c.Preset && c.Live():
			list = append(list, runner{Contestant: c, waking: OwnWaking})
		case c.Live():
			list = append(list, runner{Contestant: c, waking: Tickless})
		}
	}
	return list
}

// ticked returns the contestants that are run with fixed ticks.
func (p *Plan) ticked() (list []Contestant) {
	for _, c := range p.Contestants {
		if c.hasDriver() && (p.Every || c.StandsForAll) {
			list = append(list, c)
		}
	}
	for _, c := range p.Contestants {
		if len(list) == 0 && c.hasDriver() && c.HasTick {
			list = append(list, c)
		}
	}
	return list
}

// hasDriver reports whether a contestant runs by a driver of the harness's choice.
func (c Contestant) hasDriver() bool { return c.Live() && !c.Runtime && !c.Preset }

// standIn returns the contestant that stands for all where the driver is asked about and
// not the structure: the one that says so, or else the first that has a tick, or else
// the first that runs live.
func (p *Plan) standIn() (best Contestant, ok bool) {
	rank := func(c Contestant) int {
		switch {
		case !c.hasDriver():
			return 0
		case c.StandsForAll:
			return 3
		case c.HasTick:
			return 2
		}
		return 1
	}
	for _, c := range p.Contestants {
		if rank(c) > rank(best) {
			best, ok = c, true
		}
	}
	return best, ok
}

// standIns returns the contestant that stands for all, and time.AfterFunc.
func (p *Plan) standIns() (list []Contestant) {
	if c, ok := p.standIn(); ok {
		list = append(list, c)
	}
	for _, c := range p.Contestants {
		if c.Runtime {
			list = append(list, c)
		}
	}
	return list
}

// sleepers returns the contestants that stand for all when it comes to sleeping: one
// without ticks too.
func (p *Plan) sleepers() []Contestant {
	list := p.standIns()
	for _, c := range p.Contestants {
		exact := c.hasDriver() && !c.HasTick && !c.LinearInsert
		if exact && !slices.ContainsFunc(list, func(have Contestant) bool { return have.Name == c.Name }) {
			return append(list, c)
		}
	}
	return list
}

// presets returns the presets among the contestants.
func (p *Plan) presets() (list []Contestant) {
	for _, c := range p.Contestants {
		if c.Preset && c.Live() {
			list = append(list, c)
		}
	}
	return list
}

// policy is a policy of the driver by name: one of those that a cell compares.
type policy struct {
	name string
	opts []driver.Option
}

// waitings returns the ways of sleeping that this system has: where it is not
// Linux, Precise is Runtime.
func waitings() []policy {
	list := []policy{{WaitRuntime, []driver.Option{driver.WithWaiting(driver.Runtime{})}}}
	if runtime.GOOS == "linux" {
		list = append(list, policy{WaitPrecise, []driver.Option{driver.WithWaiting(driver.Precise{})}})
	}
	return list
}

// waitingRunners returns who is measured with every way of sleeping, and as it
// is: one wheel, a contestant without ticks, and time.AfterFunc.
func (p *Plan) waitingRunners() (list []runner) {
	for _, c := range p.sleepers() {
		if c.Runtime {
			list = append(list, runner{Contestant: c, waking: RuntimeWaking, waiting: WaitRuntime})
			continue
		}
		for _, w := range waitings() {
			list = append(list, runner{Contestant: c, waking: Tickless, waiting: w.name, opts: w.opts})
		}
	}
	return list
}

// compareWaiting reports whether a plan compares ways of sleeping: one of
// everything does, where there is more than one.
func (p *Plan) compareWaiting() bool { return p.Every && len(waitings()) > 1 }

// others returns how many other timers are pending while ways of sleeping are compared:
// none, and many.
func (p *Plan) others() []int {
	if len(p.Pending) == 0 {
		return []int{0}
	}
	return []int{0, min(middling, slices.Max(p.Pending))}
}
