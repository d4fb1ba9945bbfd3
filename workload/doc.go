// Package workload describes what programs ask of their timers: streams of operations, made from a profile or read from
// a trace, that drive a scheduler as a real program would.
//
// A profile is a text that says which timers a program sets and what becomes of them: how they arrive, how long their
// delays are, which are cancelled or reset and when. docs/workloads.md has the format. Builtin returns those that come
// with the package, Find one of them or a file.
//
//	profile ──▶ Stream: schedule, cancel, reset ... in the order of their times
//	   └─────▶ Mix, Delay, Pending: what the stream has in the long run,
//	           computed from the profile, to be compared with
//
// # Streams
//
// A stream is made while it is read, from a seed. What becomes of a timer is drawn when it is armed, and kept as one
// event in a queue until it happens; so a stream costs O(log n) for an operation with n timers pending, and allocates
// nothing once it has got going. It keeps 16 bytes for each pending timer, and what append holds in reserve.
// BenchmarkStream has its cost.
//
// # Exactness
//
// Distributions are exact: samples, quantiles, distribution functions and means are of one law, tests compare them.
// Shares are of armings, a timer being armed by Schedule and by each Reset: a cancel with a share happens in exactly
// this share on average, since its time is drawn under the condition that it comes before the deadline. Without a share
// it happens if it comes first.
package workload
