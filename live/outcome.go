package live

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// ErrWrong means that timers did not fire as they should.
var ErrWrong = errors.New("wrong answer")

// Outcome is what became of a slice.
type Outcome struct {
	// Began is when the slice began on SystemClock; 0 if that is unknown.
	Began int64
	// Took is how long CPU time and wake-ups were measured: see Options.ToTheLast.
	Took time.Duration
	// CPU is the CPU time of the process in that time. Of the player's thread, if it has one, only the operations
	// count. ArmingCPU is the same before the clock starts, while the timers that are pending then are armed.
	// Metered is false if the system does not say.
	CPU, ArmingCPU time.Duration
	Metered        bool
	// PlayerCPU is the other CPU time of the player's thread, which is not in CPU. Where a slice is Punctual, most of
	// it is for spinning. It is 0 if the player has no thread.
	PlayerCPU time.Duration
	// Wakeups is how often a driver's worker woke, Kicks how often for a deadline before the end of its sleep.
	Wakeups, Kicks uint64
	// HandedLate is how late each operation of a Punctual slice was handed over: short timers are as late.
	HandedLate []time.Duration

	// Fired is how many timers fired; Early, how many before they were due; Lost, how many never, though they were
	// due; and Doubled, how many more than once or after they had been stopped.
	Fired, Early, Lost, Doubled int
	// Firings are the first firings of timers that were due within the slice or fired early, roughly in order of time.
	Firings []Firing
}

// Firing is when a timer fired, and its deadline.
type Firing struct {
	Timer        int32
	At, Deadline time.Duration
}

// Late returns how late a timer fired: negative if it was early.
func (f Firing) Late() time.Duration { return f.At - f.Deadline }

// Check returns ErrWrong, with the counts, if there is a wrong answer.
func (o *Outcome) Check() error {
	if o.Early+o.Doubled+o.Lost == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d timers fired early, %d more than once or after they were stopped, and %d never; %d fired",
		ErrWrong, o.Early, o.Doubled, o.Lost, o.Fired)
}

// notes are when tasks ran, in that order. Goroutines may write to them at once, and while they are read.
type notes struct {
	count *atomic.Int64
	list  []note
}

// note is when a task ran. It can be read once timer is set: to the number of the timer, plus 1.
type note struct {
	at    time.Duration
	timer atomic.Int32
}

// newNotes returns notes of n timers, some of which may fire more than once.
func newNotes(n int) notes { return notes{new(atomic.Int64), make([]note, n+n/4+16)} }

func (n *notes) add(timer int32, at time.Duration) {
	if i := n.count.Add(1) - 1; i < int64(len(n.list)) {
		n.list[i].at = at
		n.list[i].timer.Store(timer + 1)
	}
}

// each calls f for what has been noted.
func (n *notes) each(f func(timer int32, at time.Duration)) {
	for i := range min(n.count.Load(), int64(len(n.list))) {
		if timer := n.list[i].timer.Load(); timer > 0 {
			f(timer-1, n.list[i].at)
		}
	}
}

// expected reports whether a timer is to fire within the slice.
func (p *player) expected(i int32) bool { return !p.stopped[i] && p.deadline[i] <= p.Length }

func (p *player) due() (n int) {
	for i := range p.deadline {
		if p.expected(int32(i)) {
			n++
		}
	}
	return n
}

// allFired reports whether all that is expected has fired. due is its number.
func (p *player) allFired(due int) bool {
	seen := make([]bool, p.Timers)
	p.notes.each(func(i int32, _ time.Duration) {
		if !seen[i] && p.expected(i) {
			due--
		}
		seen[i] = true
	})
	return due == 0
}

// judge counts what went wrong and collects firings. A stopped timer that fired is doubled, not early.
func (p *player) judge(o *Outcome) {
	times := make([]uint8, p.Timers)
	o.Firings = make([]Firing, 0, p.Timers)
	p.notes.each(func(i int32, at time.Duration) {
		if times[i] = min(times[i]+1, 2); times[i] > 1 {
			return
		}
		f := Firing{i, at, p.deadline[i]}
		early := f.Late() < 0 && !p.stopped[i]
		if early {
			o.Early++
		}
		if early || p.expected(i) {
			o.Firings = append(o.Firings, f)
		}
	})
	for i, n := range times {
		switch {
		case n > 0:
			o.Fired++
		case p.expected(int32(i)):
			o.Lost++
		}
		if n > 1 || n > 0 && p.stopped[i] {
			o.Doubled++
		}
	}
}

// OutcomeOf judges a slice that something other than Play has played. fired has every firing of a timer, in order of
// time. No timer of the slice may be stopped or moved.
func OutcomeOf(s *Slice, fired []Firing) *Outcome {
	p := newPlayer(context.Background(), nil, s, Options{})
	copy(p.deadline, s.Pending)
	for _, op := range s.Ops {
		p.deadline[op.Timer] = op.Deadline
	}
	for _, f := range fired {
		p.notes.add(f.Timer, f.At)
	}
	var o Outcome
	p.judge(&o)
	return &o
}
