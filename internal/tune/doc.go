// Package tune chooses a scheduler, its tick and its driver's waking for a workload on this machine, by measuring.
//
//	requirements ──▶ Candidates ──▶ Heat (virtual time) ──▶ short list ──▶ Final (real clock) ──▶ Choice
//
// Candidates follow from the workload and the requirements by rule, and rules exclude those that cannot keep the
// requirements. The heat replays the workload with each: CPU = time per operation × rate + wake-ups × the price of a
// wake-up. The final plays the workload on the real clock: the short list side by side, each in its own process, until
// the pick is clear or the time is up. A workload too fast for the real clock is replayed in turns.
//
// docs/choosing-a-tick.md has the arithmetic of a tick.
package tune
