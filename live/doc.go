// Package live plays timers on the real clock: arrivals, or a part of a workload. It plays them against a
// driver, against time.AfterFunc, or against timers of a program (see Own). It judges the answers: which timers fired
// early, twice, though stopped, or never, and how late all others were.
//
//	s, err := live.Part{Open: open, From: steady, Length: time.Second}.Slice(ctx)
//	err = live.OnThread(func(c *live.Clock) error {
//		out, err := live.Play(ctx, c, s, start, live.Options{})
//		...
//	})
//
// A Slice is planned before it is played: when each operation is handed over, and which deadline it sets. Every use of a
// timer number is a timer of its own. Operations are handed over in batches, somewhat before a program would do them. So
// the player's sleep makes no timer late, and its waking makes no other timer more punctual. Where delays are very short,
// a worker has to be woken for them, and batches would hide that. Such arrivals are Punctual: the player spins for the
// last stretch and hands each over at its planned instant. Outcome has how late it did so, and how late the timers were.
//
// Where the system allows, the player has a thread of the operating system, with a processor besides those of the
// program. Then its sleeping and waking neither wakes nor warms a driver's worker, and its CPU time does not count. See
// OnThread. For a workload beyond MostRate and MostPending, Scale returns by how much it has to be scaled down.
package live
