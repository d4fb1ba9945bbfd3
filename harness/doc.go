// Package harness measures timer schedulers so that the numbers can be
// trusted.
//
// A Plan says which Contestants to measure, and how, and comes apart into cells. A
// cell is one question ("what does a pair of cancel and insert cost at 100,000
// pending, delays uniform?") put to all contestants in the same minute: they take
// turns, an epoch each, in orders that favour nobody, so that what the machine does
// meanwhile hits all alike and a comparison can be made within each round. After a few
// rounds, a block, all of them build what they measure afresh: rounds on one population
// agree with each other more than with the next. Every answer is checked while it is
// timed. A cell's raw data is one sample a round, and is written to a file of its own
// when the cell is complete; a run that is interrupted resumes with the first cell that
// has no file.
//
// A program measures what it has by a Contestant with New, for a scheduler, with Start, for one
// that a driver runs, or with Open, for timers of another make: anything with
// an AfterFunc and a Stop, as live.Own. A plan
// begins as DefaultPlan or QuickPlan; what is not to be as usual is set in it.
//
// Costs are means of many operations. Tails times calls one by one, beside a clock that is read
// twice with nothing in between, and marks those during which garbage was collected.
//
// What the samples are worth is for package judge to say, by the medians of blocks.
package harness
