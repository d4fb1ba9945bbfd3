package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/tune"
)

// requireFlags are the requirements of a configuration.
type requireFlags struct {
	P50       time.Duration `name:"p50" xor:"lateness" help:"Half of the timers at most this late." placeholder:"DURATION" group:"Lateness, one of these"`
	P99       time.Duration `name:"p99" xor:"lateness" help:"99 % of the timers at most this late." placeholder:"DURATION" group:"Lateness, one of these"`
	P999      time.Duration `name:"p999" xor:"lateness" help:"99.9 % of the timers at most this late." placeholder:"DURATION" group:"Lateness, one of these"`
	CPU       percent       `help:"Share of one core that the timers may take." placeholder:"SHARE" group:"Requirements"`
	Memory    memory        `help:"Memory that the pending timers may take, such as 64MiB." placeholder:"BYTES" group:"Requirements"`
	Wakeups   string        `help:"How often the driver may wake up, such as 100/s." placeholder:"RATE" group:"Requirements"`
	Worth     percent       `help:"The pick is the simplest candidate that takes at most half of this share of a core more than the least. By default 0.1%, or a tenth of the least if that is more." placeholder:"SHARE" group:"Requirements"`
	MustTick  bool          `xor:"tick" help:"The driver has to wake up at every tick." group:"Requirements"`
	NoTick    bool          `xor:"tick" help:"The driver must sleep until something is due." group:"Requirements"`
	NoPrecise bool          `help:"Wait by the Go runtime's timers only, which end about a millisecond late on Linux." group:"Requirements"`
}

func (f *requireFlags) requirements() (tune.Requirements, error) {
	r := tune.Requirements{
		CPU: float64(f.CPU), Memory: int64(f.Memory), Worth: float64(f.Worth),
		MustTick: f.MustTick, MustNotTick: f.NoTick, NotPrecise: f.NoPrecise,
	}
	if f.Wakeups != "" {
		rate, err := strconv.ParseFloat(strings.TrimSuffix(f.Wakeups, "/s"), 64)
		if err != nil || !(rate > 0) || math.IsInf(rate, 0) {
			return r, fmt.Errorf("--wakeups %s, want a rate such as 100/s", f.Wakeups)
		}
		r.Wakeups = rate
	}
	for share, late := range map[float64]time.Duration{0.5: f.P50, 0.99: f.P99, 0.999: f.P999} {
		if late > 0 {
			r.Percentile, r.Lateness = share, late
		}
	}
	return r, nil
}

// explainFlags name a configuration to measure beside the candidates.
type explainFlags struct {
	Explain string        `help:"Measure a known system beside the candidates, such as netty; or a scheduler with --tick and --slots; or a contestant of the program." placeholder:"SYSTEM" group:"To judge a configuration"`
	Tick    time.Duration `help:"Tick of what is explained." placeholder:"DURATION" group:"To judge a configuration"`
	Slots   *int          `help:"Slots of what is explained, of each level if it has levels." placeholder:"N" group:"To judge a configuration"`
	Precise bool          `help:"What is explained waits precisely." group:"To judge a configuration"`
}

// explained returns the candidate that the user asks about, or nil.
func (f *explainFlags) explained(r requireFlags, own []harness.Contestant) (*tune.Candidate, error) {
	if f.Explain == "" {
		return nil, nil
	}
	if i := slices.IndexFunc(own, func(c harness.Contestant) bool { return c.Name == f.Explain }); i >= 0 {
		c := own[i]
		if f.Tick > 0 || f.Slots != nil || f.Precise {
			return nil, fmt.Errorf("--tick, --slots and --precise are for the schedulers of the catalog: %s is measured as it is", c.Name)
		}
		if c.Start == nil && c.Open == nil {
			return nil, fmt.Errorf("--explain %s: it has no driver, and tune measures on the real clock", c.Name)
		}
		return &tune.Candidate{Name: c.Name, Contestant: c}, nil
	}
	s, err := catalog.FindSystem(f.Explain)
	if err != nil {
		return nil, fmt.Errorf("--explain: %w", err)
	}
	if f.Slots != nil && *f.Slots == 0 {
		return nil, errors.New("--slots 0, want 1 or more")
	}
	f.change(&s, r.MustTick)
	if c := s.Config; (c.Tick == 0 || c.Slots == 0) && c.Wheel() {
		return nil, fmt.Errorf("%s needs --tick and --slots, such as --tick 10ms --slots 512", f.Explain)
	}
	if err := s.Config.Check(); err != nil {
		if f.Tick > 0 && !s.Config.Wheel() && !r.MustTick {
			err = fmt.Errorf("%w; --must-tick makes it tick", err)
		}
		return nil, fmt.Errorf("%s: %w", f.Explain, err)
	}
	return &tune.Candidate{Name: s.Name, Config: s.Config, Contestant: harness.Contestant{EarlyByDesign: s.EarlyByDesign}}, nil
}

// change gives a system the tick, the slots and the waiting of the flags. Only a scheduler of the catalog may be made to tick.
func (f *explainFlags) change(s *catalog.System, ticks bool) {
	if ticks && slices.Contains(catalog.Schedulers(), s.Name) {
		s.Config.Waking = catalog.Ticking
	}
	if f.Tick > 0 {
		s.Config.Tick = f.Tick
	}
	if f.Slots != nil {
		s.Config.Slots = *f.Slots
	}
	if f.Precise {
		s.Config.Waiting = catalog.Precise
	}
}
