package harness

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/machine"
	"schedbench/internal/words"
	"schedbench/schedulers"
)

// One contestant at a time holds a very large population: all together need not fit into memory. A cell leaves out, with a
// note, a contestant that refuses its timers or would take more memory than there is. See docs/decisions/0022.

const (
	// MostAtOnce is the largest population that all contestants of a cell hold at the same time: only then what slows
	// the machine slows all alike. It is assumed to fit into memory. Above it one contestant at a time has its
	// population, in the memory of the one before.
	MostAtOnce = 1_000_000
	// lessAtOnce is MostAtOnce if all populations together would take more than half of the memory that is left.
	lessAtOnce = 100_000
	// MostJudged is the largest population with more than one block, unless a number of blocks is asked for.
	MostJudged = 10_000_000
	perTimer   = 160 // bytes that a timer is assumed to take, with what the harness keeps for it
)

// MemoryOf returns how many bytes to touch before the timers of a cell are made: for all that hold theirs at once.
func MemoryOf(n, contestants int) int64 {
	if n > MostAtOnce {
		return 0
	}
	return perTimer * int64(n) * int64(contestants)
}

// Large reports whether a population is too large to be held beside others: participants then come one after another.
func (s *Session) Large(pending int) bool { return pending > cmp.Or(s.AtOnce, MostAtOnce) }

// OnlyFull returns err if it is schedulers.ErrFull, and otherwise nil.
func OnlyFull(err error) error {
	if errors.Is(err, schedulers.ErrFull) {
		return err
	}
	return nil
}

// errTooMuch is of a population that would take more memory than there is.
var errTooMuch = errors.New("are available")

func (s *Session) memoryLeft() (bytes float64, limited bool) {
	debug.FreeOSMemory() // of those before
	bytes, limited = machine.Available()
	if most := float64(s.Plan.Memory); most > 0 && (!limited || most < bytes) {
		bytes, limited = most, true
	}
	return bytes, limited
}

// Fits returns an error if so many bytes are more than the memory that is left. The participant is then left out.
func (s *Session) Fits(takes float64) error {
	if left, limited := s.memoryLeft(); limited && takes > left {
		bytes := words.Tidy(words.Bytes)
		return fmt.Errorf("that would take about %s of memory, and %s %w", bytes(takes), bytes(left), errTooMuch)
	}
	return nil
}

// leaveOut leaves the participant out if an error only says that it cannot hold the timers of a cell.
func (c *Turns) leaveOut(err error) bool {
	if !errors.Is(err, schedulers.ErrFull) && !errors.Is(err, errTooMuch) {
		return false
	}
	c.Series.Note = fmt.Sprintf("%s the timers: %v", rundata.CannotHold, err)
	if c.Holds > 0 {
		c.Series.Note = fmt.Sprintf("%s %s timers: %v", rundata.CannotHold, words.Count(float64(c.Holds)), err)
	}
	return true
}

// sayLeft replaces the samples of a participant that was left out by those of Without.
func (c *Turns) sayLeft(rounds []int) {
	if c.Series.Note == "" || c.Series.State() == rundata.NothingDue { // which took part
		return
	}
	values := c.Without
	if values == nil {
		values = rundata.Values{rundata.ToHold: float64(c.Holds)}
	}
	for _, of := range append([]*rundata.Series{c.Series}, c.Also...) {
		*of = rundata.Series{Experiment: of.Experiment, Params: of.Params, Note: c.Series.Note}
		for _, round := range rounds {
			of.Add(round/RoundsApart, 1, values)
		}
	}
}

// limitMemory has the runtime collect garbage before memory runs out. A growing list leaves more garbage than it holds.
func (s *Session) limitMemory(participants []*Turns) (end func()) {
	if lists.Most(participants, func(c *Turns) int { return c.Holds }) <= MostAtOnce {
		return func() {}
	}
	left, limited := s.memoryLeft()
	if !limited {
		return func() {}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, int64(left)+int64(m.Sys-m.HeapReleased)))
	return func() { debug.SetMemoryLimit(before) }
}
