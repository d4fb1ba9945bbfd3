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

	// eager and lazy are the first deadline over time: in eager a cancelled timer leaves
	// at once, in lazy it stays until its tick, as in some wheels.
	eager, lazy []timeline
	// lifetimes are a sample of the timers there were between two instants, or all of
	// them.
	lifetimes                  []lifetime
	lifetimesFrom, lifetimesTo time.Duration
	allLifetimes               bool
	// stale is how many cancelled timers reach their deadline in such a wheel in a
	// second, and swept the share of the cancelled that do not, since they are dropped
	// before by a sweep.
	stale, swept float64
	// instants is at how many instants in a second the program does something.
	instants float64
	// restartEvery is how often a new driver is started, which does not hold the timers
	// that were cancelled before; 0: never.
	restartEvery time.Duration
	// workingSet is how many timers the program works on at a time. Programs tend to reset
	// or cancel timers of about the same age one after the other: these lie close to
	// each other in memory, and so are in the caches already. 0: all that are pending.
	workingSet float64
}

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
