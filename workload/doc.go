// Package workload has streams of timer operations, made from a profile or read from a trace, that drive a scheduler as a
// real program does.
//
// A profile is a text that describes the timers of a program: how they arrive, how long their delays are, which are
// cancelled or reset and when. docs/workloads.md has the format. Builtin returns the profiles of the package, Find one of
// them or a file. A profile gives a Stream, and the stream's figures in the long run: Mix, Delay, Pending.
//
// A stream is made from a seed while it is read. When a timer is armed, its end is drawn and waits in a queue, in 16
// bytes. An operation costs O(log n) with n timers pending. BenchmarkStream has the cost.
//
// Samples, quantiles, distribution functions and means are exact, and tests compare them. Shares are of armings, by
// Schedule or Reset. A cancel with a share happens in exactly this share on average. Without a share it happens if it
// comes first.
package workload
