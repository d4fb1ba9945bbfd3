package trace

import "time"

// Info says what a trace contains.
type Info struct {
	// Schedules, Resets, Cancels and Fires count events by kind.
	Schedules, Resets, Cancels, Fires uint64
	// Duration is the time of the last event.
	Duration time.Duration

	// Timers counts the timers whose arming the trace shows, each from there to its
	// end. Their ends are counted by Cancelled, Fired and Pending, which are those
	// without one; Superseded ended unseen, and their number is scheduled again.
	Timers, Cancelled, Fired, Pending, Superseded uint64
	// Moved counts timers that were reset at least once.
	Moved uint64
	// Unseen counts events of timers whose arming the trace does not show: mostly
	// they were armed before the recording began. A reset arms them, and they count
	// as timers from then on.
	Unseen uint64

	// Delays are those of all schedules and resets.
	Delays Distribution
	// ToCancel is the time from the latest arming of a timer to its cancellation,
	// and ToReset that to its reset.
	ToCancel, ToReset Distribution
	// Late is how long after their deadlines timers fired, and Early how long before
	// them those did that were early.
	Late, Early Distribution

	// Course is how the trace went on over time.
	Course Course
	// Peak is the largest number of timers pending, and PeakAt when it was reached.
	Peak   uint64
	PeakAt time.Duration

	// Durations are the most frequent delays, at most ten of them.
	Durations Durations
	// The largest bursts within one millisecond of the trace: Armed of schedules and
	// resets, Due of pending timers with deadlines in it, Expired of expiries.
	Armed, Due, Expired Burst
}

// Ops returns how many operations of the program there are: all but expiries.
func (i *Info) Ops() uint64 { return i.Schedules + i.Resets + i.Cancels }

// Rate returns a count's mean rate per second over the trace, and 0 for a trace
// without duration.
func (i *Info) Rate(count uint64) float64 {
	if i.Duration <= 0 {
		return 0
	}
	return float64(count) / i.Duration.Seconds()
}

// Burst is the largest number of something within one millisecond.
type Burst struct {
	Count uint64
	// At is when that millisecond begins.
	At time.Duration
}
