package harness

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"schedbench/harness/rundata"
	"schedbench/internal/lists"
)

// Turns is a contestant in a cell, with certain policies: the series it fills, and its turn.
type Turns struct {
	Series *rundata.Series
	// Also are filled by the turn itself.
	Also []*rundata.Series
	// Build makes what the turns measure, afresh. It may be nil.
	Build func() error
	// Turn runs one epoch and returns the iterations and the values measured, or none if it has added them to the
	// series itself. Rounds are counted through all blocks.
	Turn func(round int) (iterations int, values rundata.Values, err error)
	// Done frees what a block has built, also half-built, and Finish completes the series after all blocks. They may be nil.
	Done   func()
	Finish func() error

	Holds int // timers, at a time; 0 is few
	// Without has the values that each round records for a participant that is left out. nil stands for the number of
	// timers that it was to hold.
	Without rundata.Values
}

// RoundsApart is the difference between the numbers of the first rounds of neighbouring blocks. It is odd: what
// alternates from round to round also alternates from block to block.
const RoundsApart = 1021

// take gives each participant its turns, usually one turn a round. In a cell with parallel blocks, with a very large
// population, or Apart, participants come one after another. Each then takes the turns of all its rounds.
func (s *Session) take(c Cell, participants []*Turns) ([]*rundata.Series, error) {
	if s.participant > 0 {
		participants = participants[s.participant-1 : s.participant]
	}
	rounds, sets := s.rounds(c), [][]*Turns{participants}
	order := turnOrder(s.Random(fmt.Sprint(c.Name, " order ", s.First)), len(participants))
	if c.ParallelBlocks > 0 || c.Apart || slices.ContainsFunc(participants, func(t *Turns) bool { return s.Large(t.Holds) }) {
		defer s.limitMemory(participants)()
		sets = lists.Each(order(), func(who int) []*Turns { return participants[who : who+1] })
		order = func() []int { return []int{0} }
	}
	for i, set := range sets {
		if i > 0 {
			s.Collect() // the memory is for the next one
		}
		if err := s.together(set, rounds, order); err != nil {
			return nil, err
		}
	}
	return s.finish(participants, rounds)
}

// rounds returns the numbers of the rounds of a cell: those of its block, or of all blocks if it is measured beside others.
func (s *Session) rounds(c Cell) (numbers []int) {
	for i := range c.ParallelBlocks {
		numbers = append(numbers, (s.First+i)*RoundsApart)
	}
	for i := 0; i < s.Rounds && c.ParallelBlocks == 0; i++ {
		numbers = append(numbers, s.First*RoundsApart+i)
	}
	return numbers
}

func (s *Session) finish(participants []*Turns, rounds []int) ([]*rundata.Series, error) {
	series := lists.Each(participants, func(c *Turns) *rundata.Series { return c.Series })
	for _, c := range participants {
		if c.Finish != nil {
			if err := c.Finish(); err != nil {
				return nil, err
			}
		}
		c.sayLeft(rounds)
		series = append(series, c.Also...)
	}
	return series, nil
}

// roundsOfGarbage is how many rounds share a collection of garbage: it takes longer than a round.
const roundsOfGarbage = 4

// together builds what the participants measure, gives each a turn in each round, and frees everything at the end. In a
// process of one participant the rounds begin once the other processes are ready.
func (s *Session) together(participants []*Turns, rounds []int, order func() []int) error {
	defer free(participants)
	next := order()
	err := s.inOrder(participants, next, func(c *Turns) error {
		if c.Build == nil {
			return nil
		}
		return c.Build()
	})
	if err == nil && s.participant > 0 {
		err = s.ready()
	}
	for i := 0; i < len(rounds) && err == nil; i++ {
		if i > 0 {
			next = order()
		}
		if s.collects && i%roundsOfGarbage == 0 {
			s.Collect()
		}
		err = s.inOrder(participants, next, func(c *Turns) error {
			iterations, values, err := c.Turn(rounds[i])
			if err == nil && (iterations > 0 || values != nil) {
				c.Series.Add(rounds[i]/RoundsApart, iterations, values)
			}
			return err
		})
	}
	return err
}

// inOrder calls f for each of some participants but those that are left out, unless the run is interrupted.
func (s *Session) inOrder(participants []*Turns, order []int, f func(*Turns) error) error {
	for _, who := range order {
		c := participants[who]
		if err := s.Ctx.Err(); err != nil {
			return err
		}
		if c.Series.Note != "" {
			continue
		}
		if err := f(c); err != nil {
			if !c.leaveOut(err) {
				return fmt.Errorf("%s: %w", c.Series.Name(), err)
			}
			free([]*Turns{c})
		}
	}
	return nil
}

func free(participants []*Turns) {
	for _, c := range participants {
		if c.Done != nil {
			c.Done()
		}
	}
}

// turnOrder returns a function that draws the order of n turns, round by round. An order is valid until the next call.
// Every second round reverses the round before: on average all turns have the same place, and a drift favours none.
// Within a design each participant follows each other one, as in E. J. Williams' designs (1949). Then turnOrder draws a
// new design.
func turnOrder(r *rand.Rand, n int) (next func() []int) {
	round, pairs := -1, n // for an even n half of the rows reverse the others
	if n%2 == 0 {
		pairs = n / 2
	}
	var places []int // whose turn comes at each place of the design
	var order []int
	return func() []int {
		if round++; round%2 == 1 {
			slices.Reverse(order)
			return order
		}
		row := round / 2 % max(pairs, 1)
		if row == 0 {
			places = r.Perm(n)
		}
		order = order[:0]
		for i := range n {
			// 0, 1, n-1, 2, n-2 and so on: each difference between neighbours comes once.
			place := (i + 1) / 2
			if i%2 == 0 {
				place = (n - i/2) % n
			}
			order = append(order, places[(place+row)%n])
		}
		return order
	}
}
