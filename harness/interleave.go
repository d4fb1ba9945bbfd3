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
}

// blocks are how many there are in a cell, and how many rounds each has. What is
// measured within a block has one place in memory and one history, which is why only
// blocks count as independent.
type blocks struct{ count, rounds int }

// interleave gives each competitor one turn a round, block by block. What a block
// measures is built in the order of its first round.
func interleave(s *session, cell string, b blocks, competitors []*competitor) ([]*Series, error) {
	o := NewTurnOrder(s.random(cell+" order"), len(competitors))
	for block := range b.count {
		if err := s.block(block, b.rounds, o, competitors); err != nil {
			return nil, err
		}
	}
	series := each(competitors, func(c *competitor) *Series { return c.series })
	for _, c := range competitors {
		series = append(series, c.also...)
	}
	for _, one := range series {
		one.PerBlock = b.rounds
	}
	return series, nil
}

// block builds what competitors measure, gives them their turns, and frees it again.
func (s *session) block(block, rounds int, o *TurnOrder, competitors []*competitor) error {
	defer free(competitors)
	order := o.Next()
	err := s.inOrder(competitors, order, func(c *competitor) error {
		if c.build == nil {
			return nil
		}
		return c.build(block)
	})
	for i := 0; i < rounds && err == nil; i++ {
		if i > 0 {
			order = o.Next()
		}
		err = s.inOrder(competitors, order, func(c *competitor) error {
			iterations, values, err := c.turn(block*rounds + i)
			if err == nil {
				c.series.add(iterations, values)
			}
			return err
		})
	}
	return err
}

// inOrder calls f for each of some competitors, unless the run is interrupted.
func (s *session) inOrder(competitors []*competitor, order []int, f func(*competitor) error) error {
	for _, who := range order {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := f(competitors[who]); err != nil {
			return fmt.Errorf("%s: %w", competitors[who].series.Name(), err)
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
