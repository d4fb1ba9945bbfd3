package tune

import (
	"fmt"
	"math"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/tune/costs"
)

// Prediction is what the model expects of a configuration under a load.
type Prediction struct {
	Config catalog.Config
	// CPU is a share of one core. Parts splits it up by what takes it: wakeup,
	// kick, tick, search, visit, insert, reset, cancel, expire, cascade. Counts is how often
	// each of these happens in a second.
	CPU           judge.Estimate
	Parts, Counts map[string]float64
	// Lateness, in seconds, is at the percentile of the requirements.
	Lateness judge.Estimate
	// Memory is in bytes.
	Memory judge.Estimate
	// Wakeups of the driver a second, and Kicks, those of them that cut a sleep
	// short for an earlier deadline.
	Wakeups, Kicks float64
	// Misses names the limits that are not known to be met, such as "lateness"; empty if
	// all are. Perhaps names those of them of which that cannot be told. Impossible says
	// why the configuration cannot hold the workload at all.
	Misses, Perhaps []string
	Impossible      string

	spent []spending // what CPU is made up of, each cost once
}

// latenessSamples is how many wake-ups the quantiles of a calibration are taken to
// rest on, at least: the distribution of lateness is known as well as so many
// samples tell it.
const latenessSamples = 1000

// Predict returns what the model expects of a configuration, and which limits it misses:
// those that the upper end of an interval is beyond. Of the requirements it takes the
// percentile and the limits.
func (m *Model) Predict(c catalog.Config, r Requirements) Prediction {
	p := Prediction{Config: c}
	if p.Impossible = m.impossible(c); p.Impossible != "" {
		return p
	}
	w := m.wakeupsFor(c)
	p.Wakeups, p.Kicks = w.all(), w.kicked
	m.charge(&p, w)
	busy := p.Parts[costs.TermTick] + p.Parts[costs.TermExpire] + p.Parts[costs.TermCascade] // the worker
	if c.Scheduler == catalog.Rounds {
		busy += p.Parts[costs.TermVisit]
	}
	if busy >= 1 {
		p.Impossible = fmt.Sprintf("its worker would be busy for %.2g s in a second", busy)
		return p
	}
	p.Lateness = estimateAt(w.late, r.percentile())
	p.Memory = m.load.memory(c)
	p.Misses, p.Perhaps = r.missed(&p)
	return p
}

// estimateAt returns a quantile of lateness, with the quantiles between which it lies
// with 95 % confidence.
func estimateAt(late *histogram, at float64) judge.Estimate {
	off := 1.96 * math.Sqrt(at*(1-at)/latenessSamples)
	return judge.Estimate{Value: late.quantile(at), Low: late.quantile(max(at-off, 0)), High: late.quantile(min(at+off, 1))}
}

// impossible says why a configuration cannot hold the load, or is none.
func (m *Model) impossible(c catalog.Config) string {
	if err := c.Check(); err != nil {
		return err.Error()
	}
	known := append(catalog.Schedulers(), catalog.RuntimeTimer)
	if !slices.Contains(known, c.Scheduler) || c.Scheduler == catalog.RuntimeTimer && len(m.cal.Find(costs.TermInsert, c.Scheduler)) == 0 {
		return "what a " + c.Scheduler + " costs is not known"
	}
	// A deadline is rounded up, and the clock of a wheel is up to a tick behind.
	if c.Scheduler == catalog.Single {
		if horizon := c.Tick * time.Duration(c.RealSlots()-1); m.load.Horizon > horizon {
			return fmt.Sprintf("delays of %v are beyond its horizon of %v", m.load.Horizon, horizon)
		}
	}
	return ""
}

// partSearch is a look at a slot of a wheel with rounds that a driver which does not tick
// takes to find the next one that is due. It is taken to cost as much as a visit.
const partSearch = "search"

