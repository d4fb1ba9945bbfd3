// Package harness measures timer schedulers so that the numbers can be
// trusted.
//
// A Plan says which Contestants to measure, and how, and comes apart into cells. A
// cell is one question ("what does a pair of cancel and insert cost at 100,000
// pending, delays uniform?") put to all contestants in the same minute: they take
// turns, an epoch each, in an order that rotates from round to round, so that what
// the machine does meanwhile hits all alike and a comparison can be made within each
// round. Every answer is checked while it is timed. A cell's raw data is one sample a
// round, and is written to a file of its own when the cell is complete; a run that is
// interrupted resumes with the first cell that has no file.
//
// What the samples are worth is for package judge to say: medians with
// distribution-free intervals, and "not separated" where that is the answer.
package harness
