package tune

import (
	"time"

	"schedbench/catalog"
	"schedbench/judge"
)

// Load is what a workload asks of its timers in a second, once it is steady.
type Load struct {
	// Name says which workload it is.
	Name string
	// Span is how much time of the workload the figures are of, after Warm, which
	// was left out because the workload was not steady yet.
	Span, Warm time.Duration
	// Schedules, Resets, Cancels and Fires count operations a second.
	Schedules, Resets, Cancels, Fires float64
	// Pending is how many timers are pending on average, and MostPending at most.
	Pending     float64
	MostPending int
	// Held is how many cancelled timers a wheel with lazy cancellation holds on
	// average besides.
	Held float64
	// Horizon is the longest delay.
	Horizon time.Duration
	// MeanDelay is the mean of all delays, and Delays a sample of them, in order.
	MeanDelay time.Duration
	Delays    []time.Duration
	// Residuals are what is left of the delays of those that are pending, in order,
	// at one instant: all of them, or a sample.
	Residuals []time.Duration
	// Notes say what one has to know about these figures.
	Notes []string

	// eager and lazy tell what the first deadline is at any time; in lazy, a cancelled
	// timer stays until its tick, as in some wheels.
	eager, lazy []film
	// lives are a sample of the timers there were between two instants, or all of
	// them.
	lives              []life
	livesFrom, livesTo time.Duration
	allLives           bool
	// stale is how many cancelled timers reach their deadline in such a wheel in a
	// second, and swept the share of the cancelled that do not, since they are dropped
	// before by a sweep.
	stale, swept float64
	// instants is at how many instants in a second the program does something.
	instants float64
	// anew is how often another driver takes over, which holds nothing that was
	// cancelled; 0: never.
	anew time.Duration
	// nearby is among how many timers those are that the program resets or cancels one
	// after another: all that are pending, or those of about the same age. 0: all.
	nearby float64
}

// Prediction is what the model expects of a configuration under a load.
type Prediction struct {
	Config catalog.Config
	// CPU is a share of one core. Parts splits it up by what takes it: wakeup,
	// kick, tick, look, visit, insert, reset, cancel, expire, cascade. Counts is how often
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
	// Misses names the limits that are not met, such as "lateness"; empty if all
	// are. Impossible says why the configuration cannot hold the workload at all.
	Misses     []string
	Impossible string
}

// Measured is what a configuration did, live, under a workload.
type Measured struct {
	Config catalog.Config
	// For is how long it ran, and Fired how many timers did in that time.
	For   time.Duration
	Fired int
	// CPU is a share of one core, net of what makes the operations. Lateness, in
	// seconds, is at the percentile of the requirements.
	//
	// Without a timer that fired, Lateness is NaN; with too few for an interval, its
	// High is infinite.
	CPU, Lateness judge.Estimate
	// Resolution is the CPU share that cannot be told from noise.
	Resolution float64
	// Latest is the greatest lateness of all, in seconds.
	Latest float64
	// Wakeups of the driver a second.
	Wakeups float64
}

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
	// Terms are the costs.
	Terms []Term
	// Latency is the distribution of how late a sleep ends, in seconds, by way of
	// waiting (Runtime, Precise, PreciseBrief): its quantiles, evenly spaced from 0 to 1.
	Latency map[string][]float64
	// Busy is the share of the machine that other processes took meanwhile.
	Busy float64
}
