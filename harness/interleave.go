package harness

import (
	"fmt"
)

// competitor is a contestant in a cell, with certain policies: the series it fills,
// and its turn.
type competitor struct {
	series *Series
	// also are filled by the turn itself, a sample in each.
	also []*Series
	// build makes what a block measures, afresh. It may be nil.
	build func(block int) error
	// turn runs one epoch and returns the iterations and the values measured. Rounds are
	// counted through all blocks.
	turn func(round int) (iterations int, values sample, err error)
	// done frees what a block has built, also if that failed half-way. It may be nil.
	done func()

	holds burden
	// left is why the competitor is left out of the cell, "" if it is not.
	left string
}

// blocks are how many there are in a cell, and how many rounds each has. What is
// measured within a block has one place in memory and one history, which is why only
// blocks count as independent.
type blocks struct{ count, rounds int }

// interleave gives each competitor one turn a round, block by block. What a block
// measures is built in the order of its first round.
func interleave(s *session, cell string, b blocks, competitors []*competitor) ([]*Series, error) {
	o := NewTurnOrder(s.random(cell+" order"), len(competitors))
	if s.apart(competitors) {
		defer s.limitMemory()()
	}
	for block := range b.count {
		if err := s.block(block, b.rounds, o, competitors); err != nil {
			return nil, err
		}
	}
	series := each(competitors, func(c *competitor) *Series { return c.series })
	for _, c := range competitors {
		c.sayLeft(b.count * b.rounds)
		series = append(series, c.also...)
	}
	for _, one := range series {
		one.PerBlock = b.rounds
	}
	return series, nil
}

// block builds what competitors measure, gives them their turns, and frees it again: of all
// at once, or of one after another where that would be too much.
func (s *session) block(block, rounds int, o *TurnOrder, competitors []*competitor) error {
	if !s.apart(competitors) {
		return s.sideBySide(block, rounds, o.Next, competitors)
	}
	for _, who := range o.Next() {
		alone := func() []int { return []int{0} }
		if err := s.sideBySide(block, rounds, alone, competitors[who:who+1]); err != nil {
			return err
		}
	}
	return nil
}

// sideBySide is a block of competitors that are built together and take turns.
func (s *session) sideBySide(block, rounds int, order func() []int, competitors []*competitor) error {
	defer free(competitors)
	first := order()
	err := s.inOrder(competitors, first, func(c *competitor) error {
		if err := s.fits(c); err != nil || c.build == nil {
			return err
		}
		return c.build(block)
	})
	for i := 0; i < rounds && err == nil; i++ {
		if i > 0 {
			first = order()
		}
		err = s.inOrder(competitors, first, func(c *competitor) error {
			iterations, values, err := c.turn(block*rounds + i)
			if err == nil {
				c.series.add(iterations, values)
			}
			return err
		})
	}
	return err
}

// inOrder calls f for each of some competitors but those that are left out, unless the run
// is interrupted.
func (s *session) inOrder(competitors []*competitor, order []int, f func(*competitor) error) error {
	for _, who := range order {
		c := competitors[who]
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if c.left != "" {
			continue
		}
		if err := f(c); err != nil && !c.leaveOut(err) {
			return fmt.Errorf("%s: %w", c.series.Name(), err)
		}
		if c.left != "" {
			free([]*competitor{c})
		}
	}
	return nil
}

// free frees what competitors hold.
func free(competitors []*competitor) {
	for _, c := range competitors {
		if c.done != nil {
			c.done()
		}
	}
}
