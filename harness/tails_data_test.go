package harness

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// tailPair returns the calls of a contestant, and those in a part of its life.
func tailPair(took time.Duration) []*Series {
	whole := newSeries(Tails, "op", CallCancel, "impl", "a", "pending", 10)
	part := newSeries(Tails, "op", CallCancel, "impl", "a", "pending", 10, "during", "shrink")
	whole.Took, whole.Collecting = newDurations().both()
	for block := range 2 {
		whole.add(block, 3, sample{P9999Took: float64(took), MaxTook: 1e9, Collections: 1})
		part.add(block, 1, sample{P9999Took: float64(took), MaxTook: float64(took)})
		record(whole.Took, took)
		record(whole.Took, math.MaxInt64)
		record(whole.Collecting, time.Second)
	}
	return []*Series{whole, part}
}

func TestTailsReadBackAsTheyWereWritten(t *testing.T) {
	dir := saveTo(t, map[string][]*Series{"one": tailPair(time.Microsecond)}, "one")
	d, err := Load(dir)
	require.NoError(t, err)
	sameSeries(t, tailPair(time.Microsecond), d.Series)

	path := filepath.Join(dir, "one"+hlogExt)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for what, broken := range map[string]string{
		"histogram of a kind \"taken\"": strings.Replace(string(text), "took:", "taken:", 1),
		"lacks a histogram":             strings.Join(strings.SplitAfter(string(text), "\n")[:2], ""),
	} {
		require.NoError(t, os.WriteFile(path, []byte(broken), 0o600))
		_, err = Load(dir)
		require.ErrorContains(t, err, what)
	}
}

func TestMergedTailsAreOfAllCalls(t *testing.T) {
	a := saveTo(t, map[string][]*Series{"one": tailPair(time.Microsecond)}, "one")
	b := saveTo(t, map[string][]*Series{"one": tailPair(time.Millisecond)}, "one")
	d, _, out := merged(t, a, b)
	require.Len(t, d.Series, 2)
	require.Equal(t, []float64{1e3, 1e3, 1e6, 1e6}, d.Series[0].Values[P9999Took])
	require.EqualValues(t, 8, d.Series[0].Took.TotalCount())
	require.EqualValues(t, 4, d.Series[0].Collecting.TotalCount())
	require.Nil(t, d.Series[1].Took)
	again, err := Load(out)
	require.NoError(t, err)
	sameSeries(t, d.Series, again.Series)
}
