package harness

import (
	"context"
	"fmt"
	"math/rand/v2"

	"schedbench/driver"
)

// session is one run of a plan.
type session struct {
	ctx  context.Context
	plan *Plan
}

// random returns the source of randomness of a cell. It depends on the seed and
// the cell alone, so that every contestant, and every run, gets the same.
func (s *session) random(cell string) *rand.Rand {
	h := uint64(14695981039346656037) // FNV-1a
	for _, b := range []byte(cell) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(s.plan.Seed, h))
}

// startDriver starts a driver over a scheduler of the contestant.
func startDriver(c Contestant, g Geometry, opts ...driver.Option) (*driver.Driver, error) {
	d, err := c.Start(g, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return d, nil
}

// competitor is a contestant in a cell, with certain policies: the series it fills,
// and its turn.
type competitor struct {
	series *Series
	// turn runs one epoch and returns the iterations and the values measured.
	turn func(round int) (iterations int, values map[string]float64, err error)
	// done frees what the competitor holds. It may be nil.
	done func()
}

// interleave gives each competitor one turn a round, for some rounds. The order is
// a cyclic Latin square over a fresh permutation: in as many rounds as there
// are competitors, each has every position once, so that none is favoured by when
// its turn comes.
func interleave(s *session, rounds int, competitors []*competitor) ([]*Series, error) {
	defer free(competitors)
	r := rand.New(rand.NewPCG(s.plan.Seed, uint64(len(competitors))))
	var order []int
	for round := range rounds {
		if round%len(competitors) == 0 {
			order = r.Perm(len(competitors))
		}
		for i := range competitors {
			if err := s.ctx.Err(); err != nil {
				return nil, err
			}
			c := competitors[order[(i+round)%len(competitors)]]
			iterations, values, err := c.turn(round)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.series.Name(), err)
			}
			c.series.add(iterations, values)
		}
	}
	series := make([]*Series, len(competitors))
	for i, c := range competitors {
		series[i] = c.series
	}
	return series, nil
}

// free frees what competitors hold.
func free(competitors []*competitor) {
	for _, c := range competitors {
		if c.done != nil {
			c.done()
		}
	}
}
