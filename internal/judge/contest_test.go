package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAContestNamesWhoIsFirst(t *testing.T) {
	c := Compete([]Contestant{
		{Name: "slow", Blocks: []float64{30, 31, 30, 29, 30, 30}},
		{Name: "fast", Blocks: []float64{10, 11, 10, 10, 10, 10}},
		{Name: "absent"},
		{Name: "near", Blocks: []float64{10.2, 11.1, 10, 10.1, 10, 10}},
	}, Terms{})
	require.Equal(t, "fast", c.First().Name)
	require.Len(t, c.Standings, 3)
	require.False(t, c.Won())
	require.Equal(t, "near", c.Others(AsFast)[0].Name)
	require.Equal(t, "slow", c.Others(Slower)[0].Name)
	require.Empty(t, c.Others(Unclear))
	require.False(t, Compete(nil, Terms{}).Won())
}

// One is always first; that it is said of one of many that are equal is as rare as
// is stated, and so is that another is called slower than it.
func TestEqualContestantsHaveNoWinner(t *testing.T) {
	const draws = 1000
	for _, tr := range scenarios() {
		tr.blocks, tr.rounds, tr.ratio = 8, 3, 1
		r := rand.New(rand.NewPCG(7, 8))
		won, slower := 0, 0
		for range draws {
			var all []Contestant
			for i := range 3 {
				a, b := tr.times(r)
				all = append(all, Contestant{Name: string(rune('a' + i)), Blocks: a}, Contestant{Name: string(rune('p' + i)), Blocks: b})
			}
			c := Compete(all, Terms{Margin: 1.0001})
			if c.Won() {
				won++
			}
			if len(c.Others(Slower)) > 0 {
				slower++
			}
		}
		most := draws*0.05 + 3*math.Sqrt(draws*0.05*0.95)
		t.Logf("%s: %d won, %d slower of %d", tr.name, won, slower, draws)
		require.LessOrEqual(t, float64(won), most, tr.name)
		require.LessOrEqual(t, float64(slower), most, tr.name)
	}
}

func TestNoiseIsHowFarACopyCameOut(t *testing.T) {
	require.Equal(t, 1.0, Noise(Comparison{}))
	require.InDelta(t, 1.25, Noise(Comparison{Ratio: 0.8, Blocks: 6}), 1e-12)
	require.InDelta(t, 1.1, Noise(Comparison{Ratio: 1.1, Blocks: 6}), 1e-12)
}
