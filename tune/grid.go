package tune

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Grid returns configurations of all schedulers with the given ticks and sizes, so
// that a choice can be held against what is found by trying everything. The heap
// and the list have no size, and without ticking no tick. A single wheel has to
// reach as far as the load: its sizes are multiples of that.
func Grid(l *Load, ticks []time.Duration, sizes []int, ticking, precise bool) (all []Config) {
	for _, scheduler := range schedulerNames() {
		for _, tick := range ticks {
			for i, slots := range sizes {
				c := Config{Scheduler: scheduler, Tick: tick, Slots: slots, Ticking: ticking, Precise: precise}
				switch {
				case !c.wheel() && ticking:
					c.Slots = 0
				case !c.wheel():
					c.Tick, c.Slots = 0, 0
				case scheduler == single:
					c.Slots = int(min(float64(l.Horizon/tick+2)*math.Exp2(float64(i)), mostGridSlots))
				}
				if !slices.Contains(all, c) && NewModel(l, &Calibration{}).impossible(c) == "" {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// mostGridSlots keeps the single wheels of a grid to some hundred megabytes.
const mostGridSlots = 1 << 24

// Regret is how much worse a choice was than the best that was measured.
type Regret struct {
	Pick, Best Measured
	// Feasible is how many of those measured meet the requirements.
	Feasible int
	// CPU is the CPU share that Best would have saved, never below 0.
	CPU float64
	// Separated says that the difference is more than the intervals leave open, and
	// more than the measurement can tell from noise.
	Separated bool
}

// ErrNotMeasured means that the configuration asked for is not among those that
// were measured.
var ErrNotMeasured = errors.New("not measured")

// RegretOf compares what was measured of a configuration with the cheapest of all
// that meet the requirements, as far as the measurement can tell. The error is
// ErrNotMeasured.
func RegretOf(pick Config, all []Measured, r Requirements) (Regret, error) {
	var regret Regret
	i := slices.IndexFunc(all, func(m Measured) bool { return m.Config == pick })
	if i < 0 {
		return regret, fmt.Errorf("%v: %w", pick, ErrNotMeasured)
	}
	regret.Pick, regret.Best = all[i], all[i]
	for _, m := range all {
		if len(broken(m, r)) > 0 {
			continue
		}
		regret.Feasible++
		if m.CPU.Value < regret.Best.CPU.Value {
			regret.Best = m
		}
	}
	regret.CPU = regret.Pick.CPU.Value - regret.Best.CPU.Value
	regret.Separated = regret.Best.CPU.High < regret.Pick.CPU.Low &&
		regret.CPU > max(regret.Pick.Resolution, regret.Best.Resolution)
	return regret, nil
}
