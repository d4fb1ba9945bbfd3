// Package rules checks timers that have a clock of their own against those rules of the contract that can be seen from
// outside, and tells which they keep and break. Rules that package schedtest has too have its names.
//
// Timers run in a bubble of testing/synctest, where time passes only while all goroutines wait, so that nothing is late
// because of the machine: what is early or late here is so by how the timers are built. A bubble takes a test; what it
// finds is in a file that the command prints, and that the test holds to what it finds.
package rules
