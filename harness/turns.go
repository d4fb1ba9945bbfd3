package harness

import (
	"fmt"
	"runtime"

	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
)

// Turns is a contestant in a cell, with certain policies: the series it fills,
// and its turn.
type Turns struct {
	Series *rundata.Series
	// Also are filled by the turn itself, a sample in each.
	Also []*rundata.Series
	// Build makes what a block measures, afresh. It may be nil.
	Build func(block int) error
	// Turn runs one epoch and returns the iterations and the values measured. Rounds are
	// counted through all blocks.
	Turn func(round int) (iterations int, values rundata.Values, err error)
	// Done frees what a block has built, also if that failed half-way, and finish completes the
	// series after all blocks. They may be nil.
	Done, Finish func()

	Holds Held
	// left is why the participant is left out of the cell, "" if it is not.
	left string
}

// RoundsApart is between the numbers of the first rounds of two blocks: odd, so that what every
// other round does first alternates between blocks of one round too.
const RoundsApart = 1021

// Interleave gives each participant one turn a round, block by block. What a block
// measures is built in the order of its first round.
func Interleave(s *Session, cell string, participants []*Turns) ([]*rundata.Series, error) {
	if s.participant >= 0 {
		participants = participants[s.participant : s.participant+1]
	}
	o := blocks.NewTurnOrder(s.Random(fmt.Sprint(cell, " order ", s.First)), len(participants))
	if s.apart(participants) {
		defer s.limitMemory(participants)()
	}
	for block := s.First; block < s.First+s.count; block++ {
		if err := s.block(block, o, participants); err != nil {
			return nil, err
		}
	}
	series := lists.Each(participants, func(c *Turns) *rundata.Series { return c.Series })
	for _, c := range participants {
		s.sayLeft(c)
		series = append(series, c.Also...)
	}
	return series, nil
}

// block builds what participants measure, gives them their turns, and frees it again: of all
// at once, or of one after another where that would be too much.
func (s *Session) block(block int, o *blocks.TurnOrder, participants []*Turns) error {
	if !s.apart(participants) {
		return s.sideBySide(block, o.Next, participants)
	}
	for _, who := range o.Next() {
		alone := func() []int { return []int{0} }
		if err := s.sideBySide(block, alone, participants[who:who+1]); err != nil {
			return err
		}
		runtime.GC() // the memory is for the next one
	}
	return nil
}

// sideBySide is a block of participants that are built together and take turns.
func (s *Session) sideBySide(block int, order func() []int, participants []*Turns) error {
	defer free(participants)
	first := order()
	err := s.inOrder(participants, first, func(c *Turns) error {
		if err := s.fits(c); err != nil || c.Build == nil {
			return err
		}
		return c.Build(block)
	})
	for i := 0; i < s.Rounds && err == nil; i++ {
		if i > 0 {
			first = order()
		}
		err = s.inOrder(participants, first, func(c *Turns) error {
			iterations, values, err := c.Turn(block*RoundsApart + i)
			if err == nil {
				c.Series.Add(block, iterations, values)
			}
			return err
		})
	}
	return err
}

// oneByOne measures the participants of a cell one after another, each in some blocks of what it
// builds once: all of them, or the one that this process is for, which waits until others are ready.
func (s *Session) oneByOne(c Cell, participants []*Turns) (series []*rundata.Series, err error) {
	if s.participant >= 0 {
		participants = participants[s.participant : s.participant+1]
	}
	s.count = c.Beside.Blocks
	for _, p := range participants {
		if err := s.alone(p); err != nil {
			return nil, err
		}
		s.sayLeft(p)
		if p.Finish != nil {
			p.Finish()
		}
		series = append(append(series, p.Series), p.Also...)
	}
	return series, nil
}

// alone measures one participant.
func (s *Session) alone(c *Turns) error {
	defer free([]*Turns{c})
	who := []*Turns{c}
	err := s.inOrder(who, []int{0}, func(c *Turns) error {
		if c.Build == nil {
			return nil
		}
		return c.Build(s.First)
	})
	if err == nil && s.participant >= 0 {
		err = s.ready()
	}
	for block := s.First; block < s.First+s.count && err == nil; block++ {
		err = s.inOrder(who, []int{0}, func(c *Turns) error {
			iterations, values, err := c.Turn(block * RoundsApart)
			if err == nil {
				c.Series.Add(block, iterations, values)
			}
			return err
		})
	}
	return err
}

// inOrder calls f for each of some participants but those that are left out, unless the run
// is interrupted.
func (s *Session) inOrder(participants []*Turns, order []int, f func(*Turns) error) error {
	for _, who := range order {
		c := participants[who]
		if err := s.Ctx.Err(); err != nil {
			return err
		}
		if c.left != "" {
			continue
		}
		if err := f(c); err != nil && !c.leaveOut(err) {
			return fmt.Errorf("%s: %w", c.Series.Name(), err)
		}
		if c.left != "" {
			free([]*Turns{c})
		}
	}
	return nil
}

// free frees what participants hold.
func free(participants []*Turns) {
	for _, c := range participants {
		if c.Done != nil {
			c.Done()
		}
	}
}
