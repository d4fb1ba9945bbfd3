package costs

import (
	"cmp"
	"math"
	"slices"
	"time"

	"schedbench/judge"
)

// Term is a cost of this machine, as fitted from calibration runs.
type Term struct {
	// Name says what costs: one of the Term constants.
	Name string
	// Of is the scheduler or the way of waiting that it is of, and Pending at which
	// count, where the cost depends on it.
	Of      string
	Pending int
	// Batch is how many of them were done in a row, where the cost depends on it:
	// the first after a sleep find nothing of theirs in the caches.
	Batch int
	// Every is the time from one wake-up to the next, of wake-ups, and Program how
	// often the program does something meanwhile; 0 is never.
	Every, Program time.Duration
	// Seconds is the cost, and Residual how far the runs lie from the fit, as a
	// share of it.
	Seconds  judge.Estimate
	Residual float64
}

// Calibration is a cost model of one machine.
type Calibration struct {
	// Made is when, and Env the environment it belongs to.
	Made time.Time
	Env  map[string]string
	// Terms are what things cost.
	Terms []Term
	// Latency is the distribution of how late a sleep ends, in seconds, by way of
	// waiting (Runtime, Precise, PreciseBrief): its quantiles, evenly spaced from 0 to 1.
	Latency map[string][]float64
	// Busy is the share of the machine that other processes took meanwhile.
	Busy float64
}

// The names of terms. Costs are in seconds of CPU time, of all threads of the
// process, on the real clock: what a driver adds to its scheduler (a lock, the
// clock, the call of the task) is included, unless it says "bare".
const (
	// TermWakeup is a wake-up of the worker for which nothing is due, and the sleep
	// before it; by way of waiting, Every and Program.
	TermWakeup = "wakeup"
	// TermKick is a sleep of the worker that is cut short for an earlier deadline,
	// and another sleep; by way of waiting.
	TermKick = "kick"
	// TermInsert, TermCancel and TermReset are AfterFunc, Stop and Reset, and
	// TermExpire what a timer that fires adds to the wake-up: the call of a task
	// that does nothing included. All are by scheduler, Pending and Batch.
	TermInsert = "insert"
	TermCancel = "cancel"
	TermReset  = "reset"
	TermExpire = "expire"
	// TermArm is AfterFunc for a timer that is soon due, in a scheduler that the
	// worker has just taken others out of: what it finds there, another processor has
	// in its caches. By scheduler, Pending and Batch.
	TermArm = "arm"
	// TermTick is a bare Expire with nothing due, by scheduler.
	TermTick = "tick"
	// TermVisit is a bare visit of a pending entry: of a rounds wheel, by a tick
	// that does not fire it; of a sorted list, by an insertion that passes it. It is
	// by scheduler and Pending.
	TermVisit = "visit"
	// TermCascade is the bare move of an entry to a lower level of a hierarchical
	// wheel; Batch is how many move at once.
	TermCascade = "cascade"
	// TermLatency is how late a sleep of the worker ends, in the median; by way of
	// waiting.
	TermLatency = "latency"
)

// termNames are all of them, in the order in which they are told.
var termNames = []string{
	TermWakeup, TermLatency, TermKick, TermTick, TermVisit, TermCascade, TermInsert, TermCancel, TermReset, TermArm, TermExpire,
}

// PreciseBrief is, in Calibration.Latency, precise waiting for a few microseconds.
// The other ways of waiting have the names of package catalog there.
const PreciseBrief = "precise, briefly"

// asleep is how rarely a program does something for the machine to be as it is if
// the program does nothing at all.
const asleep = 100 * time.Millisecond

// Find returns the terms of a name, of a scheduler or way of waiting, in the
// order of Program, Every, Pending and Batch. No of, "", means any.
func (c *Calibration) Find(name, of string) (found []Term) {
	for _, t := range c.Terms {
		if t.Name == name && (of == "" || t.Of == of) {
			found = append(found, t)
		}
	}
	slices.SortStableFunc(found, func(a, b Term) int {
		return cmp.Or(cmp.Compare(a.Program, b.Program), cmp.Compare(a.Every, b.Every), cmp.Compare(a.Pending, b.Pending), cmp.Compare(a.Batch, b.Batch))
	})
	return found
}

