package blocks

import (
	"math/rand/v2"
	"slices"
)

// TurnOrder returns a function that draws the order of n turns, round by round. An order is valid until the next call.
// Every second round reverses the round before: on average all turns have the same place, and a drift favours none.
// Within a design each participant follows each other one, as in E. J. Williams' designs (1949). Then TurnOrder draws a
// new design.
func TurnOrder(r *rand.Rand, n int) (next func() []int) {
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
