// Package harness measures timer schedulers.
//
// A Plan says which Contestants to measure, and how. It comes apart into cells: one experiment at one set of
// parameters. The experiments are in package experiments, whose DefaultPlan is where a program begins.
//
// Run measures a plan block by block. A block is a process: see package blocks. In it the participants of a cell build
// what they measure and take turns, in orders that favour none. Every answer is checked while it is timed. A block
// writes a file: see package rundata. A run that was interrupted goes on with the blocks that it lacks.
//
// A program measures its own by a Contestant: with New a scheduler, with Start one that a driver runs, with Open
// anything that has an AfterFunc and a Stop, as live.Own. Its own cells are CustomCells of the plan.
//
// What the samples are worth is for package judge to say, by the medians of blocks.
package harness
