package schedulers

// Work counts what a scheduler did, from its start. A field stays zero in a scheduler that has no such step.
type Work struct {
	// Visits counts the pending entries that were examined on the way to another one or to find out whether they are
	// due: list nodes passed by an insertion, heap entries compared while sifting, wheel entries seen by a tick that
	// does not fire them.
	Visits uint64
	// Moves counts the entries that were written to another place: heap entries sifted, wheel entries packed together
	// by a sweep. Cascades are counted apart.
	Moves uint64
	// Levels counts the heap levels that entries rose or sank through.
	Levels uint64
	// Slots counts the wheel slots that Expire opened.
	Slots uint64
	// Cascades counts the entries moved from one level of a hierarchical wheel to a lower one.
	Cascades uint64
	// Swept counts the entries of cancelled values examined or dropped by the clean-up of lazy cancellation.
	Swept uint64
	// Upkeep counts the steps of growing, shrinking and tidying the storage that an operation did beyond its own work:
	// cells made or filed away, pages made or given back.
	Upkeep uint64
	// Held is the present number of cancelled values whose entries still take up room, not a sum. It never exceeds the
	// pending values plus MaxHeld.
	Held uint64
}

// MaxHeld bounds lazy cancellation: a scheduler holds at most Len() + MaxHeld entries of cancelled values.
const MaxHeld = 2048

// Add returns the sum of the work of two spans of time, with Held as it is in the later one.
func (w Work) Add(later Work) Work {
	return Work{
		Visits:   w.Visits + later.Visits,
		Moves:    w.Moves + later.Moves,
		Levels:   w.Levels + later.Levels,
		Slots:    w.Slots + later.Slots,
		Cascades: w.Cascades + later.Cascades,
		Swept:    w.Swept + later.Swept,
		Upkeep:   w.Upkeep + later.Upkeep,
		Held:     later.Held,
	}
}

// Sub returns the work done since earlier, with Held as it is now.
func (w Work) Sub(earlier Work) Work {
	return Work{
		Visits:   w.Visits - earlier.Visits,
		Moves:    w.Moves - earlier.Moves,
		Levels:   w.Levels - earlier.Levels,
		Slots:    w.Slots - earlier.Slots,
		Cascades: w.Cascades - earlier.Cascades,
		Swept:    w.Swept - earlier.Swept,
		Upkeep:   w.Upkeep - earlier.Upkeep,
		Held:     w.Held,
	}
}
