// Package schedtest checks that a scheduler keeps the contract of package schedulers. It is for the author of any
// scheduler, not only of those in this module.
//
// An author fills in a Scheduler, which has a factory and a few figures, or calls Describe or Wheel for it, and hands it to
//
//   - RunAll, from a test: Run, Check and a long Compare;
//   - Run, from a test: one subtest for each rule of the contract;
//   - Verify, from a program: the same cases, with the results as values;
//   - Compare: a long random run beside a model that judges every answer;
//   - Check: the same comparison as a rapid state machine, which shrinks a
//     failure to a few operations;
//   - Fuzz: the same comparison under go test -fuzz.
//
// # What is checked, and what is left open
//
// A scheduler with a tick rounds a deadline up to a multiple of it, counted from instant 0. The value is due from that
// instant on, and not before. Without a tick the instant is the deadline itself. A scheduler that rounds in another way
// departs from the contract, and returns the instant in Scheduler.Due. There are two exceptions. A deadline at or before
// the clock is due at once, whatever its tick. Where the rounded instant is beyond the maximum duration, the value is
// due at the maximum.
//
// Values come out in the order of these instants, and values of one tick in any order. A value whose deadline had passed
// when it was scheduled may come out in any tick from that of its deadline to that of the clock at that moment.
//
// Nothing here reads a wall clock. The suite checks costs by counting: the work of schedulers.Meter, allocations, bytes in
// use. It schedules up to 200,000 values at once, in the order of their deadlines. A scheduler that is no Meter gets a tenth
// as many: a list that scans from the wrong end would otherwise take half a minute. The package comment of schedulers names
// each case beside its rule.
package schedtest
