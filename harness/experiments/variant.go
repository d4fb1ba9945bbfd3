package experiments

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"time"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/live"
)

// shared is a cell in which variants take turns.
type shared struct {
	harness.Cell
	variants []variant
	turn     time.Duration // the expected time of a variant in a block
	turns    turnsOf
}

// turnsOf prepares a session, and returns what makes the turns of a variant.
type turnsOf func(*harness.Session) (func(variant) *harness.Turns, error)

// played returns turns on the real clock. params are those of a series, after impl, and take is a turn.
func played(experiment string, params func(variant) []any, take taking) turnsOf {
	return func(s *harness.Session) (func(variant) *harness.Turns, error) {
		return func(r variant) *harness.Turns {
			series := rundata.NewSeries(experiment, append([]any{"impl", r.Name}, params(r)...)...)
			return &harness.Turns{Series: series, Turn: func(round int) (int, rundata.Values, error) { return take(s, r, series, round) }}
		}, nil
	}
}

type taking func(s *harness.Session, r variant, series *rundata.Series, round int) (int, rundata.Values, error)

func (c shared) cells(p *harness.Plan) []harness.Cell {
	if len(c.variants) == 0 {
		return nil
	}
	for _, r := range c.variants {
		if c.Time += c.turn; r.Launch != nil {
			c.Time += aroundProcess
		}
	}
	if c.Most == 0 && c.Pending > harness.MostJudged {
		c.Most = 1
	}
	c.Memory = cmp.Or(c.Memory, harness.MemoryOf(c.Pending, len(c.variants)))
	c.Make = func(s *harness.Session) ([]*harness.Turns, error) {
		of, err := c.turns(s)
		if err != nil {
			return nil, err
		}
		if c.Abreast > 0 { // an order names a participant by its place
			return lists.Each(c.variants, of), nil
		}
		return lists.Each(remaining(s, c.Name, c.variants), of), nil
	}
	if c.Abreast > 0 {
		c.ParallelBlocks = cmp.Or(p.Blocks, harness.BlocksBeside)
		c.Time = time.Duration((int(c.Time/c.turn)+c.Abreast-1)/c.Abreast*c.ParallelBlocks) * c.turn
	}
	return []harness.Cell{c.Cell}
}

// remaining returns the variants that have not given up on a cell in an earlier block.
func remaining(s *harness.Session, cell string, variants []variant) []variant {
	return lists.Only(variants, func(r variant) bool { return !slices.Contains(s.GaveUp[cell], r.Name) })
}

const (
	slackOfClock = 2 * time.Second // room for a clock that lags by a tick or a stall
	presetTick   = time.Second     // the longest of a preset, assumed
)

type policy struct {
	name string
	opts []driver.Option
}

type variant struct {
	harness.Contestant
	policy // series have it as a parameter if it has a name
	waking string
	tick   time.Duration // of the driver and the scheduler; 0: tickless
	others int           // pending timers besides the measured ones
}

// start starts the variant for delays up to a horizon. A tickless wheel gets a tick of finest, a preset has its own.
func (r variant) start(finest, horizon time.Duration) (s started, err error) {
	g, opts := harness.Geometry{Tick: finest, Horizon: horizon}, r.opts
	switch {
	case r.Open != nil:
		if s.own, err = r.Open(g); err == nil && s.own == nil {
			err = errors.New("Open returned no timers")
		}
	case !r.Runtime:
		if r.tick > 0 {
			g.Tick = r.tick
			opts = append([]driver.Option{driver.WithWaking(driver.FixedTick(r.tick))}, opts...)
		}
		s.driver, err = r.Start(g, opts...)
	}
	return s, err
}

// play plays a slice on the real clock, with the timers of start or of the variant's process. It adds to the series the
// lateness of the timers that counts reports, or of all if counts is nil.
func play(s *harness.Session, r variant, series *rundata.Series, sl *live.Slice, start starter, o live.Options, counts func(timer int32) bool) (out *live.Outcome, values rundata.Values, err error) {
	o.Uncollected = s.Plan.Rough
	if r.Launch != nil {
		out, err = playElsewhere(s, r, sl, o)
	} else {
		err = live.OnThread(func(c *live.Clock) error {
			out, err = live.Play(s.Ctx, c, sl, start, o)
			return err
		})
	}
	if err != nil {
		return nil, nil, err
	}
	if values, err = s.AddOutcome(series, out, counts); err != nil {
		return nil, nil, err
	}
	if r.EarlyByDesign {
		values[rundata.EarlyByDesign], values[rundata.Early] = values[rundata.Early], 0
	}
	return out, values, nil
}

type starter func(horizon time.Duration) (live.Target, error)

func (r variant) timers(finest time.Duration, n int) starter {
	return func(horizon time.Duration) (live.Target, error) { return r.target(finest, horizon+slackOfClock, n) }
}

func (r variant) target(finest, horizon time.Duration, n int) (live.Target, error) {
	s, err := r.start(finest, horizon)
	if err != nil {
		return nil, err
	}
	return s.target(n), nil
}

func (r variant) addRates(values rundata.Values, out *live.Outcome) {
	if out.Metered {
		values[rundata.CPUPerSecond] = float64(out.CPU) / out.Took.Seconds()
	}
	if r.Start != nil {
		values[rundata.WakeupsPerSecond] = float64(out.Wakeups) / out.Took.Seconds()
		values[rundata.KicksPerSecond] = float64(out.Kicks) / out.Took.Seconds()
	}
}

func (r variant) patience() time.Duration {
	if r.AsItIs() {
		return presetTick
	}
	return r.tick
}

