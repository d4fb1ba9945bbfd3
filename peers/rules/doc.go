// Package rules checks timers with their own clock against the rules of the contract that show from outside, under the names
// that package schedtest has for them.
//
// Timers run in a bubble of testing/synctest, where no machine makes a timer early or late. A bubble needs a test: it writes
// its findings to a file, which the command prints.
package rules
