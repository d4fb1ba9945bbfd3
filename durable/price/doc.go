// Package price measures what it costs that timers outlive the process: the experiment "durable".
//
// Four questions are asked of package durable, beside hierwheel behind a driver and
// time.AfterFunc, which keep timers in memory, and beside a queue that is polled, over the same engine:
//
//   - With so many timers held, what does it take to schedule and to cancel one, how many bytes
//     are they in memory and on disk, and how long does a fresh process take until it is ready
//     (cells held-N)?
//   - How late do timers fire, and what does waiting cost while nothing is due (cell live)?
//   - How late do timers fire of a cluster of three servers while the one that leads is killed and comes
//     back, and is one lost that was acknowledged (cell change)?
//   - What does the interval of a poll give and cost (cell poll)? It is a tick by another name.
//
// # How
//
// Each turn is a process of its own: the same program, started again with a job to do. What it
// holds it has opened from a folder that was filled in the same block by another process, which
// was killed, so that a fresh process finds what a crash leaves; or that was closed in order.
// The cells are harness.Outside: interleaving, files, interruption and resumption are those of
// package harness, who wins is told by package judge, and the charts are drawn by report/chart.
package price
