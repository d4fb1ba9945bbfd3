package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// trial makes the times that contestants show in blocks of rounds.
type trial struct {
	name                  string
	ratio                 float64
	layout, round         float64 // scatter of blocks and of rounds, as that of logarithms
	outliers, outlierSize float64
	drift                 float64 // over all rounds, the same for both
	stalled               bool    // one round takes ten times as long
	blocks, rounds        int
}

// times returns the medians of blocks of two contestants, of which the first takes ratio times as long.
func (tr trial) times(r *rand.Rand) (a, b []float64) {
	all := tr.blocks * tr.rounds
	stall := -1
	if tr.stalled {
		stall = r.IntN(all)
	}
	one := func(ratio float64) []float64 {
		var samples []float64
		for block := range tr.blocks {
			base := 100 * ratio * math.Exp(tr.layout*r.NormFloat64())
			for round := range tr.rounds {
				i := block*tr.rounds + round
				noise := tr.round * r.NormFloat64()
				if r.Float64() < tr.outliers {
					noise = math.Abs(noise) * tr.outlierSize
				}
				v := base * math.Exp(noise+tr.drift*float64(i)/float64(all))
				if i == stall {
					v *= 10
				}
				samples = append(samples, v)
			}
		}
		of := make([]int, len(samples))
		for i := range of {
			of[i] = i / tr.rounds
		}
		return Blocks(samples, of)
	}
	return one(tr.ratio), one(1)
}

func (tr trial) String() string {
	return fmt.Sprintf("%s, ratio %.3g, %d blocks of %d", tr.name, tr.ratio, tr.blocks, tr.rounds)
}

// rates returns the shares of the answers that a way of comparing gives in so many draws.
func (tr trial) rates(compare func(a, b []float64, t Terms) Comparison, t Terms, draws int) map[Answer]float64 {
	r := rand.New(rand.NewPCG(1, uint64(tr.ratio*1000)))
	shares := map[Answer]float64{}
	for range draws {
		a, b := tr.times(r)
		shares[compare(a, b, t).Answer] += 1 / float64(draws)
	}
	return shares
}

// scenarios are ways in which a machine spoils measurements.
func scenarios() []trial {
	return []trial{
		{name: "layout 1 %", layout: 0.007, round: 0.02},
		{name: "layout 3 %", layout: 0.02, round: 0.02},
		{name: "layout 10 %", layout: 0.07, round: 0.02},
		{name: "noisy rounds with outliers", layout: 0.02, round: 0.08, outliers: 0.05, outlierSize: 10},
		{name: "drift", layout: 0.02, round: 0.02, drift: 0.3},
		{name: "a stalled round", layout: 0.02, round: 0.02, stalled: true},
	}
}

func TestFalseSentencesAreAsRareAsIsSaid(t *testing.T) {
	const draws = 1000
	for _, tr := range scenarios() {
		tr.blocks, tr.rounds = 6, 3
		for _, comparisons := range []int{1, 5} {
			// The rate of 5 % that is stated, with three deviations of a rate that is counted.
			stated := (1 - Confidence) / float64(comparisons)
			most := stated + 3*math.Sqrt(stated*(1-stated)/draws)
			terms := Terms{Comparisons: comparisons, Margin: 1.0001}
			tr.ratio = 1
			equal := tr.rates(Compare, terms, draws)
			require.LessOrEqual(t, equal[Faster]+equal[Slower], most, "%v: equal contestants called different", tr)
			for _, ratio := range []float64{1.1, 1.25, 2, 15} {
				tr.ratio = ratio
				got := tr.rates(Compare, Terms{Comparisons: comparisons}, draws)
				require.LessOrEqual(t, got[Faster], most, "%v: the slower called faster", tr)
				if ratio > Margin {
					require.LessOrEqual(t, got[AsFast], most, "%v: called as fast", tr)
				}
			}
		}
	}
}

func TestDifferencesAreSeen(t *testing.T) {
	for _, tr := range scenarios() {
		tr.blocks, tr.rounds = 6, 3
		for ratio, least := range map[float64]float64{2: 0.95, 15: 0.995} {
			tr.ratio = ratio
			require.Greater(t, tr.rates(Compare, Terms{Comparisons: 5}, 300)[Slower], least, "%v", tr)
		}
	}
}

func TestTooFewBlocksTellNothing(t *testing.T) {
	none := Compare(nil, nil, Terms{})
	require.Equal(t, Unclear, none.Answer)
	require.True(t, math.IsNaN(none.Value))
	require.Equal(t, 2, none.More())

	one := Compare([]float64{150}, []float64{10}, Terms{})
	require.Equal(t, Unclear, one.Answer)
	require.True(t, one.Low == 0 && math.IsInf(one.High, 1))
	require.Equal(t, 1, one.More())
}

