package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/tune/costs"
)

// Choice is what is to be taken for a load, and why.
type Choice struct {
	Load *Load
	// Asked are the requirements as they were given, and Requirements those that were
	// chosen by, with what was assumed where nothing was asked; Notes say what.
	Asked, Requirements Requirements
	Notes               []string
	// Pick is the choice, and nil if no configuration meets the requirements. Why
	// says why it is.
	Pick *Prediction
	Why  string
	// RunnerUp is the best with another scheduler, or if there is none the next best,
	// and Lost says why it was not taken. It is nil if nothing else is feasible.
	RunnerUp *Prediction
	Lost     string
	// Least is what takes the least CPU of all that meet the requirements, and Regret how
	// much more the pick is predicted to take.
	Least  *Prediction
	Regret judge.Estimate
	// Margins say what Pick leaves over of each limit.
	Margins []Margin
	// Knee is the configuration from which on less lateness costs ever more CPU, and
	// less CPU ever more lateness, whatever was asked for.
	Knee *Prediction
	// All are the configurations that are allowed, the impossible ones too; Ranked are
	// those that meet the requirements, the best first.
	All, Ranked []Prediction
	// Infeasible says what stands in the way if Pick is nil.
	Infeasible *Infeasible
	// Optima are closed forms, with the tick of the pick.
	Optima []Optimum
}

// Margin is what is left over of a limit.
type Margin struct {
	// Limit is LimitLateness, in seconds, LimitCPU, a share of one core, or
	// LimitMemory, in bytes.
	Limit string
	// Allowed is the limit, and Predicted what is expected. Left is what is left even
	// at the upper end of the interval.
	Allowed, Predicted, Left float64
}

// Choose returns the configuration that meets the requirements with the least CPU
// time, as predicted, but for what nobody would notice: all that take no more than the
// worth of Requirements beyond the least, or no more than a quarter, which predictions are
// held to, where the costs of the machine do not tell that they take more at all, count as
// equal. Of these it takes, in this order, what sleeps until
// something is due before what ticks, which takes CPU time with nothing pending; the
// runtime's waiting, which is portable, before precise waiting, so that this is taken only
// where the lateness that is asked for needs it; the usual geometry before an odd one,
// see oddity; the simplest scheduler, see simplicity; then what is less late, takes less
// CPU time, and less memory. How well the costs of the machine tell it from the others is
// said by Why and Lost.
//
// If no limit for lateness is given, one is assumed, and Notes say so. The errors
// are those of Requirements.Check, and ErrLoad for a load that asks for nothing.
func Choose(l *Load, c *costs.Calibration, r Requirements) (*Choice, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	if l.Pending == 0 && l.armings() == 0 {
		return nil, fmt.Errorf("%w: %s has no timers", ErrLoad, l.Name)
	}
	ch := choose(l, NewModel(l, c).predictAll(r), r)
	if ch.Pick != nil {
		ch.Optima = Optima(l, c, cmp.Or(ch.Pick.Config.Tick, time.Millisecond))
	}
	return ch, nil
}

// choose chooses among all that is considered.
func choose(l *Load, every []Prediction, r Requirements) *Choice {
	ch := &Choice{Load: l, Asked: r, Requirements: r}
	ch.Requirements.Percentile = r.percentile()
	ch.All = filter(every, func(p *Prediction) bool { return r.allows(p.Config) })
	ch.rank()
	ch.assume(l)
	ch.Knee = knee(ch.All)
	if len(ch.Ranked) == 0 {
		ch.Infeasible = ch.obstacle(every)
	} else {
		ch.pickBest()
	}
	return ch
}

// predictAll predicts every configuration that is considered.
func (m *Model) predictAll(r Requirements) []Prediction {
	configs := candidates(m.load)
	all := make([]Prediction, len(configs))
	for i, c := range configs {
		all[i] = m.Predict(c, r)
	}
	return all
}

