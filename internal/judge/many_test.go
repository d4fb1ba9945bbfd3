package judge

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

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
	figures := func(times float64) []float64 {
		list := make([]float64, 8)
		for i := range list {
			list[i] = times * (1 + 0.05*r.NormFloat64())
		}
		return list
	}
	runs := func(ratio float64, differing int) (wrong, right, spoilt float64) {
		for range draws {
			var a, b [][]float64
			for i := range n {
				times := 1.0
				if i < differing {
					times = ratio
				}
				a, b = append(a, figures(times)), append(b, figures(1))
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
