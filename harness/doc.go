// Package harness measures timer schedulers.
//
// A Plan says which Contestants to measure, and how. It comes apart into cells: one experiment at one set of
// parameters. The experiments are in package experiments, whose DefaultPlan is where a program begins.
//
// Run measures a plan block by block. A block is a process: see package blocks. In it the contestants of a cell build
// what they measure and take turns, in orders that favour none. Those that mostly sleep run side by side, each in a
// process that measures several blocks. Every answer is checked while it is timed. A block
// writes a file: see package rundata. A run that was interrupted goes on with the blocks that it lacks.
//
// To measure your own scheduler, make a Contestant. New makes a bare scheduler. Start makes a driver of it. Open makes
// anything else that has an AfterFunc and a Stop, as live.Own. Cells of your own are CustomCells of the plan.
//
// Package judge compares the samples, by the medians of blocks.
package harness
