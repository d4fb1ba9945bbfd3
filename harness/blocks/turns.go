package blocks

import (
	"math/rand/v2"
	"slices"
)

// TurnOrder draws the order of turns, round by round. Every second round is the one before it backwards: on average all
// turns then have the same place, and a drift over a round favours none. Over these pairs, as in E. J. Williams'
// designs (1949), each participant follows each other one; then it begins anew with the participants in other places.
type TurnOrder struct {
	r     *rand.Rand
	n     int
	round int

	places []int // whose turn comes at each place of the design
	order  []int
}

// NewTurnOrder returns the orders of n.
func NewTurnOrder(r *rand.Rand, n int) *TurnOrder { return &TurnOrder{r: r, n: n} }

// Next returns the order of the next round. It is valid until then.
func (o *TurnOrder) Next() []int {
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
