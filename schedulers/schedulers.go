// Package schedulers defines what a timer scheduler is: the contract that the schedulers of this module keep. Any other
// scheduler can keep it, to be driven, tested and measured beside them.
//
// A scheduler holds values, each with a deadline, and hands them out once their deadline has come. It owns no clock,
// lock or goroutine. The caller passes the time in, as a duration since the scheduler's start on a monotonic clock, and
// calls from one goroutine at a time. Package driver adds the clock and the goroutines; package schedtest checks every
// rule written here.
//
// # The rules
//
// The rules are those of the interfaces below, and what follows from them. schedtest has a case for the name in brackets.
// A model judges each answer in most cases, and what Len, Next, Peek and All say after each operation. It judges long
// random runs as well [model].
//
// Time. Instants count from the scheduler's start; negative ones count as zero. The clock is the largest now that Expire
// was given: it never goes back, and a now that is given again brings only what has not come out yet [clock-backwards].
// A value never comes out before its deadline. A scheduler with a tick rounds deadlines up to multiples of the tick,
// counted from instant 0. So a value is late by less than a tick, and without a tick by nothing. Everything up to the
// maximum duration is a deadline. A scheduler may refuse a deadline beyond a horizon with ErrBeyondHorizon, and then
// keeps nothing; the horizon moves with the clock [in-time]. A deadline at or before the clock is due at the next
// Expire, also while the clock stands at the maximum duration [past-deadline].
//
// Expire. Values come out in the order of their ticks, those of one tick in any order. Values that do not fit into the
// buffer come out in the next calls [order]. All of them come out, also equal ones [same-value], each once, however many
// [many-values]. A buffer of length 0 moves the clock and loses nothing [clock-backwards].
//
// Cancel. Cancel is true once for a pending value [cancel] and touches no other [cancel-spares-others]. It is false for a
// value that was handed out, and true for one that is due but had no room in the buffer [waiting]. No ID is zero or
// given out twice, or ever valid again [old-ids]. Zero, garbage and the IDs of another scheduler are refused. Two
// schedulers share nothing [foreign-ids].
//
// Len and Next. Len counts the values that were scheduled and neither cancelled nor handed out. Next has an instant
// exactly while something is pending. Before that instant Expire yields nothing. It is at or before the clock exactly
// when something is due already, and ahead again once that was taken away [waiting]. Sleeping until Next, again and
// again, hands out every value in time, with a bounded number of instants for each [next-suffices].
//
// Optional interfaces. Reset moves a value under its ID. Where it refuses, it changes nothing [reset]. It also moves a
// value that is due and was not handed out [waiting]. All yields the pending values, each once, and can be left early.
// Peek shows what Expire hands out at Next. Tick is the tick that deadlines are rounded to [resolution].
//
// Cost. With nothing pending a jump of the clock costs nothing [idle-jump]. Otherwise it costs at most a pass over the
// pending values and the slots [long-jump]. Entries of cancelled values never outnumber pending values by more than
// MaxHeld [held-bound]. These are checked by the counters of a Meter, where there are any. In a steady state, in which as
// many values come as go, no operation allocates [no-allocations]. When a burst of values has passed, most of the memory
// that it took can be collected [memory-returns].
package schedulers

import (
	"iter"
	"time"
)

// Scheduler holds values of type T until their deadlines. The comment of the package has the rules.
type Scheduler[T any] interface {
	// Schedule keeps value until deadline and returns the ID that cancels it. After an error nothing is kept; the error
	// wraps one of this package's.
	Schedule(deadline time.Duration, value T) (ID, error)

	// Cancel reports whether id was pending. If so, its value will never come out of Expire. Any other id is refused with
	// false and does no harm.
	Cancel(id ID) bool

	// Expire moves the clock to now, stores due values in due, and returns how many it stored. Like io.Reader's Read it
	// may be called again: n == len(due) means that more may be due, so call again with the same now. A now before the
	// clock changes nothing and returns 0.
	Expire(now time.Duration, due []T) (n int)

	// Next returns a lower bound of the next instant at which Expire has work to do. A driver may sleep until then:
	// calling Expire earlier yields nothing. The work may be internal (a cascade). Then Expire yields nothing at that
	// instant either, and moves Next forward. An instant at or before the clock means that something is due already.
	// ok is false exactly when nothing is pending.
	Next() (wake time.Duration, ok bool)

	// Len returns the number of pending values: scheduled, and neither cancelled nor handed out.
	Len() int
}

// ID names one pending value of one scheduler. It combines a cell, which is reused, with a generation, which rises with
// each use of the cell. Once its value has fired or been cancelled, an ID never becomes valid again. The zero ID is
// never valid.
type ID uint64

// MakeID returns the ID of a cell at a generation.
func MakeID(cell, generation uint32) ID { return ID(generation)<<32 | ID(cell) }

// Cell returns the cell that id was made from.
func (id ID) Cell() uint32 { return uint32(id) }

// Generation returns the generation that id was made from.
func (id ID) Generation() uint32 { return uint32(id >> 32) }

// Resetter is implemented by schedulers that can move a pending value to another deadline under the same ID.
type Resetter interface {
	// Reset moves the pending value of id to deadline, as if it had been cancelled and scheduled again under the same
	// ID. It reports false, and changes nothing, when id is not pending. An error is one that Schedule would have
	// returned for that deadline. Then the value stays pending at its old deadline, and Reset reports true.
	Reset(id ID, deadline time.Duration) (bool, error)
}

// Ranger is implemented by schedulers that can list what is pending.
type Ranger[T any] interface {
	// All yields every pending value with its ID, each once, in any order. The scheduler must not change meanwhile.
	All() iter.Seq2[ID, T]
}

// Peeker is implemented by schedulers that show what Next waits for.
type Peeker[T any] interface {
	// Peek returns what Next returns, and one of the values that Expire hands out at that instant.
	// ok is false if nothing is pending, or if Expire has something else to do first.
	Peek() (wake time.Duration, value T, ok bool)
}

// Resolution is implemented by schedulers that round deadlines up to a tick.
type Resolution interface {
	// Tick returns the tick duration. A value fires less than one tick late.
	Tick() time.Duration
}

// Approximate is implemented by schedulers that may be later than a tick, the more the farther a deadline is from their
// clock. A clock that stands behind the present makes deadlines look farther than they are. So a caller that sleeps
// between two calls of Expire calls it before Schedule too.
type Approximate interface {
	// Lateness bounds how late a value comes out whose deadline is delay after the clock when it is scheduled.
	Lateness(delay time.Duration) time.Duration
}

// Meter is implemented by schedulers that count their own work. The counts depend on the operations alone, not on the
// machine, so they prove claims of complexity that a clock cannot.
type Meter interface {
	// Work returns the work done since the scheduler was made.
	Work() Work
}
