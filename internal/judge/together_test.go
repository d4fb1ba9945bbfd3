package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// about returns so many figures about 100 times a ratio, whose logarithms have exactly the
// mean of that.
func about(ratio, scatter float64, n int) (figures []float64) {
	for i := range n {
		figures = append(figures, 100*ratio*math.Exp(scatter*float64(1-2*(i%2))))
	}
	return figures
}

func TestTheSignificantCountNoMore(t *testing.T) {
	one := about(1, 0, 8)
	near, far := about(1.05, 0.05, 8), about(3, 0.05, 8)
	answersOf := func(pairs ...[]float64) (answers []Answer) {
		var all []Pair
		for _, a := range pairs {
			all = append(all, Pair{A: a, B: one, Terms: Terms{Margin: 1.001}})
		}
		for _, c := range CompareTogether(all, 1) {
			answers = append(answers, c.Answer)
		}
		return answers
	}
	require.Equal(t, []Answer{Slower}, answersOf(near), "by itself")
	require.Equal(t, []Answer{Unclear, Unclear, Unclear}, answersOf(near, about(1.001, 0.05, 8), about(1.002, 0.05, 8)))
	require.Equal(t, []Answer{Slower, Slower, Slower}, answersOf(near, far, far), "the surest come first, and leave one")
	require.Empty(t, answersOf())

	wide := CompareTogether([]Pair{{A: near, B: one}}, 5)[0]
	require.Equal(t, Compare(near, one, Terms{Comparisons: 5}).High, wide.High, "as many count as are stated")
	require.Equal(t, Unclear, wide.Answer)
	twice := CompareTogether([]Pair{{A: near, B: one, Terms: Terms{Comparisons: 3}}}, 1)[0]
	require.Equal(t, Compare(near, one, Terms{Comparisons: 3}).High, twice.High, "and as many more as the terms say")
}

func TestTheSurestOfAContestCountsAsEveryPair(t *testing.T) {
	all := []Contestant{{Name: "first", Blocks: about(1, 0, 8)}}
	for i := range 5 {
		all = append(all, Contestant{Name: fmt.Sprint(i), Blocks: about(1.5+float64(i), 0.05, 8)})
	}
	c := Compete(all, Terms{})
	require.True(t, c.Won())
	for i, comparisons := range []int{3, 6, 9, 12, 15} {
		s := c.Standings[i+1]
		require.InDelta(t, Compare(s.Blocks, all[0].Blocks, Terms{Comparisons: comparisons}).High, s.ToFirst.High, 1e-9)
	}
	two := Compete(all[:2], Terms{}).Standings[1]
	require.Equal(t, Compare(two.Blocks, all[0].Blocks, Terms{}).High, two.ToFirst.High, "of two, the one pair counts")
}

// None that is as fast as the first is called slower more often than is stated, however
// many others are, and wherever they are.
func TestContestsOfWhichSomeAreEqual(t *testing.T) {
	const draws = 2000
	r := rand.New(rand.NewPCG(9, 10))
	for _, takes := range [][]float64{{1, 1, 1, 1, 1, 1}, {1, 1, 3, 9, 27, 81}, {1, 1, 1, 2, 2, 2}, {1, 1, 1, 1, 1, 50}, {1, 1}, {1, 1, 1}} {
		wrong := 0
		for range draws {
			var all []Contestant
			for i, ratio := range takes {
				tr := trial{ratio: ratio, layout: 0.05, round: 0.02, blocks: 6, rounds: 3}
				blocks, _ := tr.times(r)
				all = append(all, Contestant{Name: fmt.Sprint(i), Blocks: blocks})
			}
			c := Compete(all, Terms{Margin: 1.0001})
			for _, s := range c.Others(Slower) {
				if takes[int(s.Name[0]-'0')] <= takes[int(c.First().Name[0]-'0')] {
					wrong++
					break
				}
			}
		}
		t.Logf("%v: %d of %d", takes, wrong, draws)
		require.LessOrEqual(t, float64(wrong), draws*0.05+3*math.Sqrt(draws*0.05*0.95), "%v", takes)
	}
}