func filter(all []Prediction, keep func(*Prediction) bool) (kept []Prediction) {
	for i := range all {
		if keep(&all[i]) {
			kept = append(kept, all[i])
		}
	}
	return kept
}

// rank judges all by the requirements, and sorts those that meet them.
func (ch *Choice) rank() {
	for i := range ch.All {
		if p := &ch.All[i]; p.Impossible == "" {
			p.Misses, p.Perhaps = ch.Requirements.missed(p)
		}
	}
	ch.Ranked = ch.Requirements.ranked(filter(ch.All, (*Prediction).feasible))
}

// ranked sorts predictions: first those that count as equal to the one with the least
// CPU time, the preferred in front, then the others by CPU time.
func (r Requirements) ranked(all []Prediction) []Prediction {
	slices.SortStableFunc(all, leaner)
	if len(all) == 0 {
		return nil
	}
	least := all[0]
	var same, more []Prediction
	for _, p := range all {
		if r.sameAs(&p, &least) {
			same = append(same, p)
		} else {
			more = append(more, p)
		}
	}
	slices.SortStableFunc(same, preferred)
	return append(same, more...)
}

// sameAs reports whether a prediction counts as taking as little as the least: what it takes
// more is not worth anything, or it is no more than a prediction may be off by, and the
// costs of the machine do not tell that it is more at all.
func (r Requirements) sameAs(p, least *Prediction) bool {
	more := p.CPU.Value - least.CPU.Value
	return more <= r.Worthwhile() ||
		more <= cpuTolerance*least.CPU.Value && p.comparedTo(least, r.Worthwhile()) != judge.Slower
}

// leaner compares by CPU time, then lateness, then memory.
func leaner(a, b Prediction) int {
	return cmp.Or(
		cmp.Compare(a.CPU.Value, b.CPU.Value),
		cmp.Compare(a.Lateness.Value, b.Lateness.Value),
		cmp.Compare(a.Memory.Value, b.Memory.Value),
		preferred(a, b))
}

// simplicity ranks the schedulers: time.AfterFunc, which is there already; the heap, which
// has neither tick nor size to get wrong; the hierarchical wheel, which holds any delay; the
// single wheel, which refuses what is beyond its horizon; the wheel with rounds, which
// visits what is not due; the list, whose insertions depend on what comes in.
var simplicity = []string{catalog.RuntimeTimer, catalog.Heap, catalog.Hier, catalog.Single, catalog.Rounds, catalog.List}

// oddity says how unusual a geometry is. None of what has no tick is, nor a tick of 1, 2 or 5
// times a power of ten, of a millisecond or more, with the usual slots: 256 for each level of a
// hierarchical wheel, 512 for a wheel with rounds, as many as the longest delay needs
// for a single wheel. A shorter tick like that is somewhat odd, another tick odd, and
// another number of slots odder than both.
func oddity(c catalog.Config) (odd int) {
	usual := map[string]int{catalog.Hier: catalog.HierSlots, catalog.Rounds: catalog.RoundsSlots}
	switch {
	case c.Tick == 0:
		return 0
	case !roundTick(c.Tick):
		odd = 2
	case c.Tick < time.Millisecond:
		odd = 1
	}
	if slots, fixed := usual[c.Scheduler]; fixed && c.Slots != slots {
		odd += 3
	}
	return odd
}

// roundTick reports whether a tick is 1, 2 or 5 times a power of ten of nanoseconds.
func roundTick(tick time.Duration) bool {
	for tick >= 10 && tick%10 == 0 {
		tick /= 10
	}
	return tick == 1 || tick == 2 || tick == 5
}

