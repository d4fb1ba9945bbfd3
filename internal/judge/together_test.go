package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/lists"
)

// about returns so many figures about 100 times a ratio, whose logarithms have exactly the mean of that.
func about(ratio, scatter float64, n int) (figures []float64) {
	for i := range n {
		figures = append(figures, 100*ratio*math.Exp(scatter*float64(1-2*(i%2))))
	}
	return figures
}

func TestTheSignificantCountNoMore(t *testing.T) {
	one := about(1, 0, 8)
	near, far := about(1.05, 0.05, 8), about(3, 0.05, 8)
	answersOf := func(pairs ...[]float64) []Answer {
		all := lists.Each(pairs, func(a []float64) Pair { return Pair{A: a, B: one, Terms: Terms{Margin: 1.001}} })
		return lists.Each(CompareTogether(all, 1), func(c Comparison) Answer { return c.Answer })
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
// many others are, wherever they are, and whatever the machine does.
func TestContestsOfWhichSomeAreEqual(t *testing.T) {
	const draws = 500
	r := rand.New(rand.NewPCG(9, 10))
	for _, tr := range scenarios() {
		for _, takes := range [][]float64{{1, 1, 1, 1, 1, 1}, {1, 1, 3, 9, 27, 81}, {1, 1, 1, 2, 2, 2}, {1, 1, 1, 1, 1, 50}, {1, 1}, {1, 1, 1}} {
			wrong := 0
			for range draws {
				var all []Contestant
				for i, ratio := range takes {
					tr.ratio, tr.blocks, tr.rounds = ratio, 6, 3
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
			t.Logf("%s, %v: %d of %d", tr.name, takes, wrong, draws)
			require.LessOrEqual(t, float64(wrong), draws*0.05+3*math.Sqrt(draws*0.05*0.95), "%s, %v", tr.name, takes)
		}
	}
}

func TestTheMoreDifferTheFewerComparisonsCount(t *testing.T) {
	// Each is significant as long as at most so many comparisons count.
	from := func(most ...int) int {
		return Counted(len(most), func(comparisons int) (significant int) {
			for _, m := range most {
				if comparisons <= m {
					significant++
				}
			}
			return significant
		})
	}
	require.Equal(t, 1, from())
	require.Equal(t, 1, from(1, 1, 1, 1), "all are significant by themselves")
	require.Equal(t, 4, from(0, 0, 0, 0), "none is")
	require.Equal(t, 4, from(1, 0, 0, 0), "one of four may be chance")
	require.Equal(t, 4, from(4, 0, 0, 0))
	require.Equal(t, 4, from(3, 0, 0, 0))
	require.Equal(t, 2, from(2, 2, 0, 0))
	require.Equal(t, 2, from(100, 2, 0, 0))
	require.Equal(t, 4, from(100, 1, 1, 0))
}

// Of a hundred comparisons of equals, hardly ever one is significant; of a hundred with twenty
// that differ, these are, and few others.
func TestFewOfTheSignificantAmongManyAreFalse(t *testing.T) {
	const draws, n, differing = 60, 100, 20
	r := rand.New(rand.NewPCG(5, 6))
	runs := func(ratio float64, differing int) (wrong, right, spoilt float64) {
		for range draws {
			var a, b [][]float64
			for i := range n {
				times := 1.0
				if i < differing {
					times = ratio
				}
				a, b = append(a, scattered(r, times, 0.05, 8)), append(b, scattered(r, 1, 0.05, 8))
			}
			significant := func(comparisons int) (list []int) {
				for i := range a {
					answer := CompareApart(a[i], b[i], Terms{Comparisons: comparisons, Margin: 1.0001}).Answer
					if answer == Faster || answer == Slower {
						list = append(list, i)
					}
				}
				return list
			}
			list := significant(Counted(n, func(comparisons int) int { return len(significant(comparisons)) }))
			for _, i := range list {
				if i < differing {
					right++
				} else {
					wrong++
				}
			}
			if slices.ContainsFunc(list, func(i int) bool { return i >= differing }) {
				spoilt++
			}
		}
		return wrong / draws, right / draws, spoilt / draws
	}
	_, _, spoilt := runs(1, 0)
	require.LessOrEqual(t, spoilt, 0.05+3*0.028, "a run in which nothing differs")
	wrong, right, _ := runs(1.3, differing)
	require.Greater(t, right, 0.98*differing)
	require.LessOrEqual(t, wrong/(wrong+right), 0.06)
}

func TestDifferencesOfWhatWasMeasuredApart(t *testing.T) {
	idle, busy := []float64{0.001, 0.0012, 0.0011, 0.0009}, []float64{0.02, 0.021, 0.02, 0.019, 0.02}
	d := DifferApart(busy, idle, Imperceptible, Terms{})
	require.Equal(t, Slower, d.Answer)
	require.InDelta(t, 0.019, d.Value, 0.001)
	require.Equal(t, 4, d.Blocks)
	require.Equal(t, Faster, DifferApart(idle, busy, Imperceptible, Terms{}).Answer)
	require.Equal(t, AsFast, DifferApart([]float64{0.0013, 0.0012, 0.0014}, idle, Imperceptible, Terms{}).Answer)
	noisy := DifferApart([]float64{0.001, 0.05, -0.02}, idle, Imperceptible, Terms{})
	require.Equal(t, Unclear, noisy.Answer)
	require.Positive(t, noisy.More())
	require.Equal(t, 2, DifferApart(nil, idle, Imperceptible, Terms{}).More())
}

func TestALimitIsKeptBrokenOrUndecided(t *testing.T) {
	for name, tc := range map[string]struct {
		blocks []float64
		want   Finding
	}{
		"well below":       {[]float64{5, 5.1, 4.9, 5, 5.2, 5}, Holds},
		"well above":       {[]float64{15, 15.1, 14.9, 15, 15.2, 15}, Fails},
		"across":           {[]float64{9, 11, 10, 9.5, 10.5, 10}, Undecided},
		"below, scattered": {[]float64{2, 14, 6, 9, 13, 1}, Undecided},
		"below, but one":   {[]float64{5, 5, 5, 50, 5, 5}, Undecided},
		"hardly below":     {[]float64{9.99, 9.99, 9.99}, Holds},
		"one block":        {[]float64{1}, Undecided},
		"nothing":          {nil, Undecided},
		"not numbers":      {[]float64{math.NaN(), math.Inf(1)}, Undecided},
	} {
		t.Run(name, func(t *testing.T) {
			for _, a := range []Average{Mean(tc.blocks), GeometricMean(tc.blocks), Middle(tc.blocks)} {
				require.Equal(t, tc.want, a.Within(math.Inf(-1), 10), "%v", a.Estimate)
			}
		})
	}
	require.Equal(t, Holds, Estimate{5, 4, 6}.Within(4, 6))
	require.Equal(t, Fails, Estimate{5, 4, 6}.Within(6.5, 7))
	require.Equal(t, Fails, Estimate{5, 4, 6}.Within(3, 3.5))
	require.Equal(t, Undecided, Estimate{5, 4, 6}.Within(4.5, 7))
}

func TestOneOutlierDoesNotMakeAGeometricMeanNegative(t *testing.T) {
	late := []float64{5, 5.1, 4.9, 5, 5.2, 50}
	require.Negative(t, Mean(late).Low)
	require.Positive(t, GeometricMean(late).Low)
	require.InDelta(t, 7.4, GeometricMean(late).Value, 0.1)
}

func TestAFewDisturbedBlocksDoNotMoveAMiddle(t *testing.T) {
	blocks := []float64{9, 9.1, 9.2, 9.3, 9.4, 9.5, 9.6, 9.7, 9.8, 9.9, 70, 63}
	require.Equal(t, Holds, Middle(blocks).Within(math.Inf(-1), 10))
	require.Equal(t, Fails, Middle(blocks).Within(math.Inf(-1), 9))
	require.Equal(t, Undecided, Mean(blocks).Within(math.Inf(-1), 10))
	require.Equal(t, Undecided, Middle(append(blocks, 70, 65, 71)).Within(math.Inf(-1), 10))
	require.Equal(t, Mean([]float64{1, 2, 4}).Estimate, Middle([]float64{1, 2, 4}).Estimate, "too few for ranks")
	require.InDelta(t, 9.45, Middle(blocks[:10]).Value, 1e-9)
}

func TestAnAverageHoldsTheTrueFigureAsOftenAsIsSaid(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const draws = 2000
	in := map[string]float64{}
	least := 0.0 // an interval by ranks holds it as often, or more often
	for range draws {
		var plain, skewed []float64
		for range 6 {
			v := r.NormFloat64()
			plain, skewed = append(plain, 3+v), append(skewed, 3*math.Exp(0.3*v))
		}
		if Mean(plain).Within(3, 3) == Undecided {
			in["plain"]++
		}
		if GeometricMean(skewed).Within(3, 3) == Undecided {
			in["skewed"]++
		}
		if Middle(skewed).Within(3, 3) == Undecided {
			least++
		}
	}
	require.InDelta(t, Confidence, in["plain"]/draws, 0.015)
	require.InDelta(t, Confidence, in["skewed"]/draws, 0.015)
	require.Greater(t, least/draws, Confidence-0.01)
}

func TestStatementsTogether(t *testing.T) {
	require.Equal(t, Holds, All(Holds, Holds))
	require.Equal(t, Fails, All(Undecided, Fails))
	require.Equal(t, Undecided, All(Holds, Undecided))
	require.Equal(t, Holds, All())
	require.Equal(t, "unclear, holds, fails", fmt.Sprintf("%v, %v, %v", Undecided, Holds, Fails))
}

// A share of a core too small to notice is no difference, however sure it is.
func TestAShareTooSmallToNoticeIsNoDifference(t *testing.T) {
	at := func(v float64) []float64 { return []float64{v, v + 1e-6, v - 1e-6, v, v + 2e-6, v} }
	require.Equal(t, AsFast, Differ(at(0.0208), at(0.02), Imperceptible, Terms{}).Answer)
	more := Differ(at(0.0212), at(0.02), Imperceptible, Terms{})
	require.Equal(t, Slower, more.Answer)
	require.InDelta(t, 0.0012, more.Value, 1e-9)
	require.Equal(t, Faster, Differ(at(0.02), at(0.0212), Imperceptible, Terms{}).Answer)
	across := []float64{0.0208, 0.0212, 0.0208, 0.0206, 0.0213, 0.0205}
	d := Differ(across, at(0.02), Imperceptible, Terms{})
	require.Positive(t, d.Low)
	require.Equal(t, Unclear, d.Answer, "more, but whether it is enough to notice is unclear")
	require.Positive(t, d.More())
}
