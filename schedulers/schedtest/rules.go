package schedtest

// Cases returns all cases: first those about when values come out, last those about cost.
func Cases() []Case {
	return []Case{
		// At which instant a value comes out.
		rule("never-early", "A value never comes out before its deadline, not by a nanosecond.", neverEarly),
		rule("late-by-less-than-a-tick", "A value comes out at the first Expire that is a tick less a nanosecond "+
			"after its deadline, or at the deadline itself where there is no tick; where Scheduler.Due returns the instant, then.", notLate),
		rule("tick-rounding", "A deadline is rounded up to a multiple of the tick, or to the instant that Scheduler.Due "+
			"returns: a value that is due at such an instant comes out exactly then.", tickRounding),
		rule("past-deadline", "A deadline at or before the clock, also a negative one, is due at the next Expire, even at an unchanged now.", pastDeadline),
		rule("clock-backwards", "A now before the clock changes nothing and returns 0.", clockBackwards),
		rule("clock-repeated", "Expire with the same now again returns only what has not come out, and a negative now counts as zero.", clockRepeated),
		rule("steps", "Values come out at the right instants when time moves in many small steps.", smallSteps),

		// In which order values come out, and how a due buffer limits them.
		rule("order", "Values come out in the order of their ticks, however far the clock has jumped.", order),
		rule("same-deadline", "All values of one deadline come out, also values that are equal.", sameDeadline),
		rule("small-buffer", "Expire fills a buffer that is too small with the first values; the rest come out "+
			"in the next calls with the same or a later now, each once.", smallBuffer),
		rule("no-buffer", "Expire with a buffer of length 0 moves the clock, returns 0 and loses nothing.", noBuffer),
		rule("many-values", "A hundred thousand values come out, each once, in order, or ten thousand where the scheduler is no Meter.", manyComeOut),

		// Cancel, and the IDs it is given.
		rule("cancel-once", "Cancel is true exactly once for a pending value, which then never comes out.", cancelOnce),
		rule("cancel-spares-others", "Cancelling some values leaves all others to come out in time.", cancelSpares),
		rule("cancel-fired", "Cancel is false for a value that has been handed out.", cancelFired),
		rule("cancel-waiting", "A value that is due but did not fit in the buffer can still be cancelled, and then never comes out.", cancelWaiting),
		rule("stale-ids", "An ID is never valid again after its value fired or was cancelled, even when its cell holds another value.", staleIDs),
		rule("foreign-ids", "Zero, garbage and the IDs of another scheduler are refused and do no harm.", foreignIDs),
		rule("unique-ids", "No ID is zero and none is given out twice.", uniqueIDs),
		rule("independent", "Schedulers share nothing.", independent),

		// Next and Len, which a driver goes by.
		rule("len", "Len counts what is scheduled and neither cancelled nor handed out.", length),
		rule("next-iff-pending", "Next reports ok exactly when something is pending.", nextIffPending),
		rule("next-lower-bound", "Before the instant that Next returns, Expire yields nothing.", nextLowerBound),
		rule("next-when-due", "Next returns an instant at or before the clock exactly when something is due already.", nextWhenDue),
		rule("next-after-cancel", "Once all that was due is cancelled or reset, Next is ahead of the clock again.", nextAfterCancel),
		rule("next-suffices", "A driver that only ever sleeps until Next hands out every value in time, and wakes up a bounded number of times for each.", nextSuffices),

		// The ends of the ranges.
		rule("maximum-duration", "Deadlines and clocks up to the maximum duration work; when now is the maximum, everything is due.", maximumDuration),
		rule("end-of-time", "With the clock at the maximum duration values can still be scheduled, cancelled and handed out.", endOfTime),
		rule("horizon", "Within the horizon every deadline is accepted. Beyond it, Schedule accepts and keeps its "+
			"promise, or refuses with ErrBeyondHorizon and the figures, and keeps nothing.", horizon),
		rule("horizon-moves", "The horizon is measured from the clock and moves with it.", horizonMoves),

		// The interfaces that a scheduler may have beyond Scheduler.
		rule("reset", "Reset moves a pending value to another deadline, earlier or later, under the same ID.", reset),
		rule("reset-waiting", "Reset takes back a value that is due but was not handed out yet.", resetWaiting),
		rule("reset-refused", "Reset reports false for an ID that is not pending; where the deadline is refused "+
			"it reports true and the value stays at its old deadline.", resetRefused),
		rule("all", "All yields every pending value with its ID, each once, and can be left early.", all),
		rule("peek", "Peek shows what Next returns, and a value that Expire hands out at that instant.", peek),
		rule("resolution", "Tick returns the tick duration that deadlines are rounded to.", resolution),

		// What operations cost, by the counters of a Meter.
		rule("idle-jump", "With nothing pending a jump of any length costs nothing, at most the removal of what was cancelled.", idleJump),
		rule("long-jump", "A jump of any length costs at most a pass over what is pending and over the slots, never a step per tick or rotation.", longJump),
		rule("held-bound", "Cancelled entries that still take up room never outnumber the pending ones by more than MaxHeld.", heldBound),

		// Allocations and the size of the heap.
		rule("no-allocations", "In a steady state no operation allocates.", noAllocations),
		rule("memory-returns", "When a burst of values has passed, most of the memory that it took can be collected: a burst of "+
			"200,000, or of 20,000 where the scheduler is no Meter.", memoryReturns),

		// The model knows all rules at once.
		rule("model", "Under random operations every answer is one that the contract allows.", modelAgrees),
	}
}