// variants returns those of a live cell: all tickless, presets as they are, an A/A, and those of ticked with each tick.
func variants(p *harness.Plan) []variant {
	list := withAA(tickless(p))
	for _, t := range p.Ticks {
		for _, c := range ticked(p) {
			list = append(list, variant{Contestant: c, waking: t.String(), tick: t})
		}
	}
	return list
}

// withAA appends the A/A participant of a cell: a copy of the representative, or of the last variant if there is none.
func withAA(list []variant) []variant {
	if len(list) == 0 {
		return nil
	}
	second := list[len(list)-1]
	if i := slices.IndexFunc(list, func(r variant) bool { return r.Representative }); i >= 0 {
		second = list[i]
	}
	second.Name += rundata.AASuffix
	return append(list, second)
}

// inFull returns few, and in a full plan more besides.
func inFull[T any](p *harness.Plan, few T, more T) []T {
	if p.Full {
		return []T{few, more}
	}
	return []T{few}
}

func tickless(p *harness.Plan) []variant {
	return variantsOf(lists.Only(p.Contestants, harness.Contestant.Live), nil)
}

func stoppable(p *harness.Plan) []variant {
	return slices.DeleteFunc(tickless(p), func(r variant) bool { return r.Preset || r.Launch != nil || r.AddOnly })
}

// variantsOf returns a tickless variant for each policy of each contestant. The policy of one whose driver is not chosen
// here has the name of its waking. Nil policies are one without a name.
func variantsOf(list []harness.Contestant, policies func(harness.Contestant) []policy) (variants []variant) {
	for _, c := range list {
		waking, ways := rundata.Tickless, []policy{{}}
		switch {
		case c.Runtime:
			waking = rundata.RuntimeWaking
		case c.AsItIs():
			waking = rundata.PresetWaking
		}
		if policies != nil && waking == rundata.Tickless {
			ways = policies(c)
		} else if policies != nil {
			ways[0].name = waking
		}
		for _, way := range ways {
			variants = append(variants, variant{Contestant: c, policy: way, waking: waking})
		}
	}
	return variants
}

// bare returns the participants of a cell of n without a clock: the control, schedulers, and an A/A. A sorted list that
// takes too long to pass so many nodes is none.
func bare(p *harness.Plan, n int, nodes float64) []variant {
	list := lists.Only(p.Contestants, func(c harness.Contestant) bool { return c.Bare() && !tooSlow(p, c, nodes) })
	if len(list) == 0 {
		return nil
	}
	all := variantsOf(append([]harness.Contestant{harness.EmptyContestant()}, list...), nil)
	if n > harness.MostJudged && p.Blocks <= 1 { // nothing is judged
		return all
	}
	return withAA(all)
}

// ticked returns the contestants that are measured with ticks.
func ticked(p *harness.Plan) []harness.Contestant {
	if p.Full {
		return lists.Only(p.Contestants, hasDriver)
	}
	return firstOf(p, isRepresentative, hasTick)
}

// hasDriver reports whether the harness chooses the contestant's driver.
func hasDriver(c harness.Contestant) bool { return c.Start != nil && !c.Preset }

func hasTick(c harness.Contestant) bool { return c.HasTick }

func isRepresentative(c harness.Contestant) bool { return c.Representative }

// firstOf returns the first contestant that meets a condition. It tries the conditions in turn, and returns none if no
// contestant meets one. It looks only at contestants whose driver the harness chooses.
func firstOf(p *harness.Plan, conditions ...func(harness.Contestant) bool) []harness.Contestant {
	for _, is := range conditions {
		for _, c := range p.Contestants {
			if hasDriver(c) && is(c) {
				return []harness.Contestant{c}
			}
		}
	}
	return nil
}

// representatives returns time.AfterFunc, and before it the contestant of cells about the driver: the marked one, else one
// with a tick, else any.
func representatives(p *harness.Plan) []harness.Contestant {
	list := firstOf(p, isRepresentative, hasTick, hasDriver)
	return append(list, lists.Only(p.Contestants, func(c harness.Contestant) bool { return c.Runtime })...)
}

// sleepers returns the contestants of cells about sleeping: the representatives, and one without ticks.
func sleepers(p *harness.Plan) []harness.Contestant {
	list := representatives(p)
	return append(list, firstOf(p, func(c harness.Contestant) bool { return !c.HasTick && !c.LinearInsert && c.Name != list[0].Name })...)
}

// asTheyAre returns the contestants whose policies are fixed: presets, and timers without a driver.
func asTheyAre(p *harness.Plan) []harness.Contestant {
	return lists.Only(p.Contestants, func(c harness.Contestant) bool { return c.Preset && c.Start != nil || c.Open != nil })
}

func waitings(harness.Contestant) []policy {
	return []policy{
		{rundata.WaitRuntime, []driver.Option{driver.WithWaiting(driver.Runtime{})}},
		{rundata.WaitPrecise, []driver.Option{driver.WithWaiting(driver.Precise{})}},
	}
}

func waitingVariants(p *harness.Plan) []variant {
	return withAA(variantsOf(sleepers(p), waitings))
}

// compareWaiting reports whether a plan compares ways of sleeping: a full one does on Linux, which has several.
func compareWaiting(p *harness.Plan) bool { return p.Full && runtime.GOOS == "linux" }

// others returns the numbers of other pending timers for the comparison of ways of sleeping: none, and many.
func others(p *harness.Plan) []int { return slices.Compact([]int{0, min(middling, p.Largest())}) }
