// Package live plays timers on the real clock: arrivals, or consecutive slices of a
// workload, against a driver, against time.AfterFunc, or against nothing at all as
// a control. Its answers are judged: who fired early, twice, though stopped, or
// never, and how late all others were.
//
//	part := live.Part{Open: open, From: steady, Length: time.Second, Rounds: 6}
//	err := live.OnThread(func(c *live.Clock) error {
//		return part.Each(ctx, func(s *live.Slice) error {
//			out, err := live.Play(ctx, c, s, start, live.Options{})
//			...
//		})
//	})
//
// What is played is planned before: a Slice knows when each operation is handed over
// and which deadline it sets, and every use of a timer number is a timer of its
// own. Operations are handed over in batches, somewhat ahead of the time at which a
// program would do them: neither the sleep of the player makes a timer late
// nor its waking up helps others to be early. Where delays are so short that a worker has
// to be woken for them, that would hide the waking: such arrivals are Punctual, handed over
// one by one when they are planned to, by a player that spins for the last stretch, and how
// late that was is given beside how late timers fired.
//
// Where the system allows, the player has an operating system thread of its own, with
// a processor besides those of the program, and sleeps without the Go runtime's help:
// its sleeping and waking neither wakes nor warms a driver's worker, and the CPU time
// of it is left out of account. See Clock.
//
// There is one set of limits for all: Scale says by how much a workload has to be
// scaled down to keep to them.
package live
