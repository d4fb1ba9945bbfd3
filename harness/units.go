package harness

// The units of samples. They appear in the data files after each figure.
const (
	NsPerOp    = "ns/op"    // time of an operation, the loop's own included
	NsPerTimer = "ns/timer" // time of a timer from insertion to expiry

	// CPU time of the whole process, garbage collection and the driver's worker
	// included. They are left out where the system does not tell.
	CPUPerOp    = "cpu-ns/op"    // of an operation
	CPUPerTimer = "cpu-ns/timer" // of a timer
	// NotingCPU is the part of CPUPerTimer that tasks take to note when they run.
	NotingCPU = "noting-cpu-ns/timer"

	// Work counts for an operation: see schedulers.Work.
	VisitsPerOp   = "visits/op"
	MovesPerOp    = "moves/op"
	LevelsPerOp   = "levels/op"
	SlotsPerOp    = "slots/op"
	CascadesPerOp = "cascades/op"
	SweptPerOp    = "swept/op"

	// Lateness at a percentile, in nanoseconds after the planned deadline.
	P50Late = "p50-ns"
	P90Late = "p90-ns"
	P99Late = "p99-ns"
	MaxLate = "max-ns"

	// The course of a burst, in nanoseconds.
	DoneNs = "done-ns" // from the deadline until the last timer has fired
	GapNs  = "gap-ns"  // the longest time in between in which none fired

	// What became of a process that was stopped. The figures of the hook are those
	// that the driver told of.
	PausedNs     = "paused-ns"    // the longest time in which no timer fired
	DueMeanwhile = "due"          // timers that came due in it
	CatchUpNs    = "catchup-ns"   // after it, until all those had fired
	HookLate     = "hook-late-ns" // how late the worker woke
	HookFired    = "hook-fired"   // timers that it then had to fire

	// Checks of the answers, counts for a round. All but Fired must be 0.
	Fired   = "fired"
	Early   = "early"
	Lost    = "lost"
	Doubled = "doubled"

	CPUPerSecond      = "cpu-ns/s"  // CPU time of the process for each second
	WakeupsPerSecond  = "wakeups/s" // wake-ups of the driver's worker
	SwitchesPerSecond = "ctxsw/s"   // context switches of the process

	BytesPerTimer   = "B/timer"         // after inserting
	ChurnedPerTimer = "churned-B/timer" // after cancelling and inserting as many again
	BytesPerWheel   = "B/wheel"         // empty
	GCNs            = "gc-ns"           // time of a forced garbage collection

	KnownNs = "known-ns" // what a control was built to cost
	ReadNs  = "read-ns"  // what the harness read
)
