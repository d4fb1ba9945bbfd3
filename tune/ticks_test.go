package tune

import (
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/judge"
)

// rounds returns what six rounds come to that show a figure, with a scatter of its own
// size, or none.
func rounds(v, scatter float64) judge.Average {
	var each []float64
	for _, z := range []float64{-1.2, 0.4, 1.1, -0.6, 0.8, -0.5} {
		each = append(each, v+scatter*z)
	}
	return judge.Mean(each)
}

func always(v float64) judge.Average { return rounds(v, 0) }

func TestRequirementsAreKeptBrokenOrUndecided(t *testing.T) {
	r := Requirements{Lateness: 10 * ms, CPU: 0.01}
	require.Equal(t, judge.Holds, r.InTime(always(0.009).Estimate))
	require.Equal(t, judge.Fails, r.InTime(always(0.011).Estimate))
	require.Equal(t, judge.Undecided, r.InTime(rounds(0.0095, 0.002).Estimate))
	require.Equal(t, judge.Undecided, r.Cheap(rounds(0.011, 0.01).Estimate))
	require.Equal(t, judge.Holds, Requirements{}.Cheap(judge.Mean(nil).Estimate), "nothing is asked for")
	require.Equal(t, judge.Undecided, r.Cheap(judge.Mean(nil).Estimate), "nothing was measured")
}
