package schedtest

// Cases returns all cases: first those about when values come out, last those about cost.
func Cases() []Case {
	return []Case{
		// When values come out, and in which order.
		{"in-time", "A value comes out at its deadline, rounded up to a multiple of the tick or to the instant that " +
			"Scheduler.Due returns, not a nanosecond before, and at any Expire from then on. A deadline up to the horizon is accepted; " +
			"a refusal wraps ErrBeyondHorizon, has the figures, and keeps nothing.", inTime},
		{"past-deadline", "A deadline at or before the clock, also a negative one, is due at the next Expire, even at an unchanged " +
			"now, and with the clock at the maximum duration.", pastDeadline},
		{"clock-backwards", "A now before the clock changes nothing and returns 0; the same now returns only what has not come out.", clockBackwards},
		{"order", "Values come out in the order of their ticks, however far the clock has jumped; what does not fit into the " +
			"buffer comes out in the next calls, each once.", order},
		{"same-value", "All values of one deadline come out, also values that are equal.", sameValue},
		{"many-values", "A hundred thousand values come out, each once, in order, or ten thousand where the scheduler is no Meter.", manyComeOut},

		// Cancel and Reset, and the IDs they are given.
		{"cancel", "Cancel is true exactly once for a pending value, which then never comes out.", cancelOnce},
		{"cancel-spares-others", "Cancelling some values leaves all others to come out in time, in many small steps.", cancelSpares},
		{"waiting", "A value that is due but did not fit in the buffer can still be cancelled or reset. Once all of them are, Next is " +
			"ahead of the clock again.", waiting},
		{"reset", "Reset moves a pending value to another deadline, earlier or later, under the same ID; where the deadline is " +
			"refused, it stays at its old one.", reset},
		{"old-ids", "No ID is zero or given out twice, or valid again after its value fired or was cancelled.", oldIDs},
		{"foreign-ids", "Zero, garbage and the IDs of another scheduler are refused and do no harm. Schedulers share nothing.", foreignIDs},

		// What a driver and a reader go by.
		{"next-suffices", "A driver that only ever sleeps until Next hands out every value in time, and wakes up a bounded number of times for each.", nextSuffices},
		{"resolution", "Tick returns the tick duration that deadlines are rounded to.", resolution},

		// What operations cost, by the counters of a Meter.
		{"idle-jump", "With nothing pending a jump of any length costs nothing, at most the removal of what was cancelled.", idleJump},
		{"long-jump", "A jump of any length costs at most a pass over what is pending and over the slots, never a step per tick or rotation.", longJump},
		{"held-bound", "Cancelled entries that still take up room never outnumber the pending ones by more than MaxHeld.", heldBound},

		// Allocations and the size of the heap.
		{"no-allocations", "In a steady state no operation allocates.", noAllocations},
		{"memory-returns", "When a burst of values has passed, most of the memory that it took can be collected: a burst of " +
			"200,000, or of 20,000 where the scheduler is no Meter.", memoryReturns},

		// The model knows all rules at once.
		{"model", "Under random operations every answer is one that the contract allows.", modelAgrees},
	}
}
