package harness

import (
	"fmt"
	"math/rand/v2"
	"slices"
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
	o := turnOrder{r: s.random(cell + " order"), n: len(competitors)}
	for block := range b.count {
		if err := s.block(block, b.rounds, &o, competitors); err != nil {
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
func (s *session) block(block, rounds int, o *turnOrder, competitors []*competitor) error {
	defer free(competitors)
	order := o.next()
	err := s.inOrder(competitors, order, func(c *competitor) error {
		if c.build == nil {
			return nil
		}
		return c.build(block)
	})
	for i := 0; i < rounds && err == nil; i++ {
		if i > 0 {
			order = o.next()
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

// turnOrder draws the orders of the rounds of a cell. They come in pairs, of which the
// second is the first backwards: after each pair everybody's turns have come at the
// same place on average, so that a drift over a round favours nobody. Pair by pair, as
// in E. J. Williams' designs (1949), everybody follows somebody else, until all have
// been followed; then it begins anew with other competitors in the places.
type turnOrder struct {
	r     *rand.Rand
	n     int
	round int

	places []int // whose turn comes at each place of the design
	order  []int
}

// next returns the order of the next round. It is valid until then.
func (o *turnOrder) next() []int {
	pairs := o.n // in an even number half of the rows are the others backwards
	if o.n%2 == 0 {
		pairs = o.n / 2
	}
	defer func() { o.round++ }()
	if o.round%2 == 1 {
		slices.Reverse(o.order)
		return o.order
	}
	row := o.round / 2 % max(pairs, 1)
	if row == 0 {
		o.places = o.r.Perm(o.n)
	}
	o.order = o.order[:0]
	for i := range o.n {
		// 0, 1, n-1, 2, n-2 and so on: each difference between neighbours comes once.
		place := (i + 1) / 2
		if i%2 == 0 {
			place = (o.n - i/2) % o.n
		}
		o.order = append(o.order, o.places[(place+row)%o.n])
	}
	return o.order
}
