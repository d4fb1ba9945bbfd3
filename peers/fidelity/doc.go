// Package fidelity tells whether presets are as the originals are that they are made after:
// it measures them in turns, and judges each figure by package judge.
//
// A figure that is positive, such as a lateness or a cost, is compared by its ratio: it is the same within a margin, or
// if the difference is too small to matter. One that may be nothing, such as the share of timers that fire early, is
// compared by its difference. All answers hold together.
package fidelity
