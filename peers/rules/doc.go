// Package rules checks timers that have their own clock against the rules of the contract that show from outside. Rules
// that package schedtest has too have the same names.
//
// Timers run in a bubble of testing/synctest. Time passes there only while all goroutines wait, so the machine makes no
// timer early or late. A bubble needs a test. The test writes its findings to a file, which the command prints.
package rules
