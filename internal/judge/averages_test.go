package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// scattered returns blocks about a figure, by a scatter of their logarithms.
func scattered(r *rand.Rand, figure, scatter float64, n int) (blocks []float64) {
	for range n {
		blocks = append(blocks, figure*math.Exp(scatter*r.NormFloat64()))
	}
	return blocks
}

func TestAveragesAreWeightedGeometricMeansOfRatiosToTheBest(t *testing.T) {
	cell := func(weight float64, a, b float64) Vote {
		return Vote{Weight: weight, Contestants: []Contestant{{Name: "a", Blocks: about(a, 0.01, 8)}, {Name: "b", Blocks: about(b, 0.02, 8)}}}
	}
	a := AverageOver([]Vote{cell(1, 1, 4), cell(1, 9, 1), cell(2, 1, 1)})
	require.InDelta(t, math.Sqrt(3), a.Of("a", Terms{}).Value, 1e-9, "1, 9 and 1 twice")
	require.InDelta(t, math.Sqrt(2), a.Of("b", Terms{}).Value, 1e-9)
	ratio, answer := a.Compare("a", "b", Terms{})
	require.InDelta(t, math.Sqrt(1.5), ratio.Value, 1e-9)
	require.Equal(t, Slower, answer)
	require.Less(t, ratio.Low, ratio.Value)
	_, answer = a.Compare("b", "a", Terms{})
	require.Equal(t, Faster, answer)
	_, answer = AverageOver([]Vote{cell(1, 1, 1.02)}).Compare("b", "a", Terms{})
	require.Equal(t, AsFast, answer)
	require.True(t, math.IsNaN(a.Of("c", Terms{}).Value))
	ratio, answer = a.Compare("a", "c", Terms{})
	require.True(t, math.IsNaN(ratio.Value))
	require.Equal(t, Unclear, answer)
	require.Equal(t, a, AverageOver([]Vote{cell(1, 1, 4), cell(1, 9, 1), cell(2, 1, 1)}), "the same each time")
}

// What counts as none makes no ratio, and figures below it no wild one.
func TestNegligibleDifferencesAreNoRatios(t *testing.T) {
	of := func(a, b float64) float64 {
		v := Vote{Weight: 1, Negligible: 10, Contestants: []Contestant{{Name: "a", Blocks: []float64{a, a, a}}, {Name: "b", Blocks: []float64{b, b, b}}}}
		return AverageOver([]Vote{v}).Of("b", Terms{}).Value
	}
	require.Equal(t, 1.0, of(0.1, 9), "90 times as much, of next to nothing")
	require.Equal(t, 1.0, of(0, 0))
	require.Equal(t, 1.0, of(5, 14), "the difference is below what is noticed")
	require.InDelta(t, 4, of(0.1, 40), 1e-9, "40 to what is noticed")
	require.InDelta(t, 2, of(100, 200), 1e-9)
}

func TestBlocksThatAreMissingArePassedOver(t *testing.T) {
	nan := math.NaN()
	a := AverageOver([]Vote{{Weight: 1, Contestants: []Contestant{
		{Name: "a", Blocks: []float64{10, 20, nan, 10, 20}}, {Name: "b", Blocks: []float64{20, 40, 7, nan, 40}}, {Name: "c", Blocks: []float64{30}},
		{Name: "d", Blocks: []float64{nan, nan, 50}},
	}}})
	require.InDelta(t, 2, a.Of("b", Terms{}).Value, 1e-9)
	require.InDelta(t, 2, a.Of("b", Terms{}).High, 1e-9)
	one := a.Of("c", Terms{})
	require.InDelta(t, 3, one.Value, 1e-9)
	require.True(t, math.IsInf(one.High, 1), "of one block nothing is sure")
	require.True(t, math.IsNaN(a.Of("d", Terms{}).Value), "it has no block with the first")
}

