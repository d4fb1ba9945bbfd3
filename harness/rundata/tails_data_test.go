package rundata

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// tailPair returns two calls of a contestant.
func tailPair(took time.Duration) []*Series {
	cancel := NewSeries(Tails, "op", CallCancel, "impl", "a", "pending", 10, "during", DuringShrink)
	expire := NewSeries(Tails, "op", CallExpire, "impl", "a", "pending", 10, "during", DuringHold)
	for _, s := range []*Series{cancel, expire} {
		s.Took, s.Collecting = hdrhistogram.New(1, int64(time.Minute), 2), hdrhistogram.New(1, int64(time.Minute), 2)
		for block := range 2 {
			values := Values{P999Took: float64(took)}
			if s == expire {
				values[LongestExpire], values[LongestDue], values[LongestCascaded] = float64(took), 3, 0
			}
			s.Add(block, 3, values)
			Record(s.Took, took)
			Record(s.Took, math.MaxInt64)
			Record(s.Collecting, time.Second)
		}
	}
	return []*Series{cancel, expire}
}

func TestTailsReadBackAsTheyWereWritten(t *testing.T) {
	dir := saveTo(t, map[string][]*Series{"one": tailPair(time.Microsecond)}, "one")
	sameSeries(t, tailPair(time.Microsecond), must.Get(Load(dir))(t).Series)

	path := filepath.Join(dir, "one"+hlogExt)
	broken := strings.Replace(string(must.Get(os.ReadFile(path))(t)), "took:", "taken:", 1)
	require.NoError(t, os.WriteFile(path, []byte(broken), 0o600))
	_, err := Load(dir)
	require.ErrorContains(t, err, "histogram of a kind \"taken\"")
}

func TestMergedTailsAreOfAllCalls(t *testing.T) {
	a := saveTo(t, map[string][]*Series{"one": tailPair(time.Microsecond)}, "one")
	b := saveTo(t, map[string][]*Series{"one": tailPair(time.Millisecond)}, "one")
	d, _, out := merged(t, a, b)
	require.Len(t, d.Series, 2)
	require.Equal(t, []float64{1e3, 1e3, 1e6, 1e6}, d.Series[0].Values[P999Took])
	require.EqualValues(t, 8, d.Series[0].Took.TotalCount())
	require.EqualValues(t, 4, d.Series[0].Collecting.TotalCount())
	sameSeries(t, d.Series, must.Get(Load(out))(t).Series)
}