// Wakeup returns the cost of a wake-up of the worker, by way of waiting, or of a timer of
// the Go runtime (RuntimeTimer of package catalog): one of many that come every
// so often, in a program that itself does something once in the given time; 0
// means never. It is interpolated between the terms, on logarithmic scales, and
// beyond the outermost that of the outermost. Sleeps that are longer than those that
// were measured in a program that does something make wake-ups dearer in the same
// proportion as in one that sleeps, unless it is at work all the time.
func (c *Calibration) Wakeup(of string, every, program time.Duration) judge.Estimate {
	var idle Curve // by Every, of a program that sleeps
	var rows Curve // by Program
	for i, terms := 0, c.Find(TermWakeup, of); i < len(terms); {
		var row Curve // by Every
		at := terms[i].Program
		for ; i < len(terms) && terms[i].Program == at; i++ {
			row = append(row, point{terms[i].Every.Seconds(), terms[i].Seconds})
		}
		cost := row.At(every.Seconds())
		switch {
		case at == 0:
			idle = row
			continue
		case at >= busyEvery && len(idle) > 0:
			cost = cost.Times(growth(idle, row[len(row)-1].at, every.Seconds()))
		}
		rows = append(rows, point{at.Seconds(), cost})
	}
	if len(idle) > 0 {
		rows = append(rows, point{asleep.Seconds(), idle.At(every.Seconds())})
	}
	if program <= 0 {
		program = asleep
	}
	return rows.At(program.Seconds())
}

// growth returns by how much a cost is greater at a place than at an earlier one.
func growth(points Curve, from, to float64) float64 {
	if before := points.At(from).Value; to > from && before > 0 {
		return max(points.At(to).Value/before, 1)
	}
	return 1
}

// Cost returns a cost of a scheduler with so many pending, if so many operations
// of the program, or for TermExpire so many timers that fire, follow one another
// without a pause. It is interpolated as Wakeup does. Terms that do not depend on
// one of the two ignore it.
func (c *Calibration) Cost(name, of string, pending, batch float64) judge.Estimate {
	var rows Curve
	var row Curve
	terms := c.Find(name, of)
	for i, t := range terms {
		row = append(row, point{float64(t.Batch), t.Seconds})
		if i+1 == len(terms) || terms[i+1].Pending != t.Pending {
			rows = append(rows, point{float64(t.Pending), row.At(batch)})
			row = nil
		}
	}
	return rows.At(pending)
}

// Curve is a cost along an axis: how many follow one another, say.
type Curve []point

// point is an estimate at a place on an axis.
type point struct {
	at float64
	judge.Estimate
}

// At interpolates between points, which are in the order of their places. Without any
// it is zero.
func (points Curve) At(at float64) judge.Estimate {
	if len(points) == 0 {
		return judge.Estimate{}
	}
	i, _ := slices.BinarySearchFunc(points, at, func(p point, at float64) int { return cmp.Compare(p.at, at) })
	switch {
	case i == 0:
		return points[0].Estimate
	case i == len(points):
		return points[i-1].Estimate
	}
	a, b := points[i-1], points[i]
	share := 0.5
	if a.at > 0 {
		share = math.Log(at/a.at) / math.Log(b.at/a.at)
	}
	return judge.Estimate{
		Value: between(a.Value, b.Value, share),
		Low:   between(a.Low, b.Low, share),
		High:  between(a.High, b.High, share),
	}
}

// between returns what lies at a share of the way from a to b, on a logarithmic
// scale if both are positive.
func between(a, b, share float64) float64 {
	if a > 0 && b > 0 {
		return math.Exp(math.Log(a) + share*(math.Log(b)-math.Log(a)))
	}
	return a + share*(b-a)
}

// Batches returns a cost for each size of a batch that is known of it, with so many
// pending: Batches(name, of, pending).At(batch) is Cost(name, of, pending, batch).
func (c *Calibration) Batches(name, of string, pending float64) (row Curve) {
	sizes := map[int]bool{}
	for _, t := range c.Find(name, of) {
		if !sizes[t.Batch] {
			sizes[t.Batch] = true
			row = append(row, point{float64(t.Batch), c.Cost(name, of, pending, float64(t.Batch))})
		}
	}
	return row
}