// preferred compares what counts as taking as much CPU time.
func preferred(a, b Prediction) int {
	odd := oddity(a.Config)
	longer := 0
	if odd > 0 { // a short tick is as long as it may be
		longer = cmp.Compare(b.Config.Tick, a.Config.Tick)
	}
	return cmp.Or(
		cmp.Compare(a.Config.Waking, b.Config.Waking),
		cmp.Compare(a.Config.Waiting, b.Config.Waiting),
		cmp.Compare(odd, oddity(b.Config)),
		cmp.Compare(slices.Index(simplicity, a.Config.Scheduler), slices.Index(simplicity, b.Config.Scheduler)),
		longer,
		cmp.Compare(a.Lateness.Value, b.Lateness.Value),
		cmp.Compare(a.CPU.Value, b.CPU.Value),
		cmp.Compare(a.Memory.Value, b.Memory.Value),
		cmp.Compare(a.Config.Slots, b.Config.Slots))
}

// pickBest takes the first. The runner-up is what takes the least, if the pick takes more
// by what would be noticed, as far as that is known; else the first with another scheduler.
func (ch *Choice) pickBest() {
	ch.Pick = &ch.Ranked[0]
	least := slices.MinFunc(ch.Ranked, leaner)
	ch.Least, ch.Regret = &least, ch.Pick.moreCPU(&least)
	others := filter(ch.Ranked, func(p *Prediction) bool { return p.Config.Scheduler != ch.Pick.Config.Scheduler })
	switch {
	case ch.Regret.Value > ch.Requirements.Worthwhile():
		ch.RunnerUp = ch.Least
	case len(others) > 0:
		ch.RunnerUp = &ch.Requirements.ranked(others)[0]
	case len(ch.Ranked) > 1:
		ch.RunnerUp = &ch.Ranked[1]
	}
	ch.Why, ch.Lost = ch.why(), ch.lost()
	ch.Margins = ch.MarginsOf(ch.Pick)
	if ch.Pick.Config.Scheduler == catalog.List {
		ch.Notes = append(ch.Notes, ListNote)
	}
}

// ListNote is to be said where a sorted list is taken.
const ListNote = "a sorted list takes as little as this only while new timers are due later than nearly all that are pending, as they are here"

// MarginsOf returns what a prediction leaves over of each limit.
func (ch *Choice) MarginsOf(p *Prediction) (margins []Margin) {
	for _, one := range limits() {
		if at := one.at(&ch.Requirements); at > 0 {
			e := one.of(p)
			margins = append(margins, Margin{one.name, at, e.Value, at - e.High})
		}
	}
	return margins
}

// Told says how a prediction compares with what takes the least.
func (ch *Choice) Told(p *Prediction) judge.Answer {
	return p.comparedTo(ch.Least, ch.Requirements.Worthwhile())
}

// knee returns the configuration at the bend of the front: among those that no
// other beats in both CPU time and lateness, the one that is farthest from the line
// between the two ends, on logarithmic scales (after V. Satopaa and others, "Finding
// a 'Kneedle' in a Haystack", ICDCSW 2011). It is nil if the front has no bend.
// O(n log n).
func knee(all []Prediction) *Prediction {
	f := front(all)
	if len(f) < 3 {
		return nil
	}
	at := func(p *Prediction) (x, y float64) { return math.Log(p.CPU.Value), math.Log(p.Lateness.Value) }
	x0, y0 := at(&f[0])
	x1, y1 := at(&f[len(f)-1])
	best, least := -1, 0.0
	for i := range f {
		x, y := at(&f[i])
		if below := (y-y0)/(y1-y0) + (x1-x)/(x1-x0) - 1; below > least { // how far below the line, toward the corner
			best, least = i, below
		}
	}
	if best < 0 {
		return nil
	}
	return &f[best]
}

// front returns those that no other beats in both CPU time and lateness, by CPU
// time.
func front(all []Prediction) (f []Prediction) {
	sorted := filter(all, func(p *Prediction) bool {
		return p.Impossible == "" && p.CPU.Value > 0 && p.Lateness.Value > 0
	})
	slices.SortStableFunc(sorted, leaner)
	for _, p := range sorted {
		if len(f) == 0 || p.Lateness.Value < f[len(f)-1].Lateness.Value {
			f = append(f, p)
		}
	}
	return f
}