// The interval of a ratio of averages holds the true one as often as it says, for few cells of
// few blocks too. That of an average does, although the best of a cell is chosen by what it showed.
func TestIntervalsOfAveragesHold(t *testing.T) {
	const tries = 200
	for _, c := range []struct{ cells, blocks int }{{1, 6}, {3, 8}, {12, 24}} {
		r, missed, lucky := rand.New(rand.NewPCG(3, 4)), 0, 0
		for range tries {
			var votes []Vote
			for i := range c.cells {
				votes = append(votes, Vote{Weight: 1 / float64(1+i), Contestants: []Contestant{
					{Name: "a", Blocks: scattered(r, 10, 0.2, c.blocks)}, {Name: "b", Blocks: scattered(r, 13, 0.1, c.blocks)}, {Name: "x", Blocks: scattered(r, 10, 0.3, c.blocks)},
				}})
			}
			all := AverageOver(votes)
			if e, _ := all.Compare("b", "a", Terms{}); e.Low > 1.3 || e.High < 1.3 {
				missed++
			}
			if all.Of("x", Terms{}).Low > 1 { // a and x are the best, both of them
				lucky++
			}
		}
		t.Logf("%+v: missed %d and %d of %d", c, missed, lucky, tries)
		most := tries*0.05 + 3*math.Sqrt(tries*0.05*0.95)
		require.LessOrEqual(t, float64(missed), most, "%+v", c)
		require.LessOrEqual(t, float64(lucky), most, "%+v", c)
	}
}

// Answers of several contests hold together: of equals, at most one set of contests in twenty
// has a false one, and intervals miss no more often.
func TestContestsHoldTogether(t *testing.T) {
	const tries = 300
	r, wrong := rand.New(rand.NewPCG(7, 8)), 0
	for range tries {
		var fields []Field
		for range 12 {
			f := Field{Terms: Terms{Margin: 1.0001}}
			for i := range 4 {
				f.Contestants = append(f.Contestants, Contestant{Name: fmt.Sprint(i), Blocks: scattered(r, 10, 0.1, 8)})
			}
			fields = append(fields, f)
		}
		beside := []Pair{{A: scattered(r, 10, 0.1, 8), B: scattered(r, 10, 0.1, 8)}}
		contests, others := CompeteTogether(fields, beside)
		seen := others[0].Answer == Slower || others[0].Answer == Faster || others[0].Low > 1 || others[0].High < 1
		for _, c := range contests {
			seen = seen || len(c.Others(Slower)) > 0 || c.Standings[3].ToFirst.Low > 1
		}
		if seen {
			wrong++
		}
	}
	t.Logf("%d of %d", wrong, tries)
	require.LessOrEqual(t, float64(wrong), tries*0.05+3*math.Sqrt(tries*0.05*0.95))
}

// What has been answered counts no more among all contests, and the interval stays on the side of its answer.
func TestWhatIsAnsweredMakesRoomForOtherContests(t *testing.T) {
	one := Contestant{Name: "one", Blocks: about(1, 0, 8)}
	near, far := Contestant{Name: "near", Blocks: about(1.05, 0.08, 8)}, Contestant{Name: "far", Blocks: about(3, 0.05, 8)}
	terms := Terms{Margin: 1.001}
	contests, _ := CompeteTogether([]Field{{[]Contestant{one, far}, terms}, {[]Contestant{one, near}, terms}, {[]Contestant{one, far}, terms}}, nil)
	open, _ := CompeteTogether([]Field{{[]Contestant{one, near}, terms}, {[]Contestant{one, near}, terms}, {[]Contestant{one, near}, terms}}, nil)
	require.Equal(t, Unclear, open[0].Standings[1].ToFirst.Answer)
	require.Equal(t, Compare(near.Blocks, one.Blocks, Terms{Comparisons: 3}).High, contests[1].Standings[1].ToFirst.High, "intervals count as all")
	require.GreaterOrEqual(t, contests[0].Standings[1].ToFirst.Low, 1.0)
	nearer := Contestant{Name: "near", Blocks: about(1.05, 0.05, 8)}
	contests, _ = CompeteTogether([]Field{{[]Contestant{one, far}, terms}, {[]Contestant{one, nearer}, terms}}, nil)
	require.Equal(t, Slower, contests[1].Standings[1].ToFirst.Answer, "by itself")
	require.Equal(t, 1.0, contests[1].Standings[1].ToFirst.Low)
}
