package tune

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/hierwheel"
	"schedbench/judge"
	"schedbench/tune/costs"
	"schedbench/workload"
)

// Explanation is what the model says of a system, or of a configuration by hand,
// under a load.
type Explanation struct {
	System catalog.System
	// Prediction is of the configuration that stands for the system in the model.
	Prediction Prediction
	// Late are quantiles of lateness, in seconds, at LatePercentiles.
	Late []float64
	// Idle is the CPU time that it takes while nothing is pending or done, as a share
	// of one core.
	Idle judge.Estimate
	// Revolution is how long the wheel takes to come round, its lowest level if it has
	// several; 0 without a wheel. ScanEntries is how many entries it visits in that
	// time that are not due, or not yet, and ScanCPU the seconds that takes.
	Revolution           time.Duration
	ScanEntries, ScanCPU float64
	// Occupancy is how the pending timers lie in the slots, nil without slots.
	Occupancy *Occupancy
	// Rows are what it is compared with: the same with other ticks that are usual, if it has a
	// tick, in the order of these, itself among them; and Better and Sooner.
	Rows []Prediction
	// Better is a configuration that is as little late for less CPU time, and Sooner
	// one that takes no more CPU time and is less late. Each is nil if there is none of
	// which the costs of the machine tell that.
	Better, Sooner *Prediction
	// Says are sentences with all this.
	Says []string

	load    *Load
	require Requirements
}

// LatePercentiles are those of Explanation.Late. The last is the greatest lateness.
func LatePercentiles() []float64 { return []float64{0.5, 0.9, 0.99, 0.999, 1} }

// Explain returns what the model says of a system. Of the requirements it takes the
// percentile, and those policies that a better configuration must keep to. The
// errors are those of Config.Check and Requirements.Check.
func Explain(s catalog.System, l *Load, c *costs.Calibration, r Requirements) (*Explanation, error) {
	if err := s.Config.Check(); err != nil {
		return nil, err
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	m := NewModel(l, c)
	cfg, departs := standIn(s.Config)
	cascades := s.Config.Scheduler != catalog.NoCascade
	e := &Explanation{System: s, Prediction: m.Predict(cfg, r), load: l, require: r}
	var perhaps []string
	if e.Prediction.Impossible == "" {
		late := m.wakeupsFor(cfg).late
		if !cascades {
			late = m.withoutCascades(&e.Prediction, s.Config)
			e.Prediction.Lateness = estimateAt(late, r.percentile())
			e.Prediction.Misses, e.Prediction.Perhaps = r.missed(&e.Prediction)
		}
		for _, p := range LatePercentiles() {
			e.Late = append(e.Late, late.quantile(p))
		}
		e.scan(m)
		perhaps = e.improve(m, r)
	}
	e.rows(m, r)
	e.Idle = m.idle(cfg)
	if cascades { // else the levels are others
		e.Occupancy = l.occupancy(cfg)
	}
	if s.Note != "" {
		departs = append(departs, s.Note)
	}
	e.Says = e.sentences(r, perhaps, departs)
	return e, nil
}

// usualTicks are the ticks that wheels like Netty's are given.
var usualTicks = []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second}

// rows collects what the system is compared with.
func (e *Explanation) rows(m *Model, r Requirements) {
	own := e.Prediction.Config
	if own.Tick > 0 && e.System.Config.Scheduler != catalog.NoCascade {
		ticks := append(slices.Clone(usualTicks), own.Tick)
		slices.Sort(ticks)
		for _, tick := range slices.Compact(ticks) {
			c := own
			if c.Tick = tick; c == own {
				e.Rows = append(e.Rows, e.Prediction)
			} else if p := m.Predict(c, r); p.Impossible == "" {
				e.Rows = append(e.Rows, p)
			}
		}
	} else {
		e.Rows = append(e.Rows, e.Prediction)
	}
	runtime := m.Predict(catalog.Config{Scheduler: catalog.RuntimeTimer}, r)
	for _, p := range []*Prediction{&runtime, e.Better, e.Sooner} {
		if p != nil && p.Impossible != "" {
			continue
		}
		if p != nil && !slices.ContainsFunc(e.Rows, func(q Prediction) bool { return q.Config == p.Config }) {
			e.Rows = append(e.Rows, *p)
		}
	}
}

// TryExplained plays the workload with what is explained and all that it is compared with,
// in the same rounds. What stands for a system has its ticks, slots and waiting, and tasks
// on the worker behind a lock.
//
// The errors are those of NewTrial and of MeasureAll.
func TryExplained(ctx context.Context, e *Explanation, cal *costs.Calibration, src workload.Source, o ProveOptions) ([]Proved, error) {
	return prover{measure: MeasureAll}.try(ctx, e, cal, src, o)
}

