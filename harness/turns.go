package harness

import (
	"fmt"

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
	Done   func()
	Finish func() error

	Holds Held
	// left is why the participant is left out of the cell, "" if it is not.
	left string
}

// RoundsApart is between the numbers of the first rounds of two blocks: odd. What every other round does first then alternates between blocks of one round too.
const RoundsApart = 1021

// interleave gives each participant one turn a round, block by block. What a block
// measures is built in the order of its first round.
func (s *Session) interleave(cell string, participants []*Turns) ([]*rundata.Series, error) {
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
	return s.finish(participants)
}

// finish returns the series of participants that have taken their turns.
func (s *Session) finish(participants []*Turns) ([]*rundata.Series, error) {
	series := lists.Each(participants, func(c *Turns) *rundata.Series { return c.Series })
	for _, c := range participants {
		s.sayLeft(c)
		if c.Finish != nil {
			if err := c.Finish(); err != nil {
				return nil, err
			}
		}
		series = append(series, c.Also...)
	}
	return series, nil
}

// round is one of a block, by its number among those of all blocks.
type round struct{ block, number int }

// first is the order of a single participant.
func first() []int { return []int{0} }

// block builds what participants measure, gives them their turns, and frees it again: of all
// at once, or of one after another where that would be too much.
func (s *Session) block(block int, o *blocks.TurnOrder, participants []*Turns) error {
	var rounds []round
	for i := range s.Rounds {
		rounds = append(rounds, round{block, block*RoundsApart + i})
	}
	if !s.apart(participants) {
		return s.together(participants, rounds, o.Next)
	}
	for _, who := range o.Next() {
		if err := s.together(participants[who:who+1], rounds, first); err != nil {
			return err
		}
		s.Collect() // the memory is for the next one
	}
	return nil
}

// together builds what participants measure, in the order of the first round, and gives them a turn each round. A
// process that is for one participant begins when others are ready.
func (s *Session) together(participants []*Turns, rounds []round, order func() []int) error {
	defer free(participants)
	next := order()
	err := s.inOrder(participants, next, func(c *Turns) error {
		if err := s.fits(c); err != nil || c.Build == nil {
			return err
		}
		return c.Build(rounds[0].block)
	})
	if err == nil && s.participant >= 0 {
		err = s.ready()
	}
	for i := 0; i < len(rounds) && err == nil; i++ {
		if i > 0 {
			next = order()
		}
		r := rounds[i]
		err = s.inOrder(participants, next, func(c *Turns) error {
			iterations, values, err := c.Turn(r.number)
			if err == nil {
				c.Series.Add(r.block, iterations, values)
			}
			return err
		})
	}
	return err
}

// oneByOne measures the participants of a cell one after another, each in some blocks of what it
// builds once: all of them, or the one that this process is for.
func (s *Session) oneByOne(c Cell, participants []*Turns) ([]*rundata.Series, error) {
	if s.participant >= 0 {
		participants = participants[s.participant : s.participant+1]
	}
	s.count = c.Beside.Blocks
	var rounds []round
	for block := s.First; block < s.First+s.count; block++ {
		rounds = append(rounds, round{block, block * RoundsApart})
	}
	for i := range participants {
		if err := s.together(participants[i:i+1], rounds, first); err != nil {
			return nil, err
		}
	}
	return s.finish(participants)
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