// charge works out what takes how much CPU time.
func (m *Model) charge(p *Prediction, w wakeups) {
	c, l := p.Config, m.load
	cost := func(name string, batch float64) judge.Estimate { return m.cost(name, c.Scheduler, l.Pending, batch) }
	batch := 1.0
	var program time.Duration // from one thing that the program does to the next
	if l.instants > 0 {
		batch = max(1, (l.armings()+l.Cancels)/l.instants)
		program = max(seconds(1/l.instants), 1)
	}
	p.Parts, p.Counts = map[string]float64{}, map[string]float64{}
	below, above := 0.0, 0.0
	add := func(name, of string, count float64, each judge.Estimate) {
		p.Counts[name] += count
		p.Parts[name] += count * each.Value
		p.CPU.Value += count * each.Value
		p.spend(spending{name, of, each, count})
		below = math.Hypot(below, count*(each.Value-each.Low)) // terms are fitted apart from each other
		above = math.Hypot(above, count*(each.High-each.Value))
	}
	waker := wakerOf(c)
	if w.timed > 0 {
		add(costs.TermWakeup, waker, w.timed, m.cal.Wakeup(waker, max(seconds(1/w.all()), 1), program))
	}
	add(costs.TermKick, waker, w.kicked, m.cost(costs.TermKick, waker, 0, 0))
	add(costs.TermTick, c.Scheduler, w.all(), cost(costs.TermTick, 1))
	visits, searched := m.visited(c, w)
	visit := m.visit(c, visits/max(w.all(), math.SmallestNonzeroFloat64))
	add(costs.TermVisit, c.Scheduler, visits, visit)
	add(partSearch, c.Scheduler, searched, visit)
	insert, after := cost(costs.TermInsert, batch), cost(costs.TermArm, batch)
	if after.Value <= insert.Value {
		after = insert
	}
	fired := l.Fires / max(l.Fires+l.Cancels, math.SmallestNonzeroFloat64) // share of those whose place in memory is taken
	add(costs.TermInsert, c.Scheduler, l.Schedules*(1-fired), insert)
	add(costs.TermInsert, c.Scheduler, l.Schedules*fired, after)
	add(costs.TermReset, c.Scheduler, l.Resets, m.cost(costs.TermReset, c.Scheduler, l.workingSetFor(c), batch))
	add(costs.TermCancel, c.Scheduler, l.Cancels, m.cost(costs.TermCancel, c.Scheduler, l.workingSetFor(c), batch))
	together := 1.0 // that fire in a wake-up in which any does
	if w.all() > 0 {
		together = max(1, l.Fires/w.all())
	}
	add(costs.TermExpire, c.Scheduler, l.Fires, cost(costs.TermExpire, together))
	if c.Scheduler == catalog.Hier {
		s := m.cascading(c)
		add(costs.TermCascade, c.Scheduler, s.cascades, cost(costs.TermCascade, s.cascades/max(s.openings, 1e-9)))
	}
	p.CPU.Low, p.CPU.High = max(p.CPU.Value-below, 0), p.CPU.Value+above
}

// wakerOf returns what a calibration calls that which wakes up.
func wakerOf(c catalog.Config) string {
	if c.Scheduler == catalog.RuntimeTimer {
		return c.Scheduler
	}
	return c.Waiting.String()
}

// workingSetFor returns how many timers a scheduler works on at a time when the program
// resets and cancels: what these take decides whether it is found in the caches. A heap
// moves others too, which lie anywhere, so all that are pending count.
func (l *Load) workingSetFor(c catalog.Config) float64 {
	if c.Scheduler == catalog.Heap || c.Scheduler == catalog.RuntimeTimer || l.workingSet == 0 {
		return l.Pending
	}
	return min(l.workingSet, l.Pending)
}

// The names of limits.
const (
	LimitLateness = "lateness"
	LimitCPU      = "cpu"
	LimitMemory   = "memory"
)

// limit is one of the requirements.
type limit struct {
	name, said string
	of         func(*Prediction) judge.Estimate
	at         func(*Requirements) float64 // 0: none
}

// limits are all there are.
func limits() []limit {
	return []limit{
		{LimitLateness, "lateness", func(p *Prediction) judge.Estimate { return p.Lateness },
			func(r *Requirements) float64 { return r.Lateness.Seconds() }},
		{LimitCPU, "CPU share", func(p *Prediction) judge.Estimate { return p.CPU },
			func(r *Requirements) float64 { return r.CPU }},
		{LimitMemory, "memory", func(p *Prediction) judge.Estimate { return p.Memory },
			func(r *Requirements) float64 { return float64(r.Memory) }},
	}
}

// missed returns the limits that a prediction is not known to meet, and those of them of
// which that cannot be told.
func (r Requirements) missed(p *Prediction) (missed, perhaps []string) {
	for _, one := range limits() {
		known := keeps(one.of(p), one.at(&r))
		if known != judge.Holds {
			missed = append(missed, one.name)
		}
		if known == judge.Undecided {
			perhaps = append(perhaps, one.name)
		}
	}
	return missed, perhaps
}

// feasible reports whether a prediction is known to meet all limits.
func (p *Prediction) feasible() bool { return p.Impossible == "" && len(p.Misses) == 0 }
