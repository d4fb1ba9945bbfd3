// Package tune chooses a scheduler, its tick and its driver's waking for a workload on this machine, by measuring.
//
//	requirements ──▶ Candidates ──▶ Heat (virtual time) ──▶ short list ──▶ Final (real clock) ──▶ Choice
//
// Candidates follow from the workload and the requirements by rule, and arithmetic rules out what cannot keep
// to them. The heat replays the workload with each: CPU = time per operation × rate + wake-ups × the
// price of a wake-up. The final plays the workload on the real clock with the short list side by side,
// each in a process of its own, until the pick is clear or the time is up. What a Choice says was
// measured. A workload that cannot be played in real time is replayed in turns.
//
// docs/choosing-a-tick.md has the arithmetic of a tick.
package tune
