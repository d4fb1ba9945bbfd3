// Package schedtest checks that a scheduler keeps the contract written in
// package schedulers. It is meant for the author of any scheduler, not only of
// the five in this module.
//
// An author describes the scheduler in a Subject, a factory and a few figures,
// and hands it to
//
//   - Run, from a test: one subtest for each rule of the contract;
//   - Verify, from a program: the same cases, with the results as values;
//   - Compare: a long random run beside a model that judges every answer;
//   - Check: the same comparison as a rapid state machine, which shrinks a
//     failure to a few operations;
//   - Fuzz: the same comparison under go test -fuzz.
//
// # What is checked, and what is left open
//
// A scheduler with a tick rounds a deadline up to a multiple of it, counted
// from instant 0. The value is due from that instant on, and not before. A
// scheduler without a tick does the same with the deadline itself, and one that
// rounds in another way, which departs from the contract, returns the instant in
// Subject.Due. Two cases
// have no such instant. A deadline at or before the clock is due at once,
// whatever its tick; and where the rounded instant is beyond the maximum
// duration, the value is due at the maximum.
//
// Values come out in the order of these instants, and which of several values
// of one tick comes first is open. So is the turn of a value whose deadline had
// passed when it was scheduled: anywhere between the tick of its deadline and
// the tick of the clock at that moment is accepted.
//
// Nothing here looks at a clock on the wall. Claims about cost are checked by
// counting: the work counters of schedulers.Meter, allocations, bytes in use.
// Up to 200,000 values are scheduled at once, in the order of their deadlines or
// against it, whichever the counters show to be less work: a sorted list
// can take part. What counts nothing may be a list that is scanned from the wrong
// end, and take half a minute for that: it gets a tenth as many values, in
// ascending order.
//
// The package comment of schedulers names each case beside the rule that it checks.
package schedtest
