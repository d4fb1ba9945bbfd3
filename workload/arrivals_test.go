package workload

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// arrivalsOf returns the arrivals that a text stands for.
func arrivalsOf(t *testing.T, text string) arrivals {
	return must.Get(buildArrivals(text))(t)
}

// arriving returns the instants of arrivals within the time.
func arriving(t *testing.T, text string, within time.Duration) (at []float64) {
	for v := newArriver(arrivalsOf(t, text), random(3, 0), int64(within)); v.at != never; v.next() {
		at = append(at, float64(v.at))
	}
	return at
}

func gaps(at []float64) (gaps []float64) {
	for i := 1; i < len(at); i++ {
		gaps = append(gaps, at[i]-at[i-1])
	}
	return gaps
}

// Times between Poisson arrivals are exponential, at any rate; at high ones they
// are rounded to nanoseconds without being longer or shorter for it.
func TestPoisson(t *testing.T) {
	at := arriving(t, "poisson(10k/s)", 20*time.Second)
	require.InEpsilon(t, 200_000, len(at), 0.01)
	require.Less(t, distance(gaps(at), exponential{mu: 1e5}.cdf), critical(len(at)))
	require.InEpsilon(t, 1_000_000, len(arriving(t, "poisson(1000M/s)", time.Millisecond)), 0.01)
}

// Paced arrivals keep their rate to the nanosecond in the long run, and each its
// distance.
func TestPaced(t *testing.T) {
	at := arriving(t, "paced(300k/s)", time.Second)
	require.Len(t, at, 299_999)
	for i, x := range at {
		require.LessOrEqual(t, math.Abs(x-float64(i+1)*1e9/300_000), 1.0)
	}
}

func TestBursts(t *testing.T) {
	require.Equal(t, []float64{0, 0, 0, 1e6, 1e6, 1e6}, arriving(t, "bursts(3, every=1ms)", 2*time.Millisecond))
}

// A fixed number is started at independent instants, evenly likely.
func TestFixed(t *testing.T) {
	at := arriving(t, "fixed(100k, over=1s)", time.Minute)
	require.Len(t, at, 100_000)
	require.IsNonDecreasing(t, at)
	require.Less(t, distance(at, uniform{0, 1e9}.cdf), critical(len(at)))
	require.Equal(t, []float64{0, 0, 0}, arriving(t, "fixed(3, over=0)", time.Second))
	require.Less(t, len(arriving(t, "fixed(100k, over=1s)", time.Millisecond)), 200)
}

func TestScaledArrivals(t *testing.T) {
	for text, want := range map[string]float64{
		"poisson(10k/s)": 5000, "paced(60/min)": 0.5, "bursts(10, every=2s)": 2.5,
	} {
		require.InEpsilon(t, want, arrivalsOf(t, text).scaled(0.5).perSecond(), 1e-12, text)
	}
	require.Equal(t, 1, arrivalsOf(t, "fixed(10, over=1s)").scaled(1e-9).count, "one at least")
}
