package trace

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTheFirstDifferentDurationsAreCountedApart(t *testing.T) {
	f := frequent{counts: map[time.Duration]uint64{}}
	for i := range mostDurations + 7 {
		for range 1 + 5*max(0, i-mostDurations+20) {
			f.add(time.Duration(i))
		}
	}
	f.add(0)
	r := f.result()
	require.EqualValues(t, mostDurations, r.Distinct)
	require.EqualValues(t, 7+5*(20+21+22+23+24+25+26), r.Others)
	require.Len(t, r.Top, topDurations)
	for i, top := range r.Top {
		require.Equal(t, DurationCount{time.Duration(mostDurations - 1 - i), uint64(1 + 5*(19-i))}, top)
	}
}

func TestADistributionHasTheQuantilesOfWhatItCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d Distribution
		all := rapid.SliceOfN(rapid.Int64Range(0, 1<<rapid.IntRange(1, 62).Draw(t, "bits")), 1, 100).Draw(t, "durations")
		for _, v := range all {
			d.add(time.Duration(v))
		}
		slices.Sort(all)
		require.EqualValues(t, len(all), d.Count())
		require.EqualValues(t, all[0], d.Quantile(0))
		require.EqualValues(t, all[len(all)-1], d.Quantile(1))
		require.InEpsilon(t, 1+float64(all[(len(all)-1)/2]), 1+float64(d.Quantile(0.5)), 0.001)
	})
}

func TestADistributionReachesFromNothingToCenturies(t *testing.T) {
	var d Distribution
	for _, v := range []time.Duration{0, 1<<63 - 1} {
		d.add(v)
	}
	require.Zero(t, d.Quantile(0.1))
	require.EqualValues(t, 1<<63-1, d.Quantile(0.9))
}
