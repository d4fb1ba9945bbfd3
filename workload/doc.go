// Package workload has streams of timer operations, made from a profile or read from a trace, that drive a scheduler as a
// real program does.
//
// A profile is a text that describes the timers of a program: how they arrive, how long their delays are, which are
// cancelled or reset and when. docs/workloads.md has the format. Builtin returns the profiles of the package, Find one of
// them or a file.
//
//	profile ──▶ Stream: schedule, cancel, reset ... in the order of their times
//	   └─────▶ Mix, Delay, Pending: the stream in the long run, computed from the profile
//
// # Streams
//
// A stream is made from a seed while it is read. When a timer is armed, its end is drawn, and waits as one event in a
// queue. So an operation costs O(log n) with n timers pending, and allocates nothing in the long run. A pending timer
// takes 16 bytes, and what append holds in reserve. BenchmarkStream has the cost.
//
// # Exactness
//
// Distributions are exact: samples, quantiles, distribution functions and means are of one law, and tests compare them.
// Shares are of armings: Schedule arms a timer, and so does each Reset. A cancel with a share happens in exactly this
// share on average: its time is drawn on condition that it comes before the deadline. Without a share it happens if it
// comes first.
package workload