func (p prover) try(ctx context.Context, e *Explanation, cal *costs.Calibration, src workload.Source, o ProveOptions) ([]Proved, error) {
	trial, err := NewTrial(src, e.load, TrialOptions{For: o.For})
	if err != nil {
		return nil, err
	}
	load, err := trial.Load(ctx)
	if err != nil {
		return nil, err
	}
	var configs []catalog.Config
	for _, row := range e.Rows {
		if row.Impossible == "" {
			configs = append(configs, row.Config)
		}
	}
	if len(configs) == 0 {
		return nil, nil
	}
	return p.measured(ctx, trial, NewModel(load, cal), configs, e.require, o.Progress)
}

// standIn returns what stands for a configuration in the model, which knows the five
// schedulers, tasks on the worker and a lock, and says where that departs from it.
func standIn(c catalog.Config) (s catalog.Config, departs []string) {
	const goHeap = "the heap of the original is binary and of pointers: its operations cost more than those of the heap that stands for it"
	s = c
	s.Running, s.Inbox, s.Resolution, s.Least = nil, nil, 0, 0
	if s.Waiting == catalog.Kernel {
		s.Waiting, departs = catalog.Precise, []string{fmt.Sprintf("threads wait in the kernel, which lets each sleep last %v longer", driver.KernelSlack)}
	}
	if c.Least != 0 {
		departs = append(departs, fmt.Sprintf("each sleep lasts %v at least, so that timers are late by up to as much", c.Least))
	}
	if c.Resolution != 0 {
		departs = append(departs, fmt.Sprintf("a clock of whole %v makes timers as much early, and as much later", c.Resolution))
	}
	switch c.Scheduler {
	case catalog.NoCascade:
		s.Scheduler, departs = catalog.Hier, append(departs, "a timer never moves: it is late by up to an eighth of its delay, and costs no cascades")
	case catalog.BinaryHeap:
		s.Scheduler, departs = catalog.Heap, append(departs, goHeap)
	case catalog.BinaryHeapUntilDue, catalog.BinaryHeapUntilFirst:
		s.Scheduler, departs = catalog.Heap, append(departs, goHeap, "what is cancelled stays in the heap until it is due, and takes memory as long")
	}
	if _, is := c.Inbox.(driver.Queued); is {
		departs = append(departs, "timers wait in a queue for the next tick, which costs a little more for each")
	}
	if c.Running != nil && c.Running != (driver.Inline{}) {
		departs = append(departs, "tasks run on other threads, which takes CPU time for the hand-over")
	}
	return s, departs
}

// idle returns what a configuration takes while nothing is pending.
func (m *Model) idle(c catalog.Config) judge.Estimate {
	if c.Waking != catalog.Ticking {
		return judge.Estimate{}
	}
	rate := m.mostWakes(wakeKey{tick: c.Tick, waiting: c.Waiting})
	wake := m.cal.Wakeup(c.Waiting.String(), max(seconds(1/rate), 1), 0)
	tick := m.cost(costs.TermTick, c.Scheduler, 0, 1)
	return judge.Estimate{Value: rate * (wake.Value + tick.Value), Low: rate * (wake.Low + tick.Low), High: rate * (wake.High + tick.High)}
}

// scan works out what a revolution costs. Only a wheel with rounds has to visit
// what is not due.
func (e *Explanation) scan(m *Model) {
	c := e.Prediction.Config
	if e.Revolution = revolutionOf(c); e.Revolution == 0 || c.Scheduler != catalog.Rounds {
		return
	}
	p, s := &e.Prediction, e.Revolution.Seconds()
	e.ScanEntries = max(p.Counts[costs.TermVisit]-m.load.Fires, 0) * s
	e.ScanCPU = p.Parts[costs.TermVisit] * s
}

// withoutCascades adds to the lateness of what fires that of a wheel in which a
// timer stays in the slot of its level: evenly spread up to the bound for its delay.
// It takes the cascades out of the prediction.
func (m *Model) withoutCascades(p *Prediction, c catalog.Config) *histogram {
	p.CPU.Value -= p.Parts[costs.TermCascade]
	p.CPU.Low, p.CPU.High = min(p.CPU.Low, p.CPU.Value), max(p.CPU.High-p.Parts[costs.TermCascade], p.CPU.Value)
	delete(p.Parts, costs.TermCascade)
	delete(p.Counts, costs.TermCascade)
	p.spent = slices.DeleteFunc(p.spent, func(s spending) bool { return s.name == costs.TermCascade })
	w, err := hierwheel.NewNoCascade[uint64](c.Tick, c.Slots, catalog.LinuxCoarser)
	if err != nil {
		return m.wakeupsFor(p.Config).late
	}
	late := newLatency(m.cal.Latency[c.Waiting.String()]) // of sleeps of any length
	h, even := newHistogram(), uint64(0)
	for i := range m.load.lifetimes {
		one := &m.load.lifetimes[i]
		if one.cancelled() || one.end == never {
			continue
		}
		bound := w.Lateness(one.deadline - one.at)
		for range 8 {
			even += golden
			h.add(time.Duration(float64(even>>11)/(1<<53)*float64(bound))+late.draw(), 1)
		}
	}
	if h.TotalCount() == 0 {
		return m.wakeupsFor(p.Config).late
	}
	return h
}

