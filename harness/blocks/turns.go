package blocks

import (
	"math/rand/v2"
	"slices"
)

// TurnOrder returns a function that draws the order of turns of n, round by round: each is valid until the next one. Every
// second round is the one before it backwards: on average all turns have the same place, and a drift favours none. Over
// these pairs, as in E. J. Williams' designs (1949), each participant follows each other one; then it begins anew.
func TurnOrder(r *rand.Rand, n int) (next func() []int) {
	round, pairs := -1, n // in an even number half of the rows are the others backwards
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
