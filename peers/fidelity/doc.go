// Package fidelity compares presets with the originals that they imitate, measured in turns, by package judge.
//
// A positive figure is compared by its ratio. It is the same within a margin, or if the difference is too small to matter. A
// figure that may be zero, such as the share of timers that fire early, is compared by its difference. All answers hold together.
package fidelity
