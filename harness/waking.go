package harness

import (
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

// runner is a contestant with a way of waking, and other policies.
type runner struct {
	Contestant
	waking string
	tick   time.Duration // of the driver and the scheduler; 0: tickless
	opts   []driver.Option

	// waiting and slack are the names of what opts ask for, where that is what
	// series tell apart.
	waiting string
	slack   time.Duration
	// others is how many timers are pending besides those that are measured.
	others int
}

// start starts a driver for deadlines up to a horizon, or returns nil for the
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

// patience is how long after its deadline a timer is waited for.
func (r runner) patience() time.Duration {
	if r.Preset {
		return presetTick + patience
	}
	return r.tick + patience
}

// runners returns the contestants of a live cell: each tickless, a preset as it
// is, and with each tick the wheel that stands for all of them, or every one if
// the plan says so.
func (p *Plan) runners() []runner {
	var list []runner
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
	ticked := p.ticked()
	for _, t := range p.Ticks {
		for _, c := range ticked {
			list = append(list, runner{Contestant: c, waking: t.String(), tick: t})
		}
	}
	return list
}

// ticked returns the contestants that are run with fixed ticks.
func (p *Plan) ticked() (list []Contestant) {
	for _, c := range p.Contestants {
		if c.Live() && !c.Runtime && !c.Preset && (p.Every || c.Name == "hierwheel") {
			list = append(list, c)
		}
	}
	for _, c := range p.Contestants {
		if len(list) == 0 && c.Live() && !c.Runtime && !c.Preset && c.HasTick {
			list = append(list, c)
		}
	}
	return list
}
