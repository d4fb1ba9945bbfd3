package harness

import (
	"fmt"
	"runtime"
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
	// done frees what a block has built, also if that failed half-way, and finish completes the
	// series after all blocks. They may be nil.
	done, finish func()

	holds burden
	// left is why the competitor is left out of the cell, "" if it is not.
	left string
}

// roundsApart is between the numbers of the first rounds of two blocks: odd, so that what every
// other round does first alternates between blocks of one round too.
const roundsApart = 1021

// interleave gives each competitor one turn a round, block by block. What a block
// measures is built in the order of its first round.
func interleave(s *session, cell string, competitors []*competitor) ([]*Series, error) {
	if s.participant >= 0 {
		competitors = competitors[s.participant : s.participant+1]
	}
	o := NewTurnOrder(s.random(fmt.Sprint(cell, " order ", s.first)), len(competitors))
	if s.apart(competitors) {
		defer s.limitMemory(competitors)()
	}
	for block := s.first; block < s.first+s.count; block++ {
		if err := s.block(block, o, competitors); err != nil {
			return nil, err
		}
	}
	series := each(competitors, func(c *competitor) *Series { return c.series })
	for _, c := range competitors {
		s.sayLeft(c)
		series = append(series, c.also...)
	}
	return series, nil
}

// block builds what competitors measure, gives them their turns, and frees it again: of all
// at once, or of one after another where that would be too much.
func (s *session) block(block int, o *TurnOrder, competitors []*competitor) error {
	if !s.apart(competitors) {
		return s.sideBySide(block, o.Next, competitors)
	}
	for _, who := range o.Next() {
		alone := func() []int { return []int{0} }
		if err := s.sideBySide(block, alone, competitors[who:who+1]); err != nil {
			return err
		}
		runtime.GC() // the memory is for the next one
	}
	return nil
}

// sideBySide is a block of competitors that are built together and take turns.
func (s *session) sideBySide(block int, order func() []int, competitors []*competitor) error {
	defer free(competitors)
	first := order()
	err := s.inOrder(competitors, first, func(c *competitor) error {
		if err := s.fits(c); err != nil || c.build == nil {
			return err
		}
		return c.build(block)
	})
	for i := 0; i < s.rounds && err == nil; i++ {
		if i > 0 {
			first = order()
		}
		err = s.inOrder(competitors, first, func(c *competitor) error {
			iterations, values, err := c.turn(block*roundsApart + i)
			if err == nil {
				c.series.add(block, iterations, values)
			}
			return err
		})
	}
	return err
}

// oneByOne measures the participants of a cell one after another, each in some blocks of what it
// builds once: all of them, or the one that this process is for, which waits until others are ready.
func (s *session) oneByOne(c Cell, competitors []*competitor) (series []*Series, err error) {
	if s.participant >= 0 {
		competitors = competitors[s.participant : s.participant+1]
	}
	s.count = c.beside.blocks
	for _, p := range competitors {
		if err := s.alone(p); err != nil {
			return nil, err
		}
		s.sayLeft(p)
		if p.finish != nil {
			p.finish()
		}
		series = append(append(series, p.series), p.also...)
	}
	return series, nil
}

// alone measures one participant.
func (s *session) alone(c *competitor) error {
	defer free([]*competitor{c})
	who := []*competitor{c}
	err := s.inOrder(who, []int{0}, func(c *competitor) error {
		if c.build == nil {
			return nil
		}
		return c.build(s.first)
	})
	if err == nil && s.participant >= 0 {
		err = s.ready()
	}
	for block := s.first; block < s.first+s.count && err == nil; block++ {
		err = s.inOrder(who, []int{0}, func(c *competitor) error {
			iterations, values, err := c.turn(block * roundsApart)
			if err == nil {
				c.series.add(block, iterations, values)
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