// What slows a round down for all is found, also where one contestant has a slow round of its own.
func TestARoundIsSlowForAll(t *testing.T) {
	require.InDeltaSlice(t, []float64{1, 1.5, 1, 0.5}, Levels([][]float64{{10, 15, 10, 5}, {200, 300, 200, 100}, {7, 10.5, 70, 3.5}}), 1e-12)
	require.InDeltaSlice(t, []float64{1, 2, 0.5}, Levels([][]float64{{1, 2, 0.5}, {3, 6, 1.5}}), 1e-12)
	for _, none := range [][][]float64{nil, {{1, 2, 3}}, {{1, 2}, {2, 4}}, {{1, 2, 3}, {2, 4}}, {{1, 2, 3}, {2, 0, 6}}, {{1, 2, 3}, {2, math.NaN(), 6}}} {
		require.Nil(t, Levels(none), "%v", none)
	}
}

func TestWhatIsWithinTheMarginIsAsFastHoweverSure(t *testing.T) {
	a, b := []float64{103, 104, 103, 104, 103, 104}, []float64{100, 100, 100, 100, 100, 100}
	require.Equal(t, AsFast, Compare(a, b, Terms{}).Answer)
	require.Equal(t, Slower, Compare(a, b, Terms{Margin: 1.01}).Answer)
	require.Equal(t, Unclear, Compare(a, b, Terms{Margin: 1.01, Noise: 1.05}).Answer, "itself differs by as much")
}

// Rounds that agree with each other on one population say nothing of the next one.
func TestRoundsOfOnePopulationAreOneBlock(t *testing.T) {
	rounds := []float64{110, 111, 110, 112, 111, 110}
	require.Len(t, Blocks(rounds, make([]int, len(rounds))), 1)
	require.Equal(t, []float64{110, 111}, Blocks(rounds, []int{0, 0, 0, 1, 1, 1}))
	require.Equal(t, []float64{2, 9}, Blocks([]float64{1, 2, 700, 9}, []int{0, 0, 0, 1}), "a block may have fewer")
	gap := Blocks([]float64{1, 2}, []int{1, 3})
	require.True(t, math.IsNaN(gap[0]) && math.IsNaN(gap[2]), "a block without samples is no number")
	require.Equal(t, []float64{1, 2}, []float64{gap[1], gap[3]})
	require.Empty(t, Blocks(nil, nil))
}

func TestMoreBlocksWouldTell(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	c := Compare(scattered(r, 110, 0.2, 8), scattered(r, 100, 0.2, 8), Terms{})
	require.Equal(t, Unclear, c.Answer)
	more := c.More()
	require.Positive(t, more)
	with := func(more int) Answer {
		d := c.measured
		d.error = func(int) (float64, float64) { return c.measured.error(more) }
		return answer(d.estimate(), d.same, d.noise)
	}
	require.NotEqual(t, Unclear, with(more))
	require.Equal(t, Unclear, with(more-1))
}

func TestBlocksMeasuredApart(t *testing.T) {
	const draws = 1000
	tr, terms := trial{layout: 0.07, round: 0.02, blocks: 8, rounds: 3, ratio: 1}, Terms{Margin: 1.0001}
	equal := tr.rates(CompareApart, terms, draws)
	require.LessOrEqual(t, equal[Faster]+equal[Slower], 0.05+3*math.Sqrt(0.05*0.95/draws))
	tr.ratio = 1.5
	require.Greater(t, tr.rates(CompareApart, terms, draws)[Slower], 0.99)
	require.Equal(t, AsFast, CompareApart([]float64{5, 5, 5}, []float64{5, 5, 5}, Terms{}).Answer, "a copy is the same")
}

func TestWhatIsTooSmallToNoticeIsTheSame(t *testing.T) {
	heap, wheel := []float64{2, 2.1, 2, 1.9}, []float64{8, 8.1, 7.9, 8}
	require.Equal(t, Slower, Compare(wheel, heap, Terms{}).Answer)
	require.Equal(t, AsFast, Compare(wheel, heap, Terms{Negligible: 1000}).Answer)
	require.Equal(t, Slower, Compare([]float64{2000, 2001, 2000, 2002}, heap, Terms{Negligible: 1000}).Answer)
	require.Equal(t, Unclear, Compare([]float64{8}, []float64{2}, Terms{Negligible: 1000}).Answer, "one block says nothing")
	require.Equal(t, AsFast, CompareApart(wheel, heap, Terms{Negligible: 1000}).Answer)
}
