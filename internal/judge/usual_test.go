package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// scattering returns contestants that are equal, by the standard deviations of the logarithms of their figures.
func scattering(r *rand.Rand, blocks int, by ...float64) (all []Contestant) {
	for _, deviation := range by {
		c := Contestant{}
		for range blocks {
			c.Blocks = append(c.Blocks, 100*math.Exp(deviation*r.NormFloat64()))
		}
		all = append(all, c)
	}
	return all
}

// widths returns the half-widths of the interval of the first two, with and without the others.
func widths(all []Contestant) (with, alone float64) {
	p := PairOf(all, 0, 1, Terms{})
	c := CompareTogether([]Pair{p}, 1)[0]
	p.Others = nil
	d := CompareTogether([]Pair{p}, 1)[0]
	return math.Log(c.High / c.Ratio), math.Log(d.High / d.Ratio)
}

func TestOthersModerateAScatter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	same := scattering(r, 6, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1)
	with, alone := widths(same)
	require.NotEqual(t, alone, with)
	for name, all := range map[string][]Contestant{
		"two others":                    same[:4],
		"three blocks":                  scattering(r, 3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1),
		"one that scatters much more":   scattering(r, 6, 5, 0.1, 0.1, 0.1, 0.1, 0.1),
		"the base scatters much more":   scattering(r, 6, 0.1, 5, 0.1, 0.1, 0.1, 0.1),
		"exact, and the others scatter": scattering(r, 6, 0, 0, 0.1, 0.1, 0.1, 0.1),
		"the others are exact":          scattering(r, 6, 0.1, 0.1, 0, 0, 0, 0),
	} {
		with, alone := widths(all)
		require.Equal(t, alone, with, name)
	}
}

func TestOneOfTheOthersDoesNotDecide(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	all := scattering(r, 8, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1)
	calm := usualOf([][]float64{all[2].Blocks, all[3].Blocks, all[4].Blocks, all[5].Blocks})
	all[3].Blocks[2] *= 1000
	stalled := usualOf([][]float64{all[2].Blocks, all[3].Blocks, all[4].Blocks, all[5].Blocks})
	require.Less(t, stalled.variance, 4*calm.variance)
	require.EqualValues(t, UsualDegrees, stalled.degrees)
	require.Zero(t, usualOf([][]float64{nil, {1, math.NaN()}, {0, -1}}))
}