// improve looks for what would be better, and returns what is to be said of what may be,
// but cannot be told to be.
func (e *Explanation) improve(m *Model, r Requirements) (perhaps []string) {
	p, at := &e.Prediction, percentileName(r.percentile())
	all := filter(m.predictAll(r), func(q *Prediction) bool { return q.Impossible == "" && r.allows(q.Config) })
	less := r.ranked(filter(all, func(q *Prediction) bool {
		return q.Lateness.Value <= p.Lateness.Value && q.CPU.Value < p.CPU.Value-r.Worthwhile()
	}))
	if i := slices.IndexFunc(less, func(q Prediction) bool { return q.comparedTo(p, r.Worthwhile()) == judge.Faster }); i >= 0 {
		e.Better = &less[i]
	} else if len(less) > 0 {
		perhaps = append(perhaps, fmt.Sprintf("%v is predicted to be as little late (%v at %s), but whether it takes less cannot be told: %s",
			less[0].Config, inUnits(less[0].Lateness.Value), at, less[0].moreInWords(p)))
	}
	sooner := filter(all, func(q *Prediction) bool { // not only by chance, and by what counts
		return q.Lateness.High < p.Lateness.Low && q.Lateness.Value*judge.Margin < p.Lateness.Value && q.CPU.Value <= p.CPU.Value+r.Worthwhile()
	})
	slices.SortStableFunc(sooner, func(a, b Prediction) int {
		return cmp.Or(cmp.Compare(oddity(a.Config), oddity(b.Config)), cmp.Compare(a.Lateness.Value, b.Lateness.Value), leaner(a, b))
	})
	noMore := func(q Prediction) bool {
		a := q.comparedTo(p, r.Worthwhile())
		return a == judge.AsFast || a == judge.Faster
	}
	if i := slices.IndexFunc(sooner, noMore); i >= 0 {
		e.Sooner = &sooner[i]
	} else if len(sooner) > 0 {
		perhaps = append(perhaps, fmt.Sprintf("%v is predicted to be %v late at %s, but whether it takes no more cannot be told: %s",
			sooner[0].Config, inUnits(sooner[0].Lateness.Value), at, sooner[0].moreInWords(p)))
	}
	return perhaps
}

// sentences says it all.
func (e *Explanation) sentences(r Requirements, perhaps, departs []string) (said []string) {
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	p, c := &e.Prediction, e.Prediction.Config
	if p.Impossible != "" {
		say("%v cannot hold it: %s", c, p.Impossible)
		return said
	}
	at := percentileName(r.percentile())
	say("timers are %v late at %s, and take %s", inUnits(p.Lateness.Value), at, ofACore(p.CPU.Value))
	if c.Waking == catalog.Ticking {
		say("with nothing pending it still wakes up %.3g times a second, for %s", 1/c.Tick.Seconds(), ofACore(e.Idle.Value))
	}
	if c.Scheduler == catalog.Rounds {
		say("a revolution takes %v, in which it visits %.3g entries that are not due yet: %.2g ms of CPU time", e.Revolution, e.ScanEntries, 1e3*e.ScanCPU)
	}
	if o := e.Occupancy; o != nil {
		say("%d timers lie in %d slots: %.3g on average, %d at most, %.3g %% of the slots are empty; the variance is %.2g times that of chance",
			o.Timers, o.Slots, o.Mean, o.Max, 100*o.EmptyShare, o.Dispersion)
	}
	if b := e.Better; b != nil {
		say("%v would be as little late (%v at %s) for %s: %s", b.Config, inUnits(b.Lateness.Value), at, ofACore(b.CPU.Value), b.moreInWords(p))
	}
	if b := e.Sooner; b != nil {
		takes := "no more that anybody would notice"
		if b.comparedTo(p, r.Worthwhile()) == judge.Faster {
			takes = "less"
		}
		say("%v would be %v late at %s and take %s, %s: %s", b.Config, inUnits(b.Lateness.Value), at, takes, ofACore(b.CPU.Value), b.moreInWords(p))
	}
	said = append(said, perhaps...)
	if e.Better == nil && e.Sooner == nil && perhaps == nil {
		say("nothing that was considered is better in one and no worse in the other by what anybody would notice")
	}
	for _, n := range departs {
		say("departs: %s", n)
	}
	return said
}

// Percentile returns where lateness is looked at.
func (e *Explanation) Percentile() float64 { return e.require.percentile() }
